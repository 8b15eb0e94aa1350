package policy

import (
	"fmt"
	"math"

	"twinrig"
)

// Reason is why a chunk was refused.
type Reason uint8

// The reasons, in the order they are looked for.
const (
	ReasonError Reason = iota // the policy returned an error
	ReasonLate                // no answer in time
	ReasonShort               // fewer actions than the horizon
	ReasonLong                // more actions than the horizon
	ReasonNaN                 // a number is NaN or infinite
	ReasonRange               // a number is out of range
	ReasonSeam                // it begins too far from what it follows
	NumReasons                // how many reasons there are
)

var reasonNames = [NumReasons]string{"error", "late", "short", "long", "nan", "range", "seam"}

// String returns the word used in files.
func (r Reason) String() string {
	if r < NumReasons {
		return reasonNames[r]
	}
	return fmt.Sprintf("reason_%d", uint8(r))
}

// slack lets a limit itself pass after rounding through float32.
const slack = 1e-6

// Check judges a whole chunk as a Broker does; the error says what is wrong with it.
func Check(c Chunk, s Spec, cfg *Config) (Reason, error) {
	if n := len(c); n < s.Horizon {
		return ReasonShort, fmt.Errorf("chunk has %d actions, the horizon is %d", n, s.Horizon)
	} else if n > s.Horizon {
		return ReasonLong, fmt.Errorf("chunk has %d actions, the horizon is %d", n, s.Horizon)
	}
	names := s.Space.Names()
	for i, a := range c {
		for k, v := range a {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return ReasonNaN, fmt.Errorf("action %d: %s is %g", i, names[k], v)
			}
		}
	}
	for i, a := range c {
		for k, v := range a {
			lo, hi := 0.0, 1.0
			if k != twinrig.GripAxis {
				hi = s.Space.bound(k, cfg)
				lo = -hi
			}
			if v < lo-slack || v > hi+slack {
				return ReasonRange, fmt.Errorf("action %d: %s is %g, must be %g to %g", i, names[k], v, lo, hi)
			}
		}
	}
	if err := jumps(c, s.Space, cfg); err != nil {
		return ReasonRange, err
	}
	return NumReasons, nil
}

// jumps finds a place that is farther from the one before it than one step may go. How
// far the first is from where the arm is, the Composer judges, as it does of motions.
func jumps(c Chunk, s Space, cfg *Config) error {
	for i := 1; i < len(c) && !s.Relative(); i++ {
		var err error
		if s == EEPose {
			from, _ := PoseFromState(BridgeState(c[i-1]))
			to, _ := PoseFromState(BridgeState(c[i]))
			err = cfg.Limits().way(from, to)
		} else {
			err = cfg.Limits().turn(joints(c[i-1]), joints(c[i]))
		}
		if err != nil {
			return fmt.Errorf("action %d: %w", i, err)
		}
	}
	return nil
}
