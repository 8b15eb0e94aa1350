package dynamixel

import (
	"fmt"
	"time"
)

// Config is what a Bus must know of its line, and how patient it is.
type Config struct {
	// Baud is the line's rate in bit/s.
	Baud int `yaml:"baud"`
	// ReplyGap is the longest that a servo waits before it answers, its
	// Return Delay Time included.
	ReplyGap time.Duration `yaml:"reply_gap"`
	// Latency is the USB adapter's latency timer.
	Latency time.Duration `yaml:"latency"`
	// Allowance is what a transaction gets above its time on the wire, for
	// the host's own delays, before it counts as timed out. The retries of a
	// group read are within it: it is what a silent servo costs a cycle.
	Allowance time.Duration `yaml:"allowance"`
	// Retries is how often a transaction is tried again. In a group read only
	// the servos whose answers came damaged are asked again, and only if there
	// is time.
	Retries int `yaml:"retries"`
	// FactoryReset permits Bus.FactoryReset. It is for the bench, not for an
	// arm's configuration.
	FactoryReset bool `yaml:"factory_reset,omitempty"`
}

// Default is an Interbotix arm on a U2D2 with its latency timer at 1 ms.
func Default() Config {
	return Config{
		Baud:      1_000_000,
		ReplyGap:  50 * time.Microsecond,
		Latency:   time.Millisecond,
		Allowance: 2700 * time.Microsecond,
		Retries:   1,
	}
}

// Validate names the key that is wrong and its limit.
func (c *Config) Validate() error {
	if _, ok := CodeFromBaud(c.Baud); !ok {
		return fmt.Errorf("baud: %d is none of %v", c.Baud, bauds)
	}
	for _, d := range []struct {
		key string
		v   time.Duration
		hi  time.Duration
	}{
		{"reply_gap", c.ReplyGap, 10 * time.Millisecond},
		{"latency", c.Latency, 255 * time.Millisecond},
		{"allowance", c.Allowance, time.Second},
	} {
		if d.v < 0 || d.v > d.hi {
			return fmt.Errorf("%s: %v is outside 0s to %v", d.key, d.v, d.hi)
		}
	}
	if c.Retries < 0 || c.Retries > 10 {
		return fmt.Errorf("retries: %d is outside 0 to 10", c.Retries)
	}
	return nil
}

// Wire returns the line's time budget.
func (c *Config) Wire() Wire {
	return Wire{Baud: c.Baud, ReplyGap: c.ReplyGap, Latency: c.Latency}
}
