package policy

import (
	"fmt"
	"time"

	"twinrig"
)

// Config is how strictly a policy's answers are taken.
type Config struct {
	// Ahead is how many goals may still be waiting when the next chunk is
	// asked for: 0 asks when the last one begins, 1 a step earlier. Chunking
	// other than sequential asks at the latest then.
	Ahead int `yaml:"ahead"`
	// Chunking says what becomes of goals that still wait when an answer comes.
	Chunking Chunking `yaml:"chunking"`
	// EnsembleDecay is m of temporal ensembling: the i-th prediction of an action,
	// the oldest first, weighs exp(-m i) (Zhao et al. 2023, ACT).
	EnsembleDecay float64 `yaml:"ensemble_decay"`
	// Timeout is when an unanswered request is given up. Its answer is not
	// used, however soon after that it comes.
	Timeout time.Duration `yaml:"timeout"`
	// MaxTranslation and MaxRotation bound each number of one action, of an
	// absolute pose the way from the one before.
	MaxTranslation float64 `yaml:"max_translation_m"`
	MaxRotation    float64 `yaml:"max_rotation_rad"`
	// MaxJointStep is the most one joint may turn in one control step.
	MaxJointStep float64 `yaml:"max_joint_step_rad"`
	// MaxUnreachable control steps in a row whose target cannot be reached,
	// and MaxRefused chunks in a row that were refused, are a fault.
	MaxUnreachable int `yaml:"max_unreachable"`
	MaxRefused     int `yaml:"max_refused"`
}

// Limits of one control step, for a Composer.
type Limits struct {
	// Translation (m) and Rotation (rad) are the most that an absolute pose may
	// be from the target before it. A delta's numbers are bounded one by one
	// where its chunk is checked.
	Translation, Rotation float64
	// JointStep is the most that a joint may turn, rad.
	JointStep float64
}

// Suits names what keeps a policy that promises s from being driven so.
func (c Config) Suits(s Spec) error {
	if err := s.Validate(); err != nil {
		return err
	}
	if err := c.Validate(); err != nil {
		return err
	}
	if c.Chunking == Ensemble && s.Space == EEPose {
		return fmt.Errorf("policy: chunking %s has no mean of the rotations of %s: use %s", Ensemble, EEPose, RealTime)
	}
	return nil
}

// way tells why a pose is too far from the one before it.
func (l Limits) way(from, to twinrig.Pose) error {
	if dist, angle := from.Gap(to); dist > l.Translation+slack || angle > l.Rotation+slack {
		return fmt.Errorf("it is %.0f mm and %.2f rad from the one before, must be at most %.0f mm and %.2f rad",
			1000*dist, angle, 1000*l.Translation, l.Rotation)
	}
	return nil
}

// turn tells why joints are too far from those before.
func (l Limits) turn(from, to twinrig.Joints) error {
	if step := to.Sub(from).MaxAbs(); step > l.JointStep+slack {
		return fmt.Errorf("a joint would turn %.2f rad in one step, must be at most %.2f", step, l.JointStep)
	}
	return nil
}

// Limits are the configured ones.
func (c *Config) Limits() Limits {
	return Limits{Translation: c.MaxTranslation, Rotation: c.MaxRotation, JointStep: c.MaxJointStep}
}

// Chunking is how one answer follows another.
type Chunking string

const (
	// Sequential executes Spec.Execute actions of an answer, then those of the
	// next, which begins where the one before ended.
	Sequential Chunking = "sequential"
	// RealTime asks anew after Spec.Execute actions and goes on with the old
	// answer meanwhile; the new one takes over after as many actions as inference
	// is expected to take. The policy is told those (Observation.Prefix), so that it
	// can begin with them (Black et al. 2025, real-time action chunking).
	RealTime Chunking = "realtime"
	// Ensemble asks at every step and executes the weighted mean of all that was
	// predicted for it.
	Ensemble Chunking = "ensemble"
)

// DefaultConfig has the limits of the Bridge service environment: 0.05 m and
// 0.25 rad per step.
func DefaultConfig() Config {
	return Config{
		Ahead:          0,
		Chunking:       Sequential,
		EnsembleDecay:  0.01,
		Timeout:        2 * time.Second,
		MaxTranslation: 0.05,
		MaxRotation:    0.25,
		MaxJointStep:   0.6,
		MaxUnreachable: 10,
		MaxRefused:     5,
	}
}

// Validate names the first key that is out of range.
func (c Config) Validate() error {
	switch {
	case c.Ahead < 0 || c.Ahead > 64:
		return fmt.Errorf("policy: ahead is %d, must be 0 to 64", c.Ahead)
	case c.Chunking != Sequential && c.Chunking != RealTime && c.Chunking != Ensemble:
		return fmt.Errorf("policy: chunking is %q, must be %s, %s or %s", c.Chunking, Sequential, RealTime, Ensemble)
	case !(c.EnsembleDecay >= 0 && c.EnsembleDecay <= 10):
		return fmt.Errorf("policy: ensemble_decay is %g, must be 0 to 10", c.EnsembleDecay)
	case c.Timeout < 10*time.Millisecond || c.Timeout > time.Minute:
		return fmt.Errorf("policy: timeout is %v, must be 10ms to 1m", c.Timeout)
	case !(c.MaxTranslation > 0 && c.MaxTranslation <= 0.2):
		return fmt.Errorf("policy: max_translation_m is %g, must be above 0, at most 0.2", c.MaxTranslation)
	case !(c.MaxRotation > 0 && c.MaxRotation <= 1):
		return fmt.Errorf("policy: max_rotation_rad is %g, must be above 0, at most 1", c.MaxRotation)
	case !(c.MaxJointStep > 0 && c.MaxJointStep <= 1.5):
		return fmt.Errorf("policy: max_joint_step_rad is %g, must be above 0, at most 1.5", c.MaxJointStep)
	case c.MaxUnreachable < 1:
		return fmt.Errorf("policy: max_unreachable is %d, must be at least 1", c.MaxUnreachable)
	case c.MaxRefused < 1:
		return fmt.Errorf("policy: max_refused is %d, must be at least 1", c.MaxRefused)
	}
	return nil
}
