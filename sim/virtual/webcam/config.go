package webcam

import (
	"errors"
	"fmt"
)

// Config describes the virtual camera.
type Config struct {
	// Rate is how many pictures a second are sent.
	Rate float64 `yaml:"rate_hz"`
	// Quality is the JPEG quality, 1 to 100.
	Quality int `yaml:"jpeg_quality"`
	// Noise is the standard deviation of the sensor noise in grey levels of
	// 255. A real sensor never sends the same picture twice; with 0 a still
	// scene looks like a frozen camera.
	Noise float64 `yaml:"noise_levels"`
	// Seed starts the noise.
	Seed uint64 `yaml:"seed"`
}

// DefaultConfig is a C922 at 640 x 480: 30 pictures a second with the slight
// noise of a well-lit sensor.
func DefaultConfig() Config {
	return Config{Rate: 30, Quality: 90, Noise: 1, Seed: 1}
}

// Validate names the key that is out of its range.
func (c *Config) Validate() error {
	switch {
	case !(c.Rate > 0 && c.Rate <= 1000):
		return fmt.Errorf("rate_hz: %g is not above 0 and at most 1000", c.Rate)
	case c.Quality < 1 || c.Quality > 100:
		return fmt.Errorf("jpeg_quality: %d is not 1 to 100", c.Quality)
	case !(c.Noise >= 0 && c.Noise <= 30):
		return fmt.Errorf("noise_levels: %g is not 0 to 30", c.Noise)
	}
	return nil
}

// Fault is what is wrong with the virtual camera.
type Fault uint8

const (
	// Healthy sends a new picture at every tick.
	Healthy Fault = iota
	// Frozen sends the last picture again and again, as a hung sensor does.
	Frozen
	// Stalled sends nothing and keeps the connection, as a hung link does.
	Stalled
)

// errClosed ends a reader whose server is gone.
var errClosed = errors.New("webcam: closed")
