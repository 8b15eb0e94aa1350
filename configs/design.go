package configs

import (
	"errors"
	"fmt"
	"slices"
)

// Design is what makes a plan of trials a study that can be believed.
type Design struct {
	// Blind hides from the operator which policy is which until the study is
	// closed.
	Blind bool `yaml:"blind"`
	// Primary is the metric that is tested: sr.
	Primary string `yaml:"primary"`
	Stop    Stop   `yaml:"stop"`
	// Guess are two true success rates, for the plan to say how likely it is to
	// tell them apart; empty: it says what difference it can find.
	Guess []float64 `yaml:"guess,omitempty,flow"`
	// MaxAttempts bounds how often one trial is run until it counts.
	MaxAttempts int `yaml:"max_attempts"`
}

// Stop says when the study ends.
type Stop struct {
	// Rule is fixed (all trials are run) or e-process (the evidence of one
	// policy being better may end it at any pair; all trials are the most).
	Rule string `yaml:"rule"`
	// Test is what the e-process looks at: paired (on the same placement) or
	// unpaired. Alpha bounds its errors. Between are the two policies, needed
	// if there are more.
	Test    string   `yaml:"test"`
	Alpha   float64  `yaml:"alpha"`
	Between []string `yaml:"between,omitempty,flow"`
}

// The stop rules.
const (
	FixedStop    = "fixed"
	EProcessStop = "e-process"
)

// DefaultDesign is an open study of a fixed number of trials.
func DefaultDesign() Design {
	return Design{Primary: "sr", Stop: Stop{Rule: FixedStop, Test: "paired", Alpha: 0.05}, MaxAttempts: 3}
}

func (d *Design) validate(policies []string) error {
	switch {
	case d.Primary != "sr":
		return fmt.Errorf("primary: %q is not sr: it is what the tests are about", d.Primary)
	case d.MaxAttempts < 1 || d.MaxAttempts > 100:
		return fmt.Errorf("max_attempts: %d is outside 1 to 100", d.MaxAttempts)
	case len(d.Guess) != 0 && len(d.Guess) != 2:
		return fmt.Errorf("guess: %d numbers, must be two success rates", len(d.Guess))
	}
	for _, p := range d.Guess {
		if !(p >= 0 && p <= 1) {
			return fmt.Errorf("guess: %g is outside 0 to 1", p)
		}
	}
	if err := d.Stop.validate(policies); err != nil {
		return fmt.Errorf("stop: %w", err)
	}
	return nil
}

func (s *Stop) validate(policies []string) error {
	switch {
	case s.Rule != FixedStop && s.Rule != EProcessStop:
		return fmt.Errorf("rule: %q is neither %s nor %s", s.Rule, FixedStop, EProcessStop)
	case s.Test != "paired" && s.Test != "unpaired":
		return fmt.Errorf("test: %q is neither paired nor unpaired", s.Test)
	case !(s.Alpha > 0 && s.Alpha < 0.5):
		return fmt.Errorf("alpha: %g is outside 0 to 0.5", s.Alpha)
	case s.Rule == FixedStop:
		return nil
	case len(s.Between) == 0 && len(policies) != 2:
		return fmt.Errorf("between: must name two of the %d policies", len(policies))
	case len(s.Between) != 0 && (len(s.Between) != 2 || s.Between[0] == s.Between[1]):
		return errors.New("between: must name two different policies")
	}
	for _, p := range s.Between {
		if !slices.Contains(policies, p) {
			return fmt.Errorf("between: %q is none of %v", p, policies)
		}
	}
	return nil
}
