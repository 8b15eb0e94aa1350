package scene

import (
	"fmt"
	"math"

	"twinrig"
	"twinrig/sim"
)

// RuleVersion names the rules below; it stands beside every outcome. Change it
// with any change of a rule or a default.
const RuleVersion = "1"

// Rules are the judge's numbers: m, rad, N, control steps.
type Rules struct {
	// Dwell is for how many control steps in a row the predicate must hold.
	Dwell int `yaml:"dwell_steps"`
	// MinForce is the normal force above which two bodies touch.
	MinForce float64 `yaml:"min_force_n"`
	// Relation also asks for the geometry of the relation. Strict also forbids
	// that the source touches anything but the target. Upright also asks that
	// the target stands on the table, leaning less than Lean.
	Relation bool    `yaml:"relation"`
	Strict   bool    `yaml:"strict"`
	Upright  bool    `yaml:"upright"`
	Lean     float64 `yaml:"lean_rad"`
	// HoldSteps and Lift define a pick-up: both fingers touch the source and
	// its lowest point is Lift above where it lay, for HoldSteps in a row.
	HoldSteps int     `yaml:"hold_steps"`
	Lift      float64 `yaml:"lift_m"`
	// Moved is the displacement on the table that counts as moved.
	Moved float64 `yaml:"moved_m"`
	// Near is how near the closing gripper must be to the source, and
	// ClosedMargin by how much narrower than it, to be a missed grasp.
	Near         float64 `yaml:"near_m"`
	ClosedMargin float64 `yaml:"closed_margin_m"`
	// Beside is how near to the target's outline is placed beside it.
	Beside float64 `yaml:"beside_m"`
	// Rest is the largest motion in one control step of an object at rest.
	Rest float64 `yaml:"rest_m"`
	// Collision is the force between robot and table that counts as one.
	Collision float64 `yaml:"collision_n"`
	// OpenGrip is the commanded opening from which on the gripper is told to
	// open.
	OpenGrip twinrig.Grip `yaml:"open_grip"`
}

// DefaultRules are Eq. 8 with a dwell of two control steps.
func DefaultRules() Rules {
	return Rules{
		Dwell: 2, MinForce: 0.05, Lean: 15 * math.Pi / 180,
		HoldSteps: 2, Lift: 0.020,
		Moved: 0.030, Near: 0.040, ClosedMargin: 0.005, Beside: 0.100, Rest: 0.002,
		Collision: 30, OpenGrip: 0.5,
	}
}

// Validate names the first key whose value is impossible, and its limit.
func (r *Rules) Validate() error {
	if r.Dwell < 1 || r.HoldSteps < 1 {
		return fmt.Errorf("dwell_steps %d and hold_steps %d must be at least 1", r.Dwell, r.HoldSteps)
	}
	for _, c := range []struct {
		key    string
		value  float64
		limits Range
	}{
		{"min_force_n", r.MinForce, Range{0, 1}},
		{"lean_rad", r.Lean, Range{0.01, math.Pi / 2}},
		{"lift_m", r.Lift, Range{0.005, 0.2}},
		{"moved_m", r.Moved, Range{0.001, 0.2}},
		{"near_m", r.Near, Range{0.005, 0.2}},
		{"closed_margin_m", r.ClosedMargin, Range{0, 0.02}},
		{"beside_m", r.Beside, Range{0, 0.5}},
		{"rest_m", r.Rest, Range{0.0001, 0.05}},
		{"collision_n", r.Collision, Range{1, 1000}},
		{"open_grip", float64(r.OpenGrip), Range{0.05, 0.95}},
	} {
		if err := within(c.key, c.value, c.limits); err != nil {
			return err
		}
	}
	return nil
}

// Opening is the free width in m between the finger pads.
func Opening(g twinrig.Grip) float64 { return 2 * (g.Finger() - sim.PadInset) }
