package mirror

import (
	"errors"
	"fmt"
	"time"

	"twinrig"
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

// Law is how the mirrored arm's loop is closed, and so the mirror's.
type Law struct {
	Mode twinrig.Mode
	// Gains are the host's, for ModeTorque.
	Gains twinrig.Gains
	// Stiffness is the servos', Nm/rad, for ModePosition. A replay adds gravity
	// by it, as the host does; what a live arm was sent has that in it.
	Stiffness twinrig.Joints
}

func (l *Law) validate() error {
	if l.Mode == twinrig.ModeTorque && l.Gains == (twinrig.Gains{}) {
		return errors.New("torque mode without gains")
	}
	return nil
}

// effort fills in ModeTorque's effort for the twin's own state.
func (l *Law) effort(c *twinrig.Command, s *twinrig.State, kin kinematics) {
	if l.Mode == twinrig.ModeTorque {
		c.Effort = l.Gains.Effort(&c.Goal, s, kin.Gravity(s.Measured))
	}
}
