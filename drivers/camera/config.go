package camera

import (
	"errors"
	"fmt"
	"time"
)

// Config describes one camera.
type Config struct {
	// Source is a V4L2 device ("/dev/video0" or a name under /dev/v4l/by-id),
	// an MJPEG stream ("http://..."), or a file: a video, or a sequence such
	// as "shots/img%04d.png".
	Source string `yaml:"source"`
	// Width and Height are the picture's size in pixels. A source that gives
	// another size is refused.
	Width  int `yaml:"width_px"`
	Height int `yaml:"height_px"`
	// Rate is how many pictures a second are asked of a device, and expected
	// of a stream. A file is played at this rate.
	Rate float64 `yaml:"rate_hz"`
	// Format is the pixel format asked of a device as its four-character code,
	// such as "MJPG" or "YUYV"; empty leaves the choice to the driver.
	Format string `yaml:"format"`
	// Controls are set on a device at each opening.
	Controls Controls `yaml:"controls"`
	// StaleAfter is the age at which Latest begins to return ErrStale.
	StaleAfter time.Duration `yaml:"stale_after"`
	// FrozenAfter is how many equal pictures in a row are a frozen camera; 0
	// never says so. A real sensor's noise makes every picture different.
	FrozenAfter int `yaml:"frozen_after_frames"`
	// Retry is the pause before a lost source is opened again.
	Retry time.Duration `yaml:"retry"`
	// Loop plays a file again from its start when it ends.
	Loop bool `yaml:"loop"`
}

// Controls are a webcam's controls (V4L2). A nil value is left as it is.
type Controls struct {
	// Lock ends automatic exposure, white balance and focus: what is not given
	// below stays where the automatic left it.
	Lock bool `yaml:"lock"`
	// Exposure is the exposure time, in steps of 0.1 ms.
	Exposure *time.Duration `yaml:"exposure"`
	// WhiteBalance is the colour temperature in kelvin.
	WhiteBalance *int `yaml:"white_balance_k"`
	// Focus is the lens position in the camera's steps; 0 is far away.
	Focus *int `yaml:"focus_steps"`
	// Gain is the sensor's gain in the camera's steps.
	Gain *int `yaml:"gain_steps"`
	// PowerLine is the mains frequency in Hz whose flicker is filtered: 0, 50
	// or 60.
	PowerLine *int `yaml:"power_line_hz"`
}

// DefaultConfig is a Logitech C922 at 640 x 480 and 30 Hz, its automatics
// ended.
func DefaultConfig() Config {
	return Config{
		Source:      "/dev/video0",
		Width:       640,
		Height:      480,
		Rate:        30,
		Controls:    Controls{Lock: true},
		StaleAfter:  500 * time.Millisecond,
		FrozenAfter: 15,
		Retry:       500 * time.Millisecond,
	}
}

// Validate names the key that is out of its range.
func (c *Config) Validate() error {
	switch {
	case c.Source == "":
		return errors.New("source: is empty")
	case c.Width < 1 || c.Width > 8192:
		return fmt.Errorf("width_px: %d is not 1 to 8192", c.Width)
	case c.Height < 1 || c.Height > 8192:
		return fmt.Errorf("height_px: %d is not 1 to 8192", c.Height)
	case !(c.Rate > 0 && c.Rate <= 1000):
		return fmt.Errorf("rate_hz: %g is not above 0 and at most 1000", c.Rate)
	case c.Format != "" && len(c.Format) != 4:
		return fmt.Errorf("format: %q is not a four-character code", c.Format)
	case c.StaleAfter <= 0:
		return fmt.Errorf("stale_after: %v is not above 0", c.StaleAfter)
	case c.FrozenAfter < 0 || c.FrozenAfter == 1:
		return fmt.Errorf("frozen_after_frames: %d is not 0 (never) or at least 2", c.FrozenAfter)
	case c.Retry <= 0:
		return fmt.Errorf("retry: %v is not above 0", c.Retry)
	}
	if err := c.Controls.validate(); err != nil {
		return fmt.Errorf("controls: %w", err)
	}
	return nil
}

func (c *Controls) validate() error {
	if c.Exposure != nil && *c.Exposure < exposureStep {
		return fmt.Errorf("exposure: %v is below %v", *c.Exposure, exposureStep)
	}
	if hz := c.PowerLine; hz != nil && *hz != 0 && *hz != 50 && *hz != 60 {
		return fmt.Errorf("power_line_hz: %d is not 0, 50 or 60", *hz)
	}
	return nil
}
