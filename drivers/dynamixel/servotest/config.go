package servotest

import (
	"fmt"
	"time"

	"twinrig/drivers/dynamixel"
)

// Config is a chain's wire and what its servos have in common.
type Config struct {
	// Baud is the line's rate in bit/s. A servo whose Baud Rate register says
	// otherwise hears nothing.
	Baud int `yaml:"baud"`
	// ReplyGap is what a servo takes to answer, without its Return Delay Time.
	ReplyGap time.Duration `yaml:"reply_gap"`
	// Latency is the USB adapter's latency timer: the host gets the bytes of a
	// burst this long after its last byte, the worst phase of a real one.
	Latency time.Duration `yaml:"latency"`
	// Step is the period of the servos' inner loop.
	Step time.Duration `yaml:"step"`
	// LaterAnswer lets servos answer a sync or bulk read although one before
	// them stayed silent. Reports disagree; the maker says they do not.
	LaterAnswer bool `yaml:"later_answer"`
	// WatchdogHearsAll lets every packet on the bus feed every servo's Bus
	// Watchdog, not only those that address it. The e-manual does not say.
	WatchdogHearsAll bool `yaml:"watchdog_hears_all"`
	// Seed draws the faults of the line.
	Seed uint64 `yaml:"seed"`
}

// Default is an Interbotix arm on a U2D2 with its latency timer at 1 ms.
func Default() Config {
	return Config{
		Baud:     1_000_000,
		ReplyGap: 20 * time.Microsecond,
		Latency:  time.Millisecond,
		Step:     time.Millisecond,
	}
}

// Validate names the key that is wrong and its limit.
func (c *Config) Validate() error {
	if _, ok := dynamixel.CodeFromBaud(c.Baud); !ok {
		return fmt.Errorf("baud: %d is no rate of the servos", c.Baud)
	}
	for _, d := range []struct {
		key       string
		v, lo, hi time.Duration
	}{
		{"reply_gap", c.ReplyGap, 0, 10 * time.Millisecond},
		{"latency", c.Latency, 0, 255 * time.Millisecond},
		{"step", c.Step, 100 * time.Microsecond, 20 * time.Millisecond},
	} {
		if d.v < d.lo || d.v > d.hi {
			return fmt.Errorf("%s: %v is outside %v to %v", d.key, d.v, d.lo, d.hi)
		}
	}
	return nil
}

// byteTime is 10 bits.
func (c *Config) byteTime(n int) time.Duration {
	return time.Duration(n) * 10 * time.Second / time.Duration(c.Baud)
}
