package virtual

import (
	"fmt"
	"time"

	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
	"twinrig/sim/virtual/webcam"
)

// framePeriod is the hidden camera's: 30 frames a second.
const framePeriod = time.Second / 30

// cameraName is the hidden camera's in its world.
const cameraName = "webcam"

// Config describes a virtual rig.
type Config struct {
	// Seed draws the hidden differences; Hidden false leaves them out.
	Seed   uint64 `yaml:"seed"`
	Hidden bool   `yaml:"hidden"`
	// Payload is a mass in kg in the hand that nobody is told of.
	Payload float64 `yaml:"payload_kg"`
	// Baud, ReplyGap and Latency are the line's: its rate in bit/s, how long
	// each servo takes to answer, and the USB adapter's latency timer.
	Baud     int           `yaml:"baud"`
	ReplyGap time.Duration `yaml:"reply_gap"`
	Latency  time.Duration `yaml:"latency"`
	// Faults happen to the servos and their line, on the rig's clock.
	Faults []servotest.Fault `yaml:"faults"`
	// CameraLatency is the time from exposure to a frame being there.
	CameraLatency time.Duration `yaml:"camera_latency"`
	// Distortion is the camera's, k1, k2, p1, p2, k3: none in the rig as shipped,
	// whose pictures then take a fifth of the time.
	Distortion [5]float64 `yaml:"distortion_k1_k2_p1_p2_k3,flow"`
	// Webcam is how the paced rig serves its pictures.
	Webcam webcam.Config `yaml:"webcam"`
}

// DefaultConfig is a U2D2 with its latency timer at 1 ms at 1 Mbps.
func DefaultConfig() Config {
	w := webcam.DefaultConfig()
	w.Rate = 10
	return Config{
		Seed: 1, Hidden: true,
		Baud: 1_000_000, ReplyGap: 10 * time.Microsecond, Latency: time.Millisecond,
		CameraLatency: 30 * time.Millisecond,
		Webcam:        w,
	}
}

// Validate names the key that is wrong and its limit.
func (c *Config) Validate() error {
	bus := dynamixel.Default()
	bus.Baud, bus.ReplyGap, bus.Latency = c.Baud, c.ReplyGap, c.Latency
	if err := bus.Validate(); err != nil {
		return err
	}
	for i := range c.Faults {
		if err := c.Faults[i].Validate(); err != nil {
			return fmt.Errorf("faults[%d]: %w", i, err)
		}
	}
	if !(c.Payload >= 0 && c.Payload <= 2) {
		return fmt.Errorf("payload_kg: %g is outside 0 to 2", c.Payload)
	}
	if c.CameraLatency < 0 || c.CameraLatency > time.Second {
		return fmt.Errorf("camera_latency: %v is outside 0s to 1s", c.CameraLatency)
	}
	if err := c.Webcam.Validate(); err != nil {
		return fmt.Errorf("webcam: %w", err)
	}
	return nil
}
