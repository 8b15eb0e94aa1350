package widowx_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
)

// Whichever way round reversed servos count their currents and velocities, a
// torque goes to the joint as asked and is measured as it is.
func TestEffortOfReversedServos(t *testing.T) {
	for name, plain := range map[string]bool{"reversed": false, "plain": true} {
		t.Run(name, func(t *testing.T) {
			s := defaults(twinrig.ModeTorque)
			s.params.PlainReverse = plain
			r := enabled(t, s)
			cmd := r.stay()
			cmd.Effort = twinrig.Joints{0.31, 0.62, 0.73, 0.14, 0.25}
			sent, err := r.arm.Write(r.clock.Now(), cmd)
			require.NoError(t, err)
			r.advance(10 * time.Millisecond)
			state, err := r.read()
			require.NoError(t, err)
			for i := range twinrig.WristRotate {
				require.InDelta(t, cmd.Effort[i], sent.Effort[i], 0.01, twinrig.AxisNames[i])
				require.InDelta(t, cmd.Effort[i], state.Effort[i], 0.01, twinrig.AxisNames[i])
				require.Positive(t, r.joints.Flywheels[i].Speed, twinrig.AxisNames[i])
				require.Positive(t, state.Velocity[i], twinrig.AxisNames[i])
			}
		})
	}
}

// An arm whose servos cannot be told apart in this gets no torque by current; in
// position mode it may hold, and says so.
func TestSenseUntold(t *testing.T) {
	for _, mode := range []twinrig.Mode{twinrig.ModePosition, twinrig.ModeTorque} {
		s := defaults(mode)
		r := build(t, s)
		for _, id := range []int{3, 5} { // no room to lean
			at := r.get(id, dynamixel.PresentPosition)
			r.servo(id, set(dynamixel.MinPositionLimit, at))
			r.servo(id, set(dynamixel.MaxPositionLimit, at))
		}
		require.NoError(t, r.arm.Open())
		err := r.arm.Enable()
		if mode == twinrig.ModePosition {
			require.NoError(t, err)
			require.Contains(t, r.arm.Status().Notes[0], "id 3 (shoulder shadow) leans against its pair by 12 ticks")
			continue
		}
		require.ErrorContains(t, err, "id 3 (shoulder shadow) leans against its pair")
		r.requireNoTorque()
	}
}

// Servos that differ in it are not to be trusted.
func TestSensesDiffer(t *testing.T) {
	s := defaults(twinrig.ModeTorque)
	s.each = func(id int, p *servotest.Params) { p.PlainReverse = id == 5 }
	r := build(t, s)
	require.NoError(t, r.arm.Open())
	require.ErrorContains(t, r.arm.Enable(), "id 5 (elbow shadow) counts its currents the other way round")
	r.requireNoTorque()
}

// From holding in position mode to current mode the arm does not drop, though
// nobody writes: each servo goes on with the current that it held with.
func TestHandOverCarries(t *testing.T) {
	r, bus := hooked(t, defaults(twinrig.ModeTorque))
	const load = 1.7 // Nm, on the shoulder, once it has all its torque
	n := 0
	bus.before = func(what string) {
		if strings.HasPrefix(what, "3 goal_position") {
			if n++; n == 3 {
				r.joints.Flywheels[twinrig.Shoulder].Load = -load
			}
		}
	}
	require.NoError(t, r.arm.Enable())
	require.GreaterOrEqual(t, n, 3)
	before := r.joints.Flywheels[twinrig.Shoulder].Angle
	r.advance(20 * time.Millisecond)
	state, err := r.read()
	require.NoError(t, err)
	require.InDelta(t, load, state.Effort[twinrig.Shoulder], 0.3)                // while it still swings a little
	require.InDelta(t, before, r.joints.Flywheels[twinrig.Shoulder].Angle, 0.03) // the swing; dropped, it is at 0.14
	for id := 1; id <= 7; id++ {
		require.EqualValues(t, dynamixel.ModeCurrent, r.get(id, dynamixel.OperatingMode))
	}
}

// A Halt that comes while servos go over leaves none with torque. It waits where the
// packets of a change follow each other, so it comes from another goroutine, as a
// signal's does.
func TestHaltDuringHandOver(t *testing.T) {
	for at, nth := range map[string]int{
		"3 goal_position": 3, // leaning
		"block 102":       1, // the currents, after the torque
		"block 11":        1, // the mode, without torque
	} {
		r, bus := hooked(t, defaults(twinrig.ModeTorque))
		halted := make(chan error, 1)
		n := 0
		bus.before = func(what string) {
			if strings.HasPrefix(what, at) {
				if n++; n == nth {
					bus.before = func(string) {}
					go func() { halted <- r.arm.Halt() }()
				}
			}
		}
		err := r.arm.Enable()
		require.NoError(t, <-halted, at)
		if err != nil { // else it came just after the last of Enable's packets
			require.ErrorIs(t, err, twinrig.ErrHalted, at)
		}
		r.requireNoTorque()
	}
}
