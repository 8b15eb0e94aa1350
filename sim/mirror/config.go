package mirror

import (
	"fmt"
	"time"
)

// Config says how the mirror follows and how often it compares.
type Config struct {
	// Every is the least time between two comparisons: 200 ms is each control
	// step of a 5 Hz policy, 0 each report.
	Every time.Duration `yaml:"every"`
	// Control is the time between two calls of the Watcher.
	Control time.Duration `yaml:"control"`
	// Queue is how many reports may wait before Put drops them.
	Queue int `yaml:"queue"`
	// Diverged is the distance in m at which mirror and arm have parted.
	Diverged float64 `yaml:"diverged_m"`
}

// DefaultConfig compares at 5 Hz and lets 4096 reports wait.
func DefaultConfig() Config {
	return Config{Every: 200 * time.Millisecond, Control: 200 * time.Millisecond, Queue: 4096, Diverged: 0.020}
}

// Validate names the first key whose value is impossible, and its limit.
func (c *Config) Validate() error {
	switch {
	case c.Every < 0:
		return fmt.Errorf("every: %v must not be negative", c.Every)
	case c.Control <= 0:
		return fmt.Errorf("control: %v must be more than 0", c.Control)
	case c.Queue < 1 || c.Queue > 1<<20:
		return fmt.Errorf("queue: %d is outside 1 to %d", c.Queue, 1<<20)
	case !(c.Diverged > 0 && c.Diverged <= 1):
		return fmt.Errorf("diverged_m: %g is outside 0 to 1", c.Diverged)
	}
	return nil
}
