// Package scripted is a pick-and-place expert that is told where things are and
// sees nothing but the arm's own joints and gripper. It stands in for a learned
// policy on a rig without a GPU, and it speaks the same language: chunks of
// Bridge deltas at 5 Hz.
//
// What it knows is what an operator is told to set up (Task); what the world
// does with it, it has to find out by feel. Lengths are metres, angles rad,
// positions in the arm base frame B with the table at z = 0.
package scripted

import (
	"fmt"
	"math"
)

// Source is the object to pick, as the operator was told to place it.
type Source struct {
	X, Y, Yaw float64
	// Height is from the table to its top. Width is its extent along its own
	// y axis, which the fingers close on.
	Height, Width float64
	// Symmetry is how many turns about z within a full one look the same to
	// the fingers: 4 for a square, 2 for an oblong, 0 for a round thing.
	Symmetry int
}

// Target is where to put it: a place or a vessel with its rim this high over
// the table.
type Target struct{ X, Y, Rim float64 }

// Task is what the operator was told.
type Task struct {
	Source Source
	Target Target
}

// Skill is how the expert goes about it. The zero value of the last four fields
// is a steady hand.
type Skill struct {
	// Travel, Approach and Turn bound one control step: m, m, rad.
	Travel   float64 `yaml:"travel_m"`
	Approach float64 `yaml:"approach_m"`
	Turn     float64 `yaml:"turn_rad"`
	// Hover is the pinch point's height over the source's top before the
	// descent, Carry its least height over the table on the way.
	Hover float64 `yaml:"hover_m"`
	Carry float64 `yaml:"carry_m"`
	// Tolerance is how near the measured hand must be to where it should be
	// before the next phase.
	Tolerance float64 `yaml:"tolerance_m"`
	// Retries is how often it tries again after closing on nothing.
	Retries int `yaml:"retries"`

	// AimSigma and YawSigma are the standard deviations of its aim, drawn anew
	// for each approach.
	AimSigma float64 `yaml:"aim_sigma_m"`
	YawSigma float64 `yaml:"yaw_sigma_rad"`
	// Rush skips the checks of where the hand is.
	Rush bool `yaml:"rush"`
	// EarlyRelease is the chance that it opens the gripper on the way.
	EarlyRelease float64 `yaml:"early_release_share"`
}

// Config is one trial's expert. The same Config and the same observations give
// the same actions.
type Config struct {
	Task  Task
	Skill Skill
	Seed  uint64
}

// Expert is a steady hand.
func Expert() Skill {
	return Skill{
		Travel: 0.04, Approach: 0.025, Turn: 0.2,
		Hover: 0.06, Carry: 0.12, Tolerance: 0.003, Retries: 1,
	}
}

// Clumsy aims badly, rushes, and sometimes lets go too early.
func Clumsy() Skill {
	s := Expert()
	s.Travel, s.Approach = 0.048, 0.04
	s.AimSigma, s.YawSigma = 0.010, 0.15
	s.Rush, s.EarlyRelease = true, 0.15
	return s
}

// Validate names the first key that is out of range.
func (s Skill) Validate() error {
	for _, k := range []struct {
		key           string
		v, least, max float64
	}{
		{"travel_m", s.Travel, 0.001, 0.05},
		{"approach_m", s.Approach, 0.001, 0.05},
		{"turn_rad", s.Turn, 0.01, 0.25},
		{"hover_m", s.Hover, 0.02, 0.2},
		{"carry_m", s.Carry, 0.02, 0.3},
		{"tolerance_m", s.Tolerance, 0.0005, 0.05},
		{"retries", float64(s.Retries), 0, 10},
		{"aim_sigma_m", s.AimSigma, 0, 0.1},
		{"yaw_sigma_rad", s.YawSigma, 0, math.Pi},
		{"early_release_share", s.EarlyRelease, 0, 1},
	} {
		if !(k.v >= k.least && k.v <= k.max) {
			return fmt.Errorf("scripted: %s is %g, must be %g to %g", k.key, k.v, k.least, k.max)
		}
	}
	return nil
}

// Validate refuses what cannot be a task for this arm.
func (t Task) Validate() error {
	for _, k := range []struct {
		what          string
		v, least, max float64
	}{
		{"source x", t.Source.X, -0.6, 0.6},
		{"source y", t.Source.Y, -0.6, 0.6},
		{"source yaw", t.Source.Yaw, -2 * math.Pi, 2 * math.Pi},
		{"source height", t.Source.Height, 0.001, 0.3},
		{"source width", t.Source.Width, 0.001, 0.074},
		{"source symmetry", float64(t.Source.Symmetry), 0, 360},
		{"target x", t.Target.X, -0.6, 0.6},
		{"target y", t.Target.Y, -0.6, 0.6},
		{"target rim", t.Target.Rim, 0, 0.3},
	} {
		if !(k.v >= k.least && k.v <= k.max) {
			return fmt.Errorf("scripted: %s is %g, must be %g to %g", k.what, k.v, k.least, k.max)
		}
	}
	return nil
}
