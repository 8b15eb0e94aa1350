package armtest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
)

// Fixture is one fresh arm, brought up and with torque off, standing still
// somewhere at least 0.3 rad inside its limits with the gripper about half
// open, and free to move 0.2 rad any way.
type Fixture struct {
	Arm  twinrig.Arm
	Mode twinrig.Mode
	// Now is the arm's clock; Advance lets d of it pass.
	Now     func() time.Duration
	Advance func(d time.Duration)
	// Period is the control period, without the time that the arm's own
	// reading and writing take.
	Period time.Duration
	// Limits and EffortLimit are what the arm itself clips to: rad, and Nm of
	// the joints with current control.
	Limits      twinrig.Limits
	EffortLimit twinrig.Joints
	// Gains close the loop in ModeTorque; Gravity is the torque in Nm that
	// holds the arm still at q, nil where nothing pulls.
	Gains   twinrig.Gains
	Gravity func(q twinrig.Joints) twinrig.Joints
	// Tolerance is how exactly, in rad, a joint reaches and holds its goal.
	// It is well below 0.05.
	Tolerance float64
}

// Settle is how long the suite gives a motion of at most 0.2 rad.
const Settle = 1500 * time.Millisecond

// rig is a Fixture with the few moves that the tests are made of.
type rig struct {
	Fixture
	t *testing.T
}

func (r *rig) read() twinrig.State {
	r.t.Helper()
	var s twinrig.State
	require.NoError(r.t, r.Arm.Read(r.Now(), &s))
	return s
}

func (r *rig) enable() twinrig.State {
	r.t.Helper()
	r.read()
	require.NoError(r.t, r.Arm.Enable())
	return r.read()
}

// command is what the loop would send for goal at state s.
func (r *rig) command(goal twinrig.Goal, s *twinrig.State) twinrig.Command {
	c := twinrig.Command{Goal: goal}
	if r.Mode == twinrig.ModeTorque {
		var g twinrig.Joints
		if r.Gravity != nil {
			g = r.Gravity(s.Measured)
		}
		c.Effort = r.Gains.Effort(&goal, s, g)
	}
	return c
}

// follow runs the loop on goal for d and calls each, if any, with every state.
func (r *rig) follow(goal twinrig.Goal, d time.Duration, each func(*twinrig.State)) twinrig.State {
	r.t.Helper()
	var s twinrig.State
	for end := r.Now() + d; r.Now() < end; {
		s = r.tick(goal)
		if each != nil {
			each(&s)
		}
	}
	return s
}

func (r *rig) tick(goal twinrig.Goal) twinrig.State {
	r.t.Helper()
	s := r.read()
	_, err := r.Arm.Write(r.Now(), r.command(goal, &s))
	require.NoError(r.t, err)
	r.Advance(r.Period)
	return s
}

// hold is the goal of staying where s is.
func hold(s *twinrig.State) twinrig.Goal {
	return twinrig.Goal{Joints: s.Measured, Grip: s.Grip}
}

// requireAt says which joint is not at want.
func (r *rig) requireAt(want twinrig.Joints, s *twinrig.State) {
	r.t.Helper()
	for i := range want {
		require.InDelta(r.t, want[i], s.Measured[i], r.Tolerance, twinrig.AxisNames[i])
	}
}
