package widowx_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
	"twinrig/drivers/widowx"
)

// gripped is an arm whose fingers have closed on something 40 mm wide.
func gripped(t *testing.T) (*rig, twinrig.Command) {
	s := defaults(twinrig.ModePosition)
	r := enabled(t, s)
	w := &r.joints.Flywheels[twinrig.GripAxis]
	w.Low, w.High = s.cal.Gripper.Angle(0.020), 1.2
	cmd := r.stay()
	cmd.Grip = 0
	_, err := r.cycles(200, cmd)
	require.NoError(t, err)
	require.EqualValues(t, 247, r.get(9, dynamixel.GoalPWM))
	return r, cmd
}

// What is held is held with less after a while, and let go with all again.
func TestHoldingForceIsReduced(t *testing.T) {
	r, cmd := gripped(t)
	s, err := r.cycles(1000, cmd)
	require.NoError(t, err)
	require.EqualValues(t, 177, r.get(9, dynamixel.GoalPWM))
	require.InDelta(t, -0.2, s.Load[1], 0.002)
	cmd.Grip = 0.8
	s, err = r.cycles(300, cmd)
	require.NoError(t, err)
	require.InDelta(t, 0.8, float64(s.Grip), 0.05)
	require.EqualValues(t, 247, r.get(9, dynamixel.GoalPWM))
}

// A gripper that gets warm gives way before it shuts down and lets go.
func TestGripperKeepsItsTemperatureBudget(t *testing.T) {
	r, cmd := gripped(t)
	for _, c := range []struct {
		temperature float64
		pwm         int32
	}{{55, 177}, {61, 128}, {70, 71}, {40, 177}} {
		r.servo(9, func(s *servotest.Servo) { s.SetSupply(12, c.temperature) })
		_, err := r.cycles(1500, cmd)
		require.NoError(t, err)
		require.InDelta(t, c.pwm, r.get(9, dynamixel.GoalPWM), 3, "at %v C", c.temperature)
	}
	require.Contains(t, r.arm.Status().Notes, "id 9 (gripper): warm, it holds with less")
}

// A gripper that does not move is a fault, told once, with load and position; one
// that holds something, or is where it should be, is none.
func TestGripperMakesProgressOrSaysSo(t *testing.T) {
	told := func(r *rig, cmd twinrig.Command, n int) (said []error) {
		for range n {
			if _, err := r.read(); err != nil {
				require.NoError(t, err)
			}
			if _, err := r.arm.Write(r.clock.Now(), cmd); err != nil {
				require.ErrorIs(t, err, twinrig.ErrHold)
				said = append(said, err)
			}
			r.advance(2 * time.Millisecond)
		}
		return said
	}
	// Jammed, it cannot open.
	r := enabled(t, defaults(twinrig.ModePosition))
	require.NoError(t, r.chain.Inject(servotest.Fault{Kind: servotest.Stuck, IDs: []int{9}}))
	cmd := r.stay()
	cmd.Grip = 1
	said := told(r, cmd, 1000)
	require.Len(t, said, 1)
	require.ErrorIs(t, said[0], widowx.ErrGripper)
	require.ErrorContains(t, said[0], "goal 74.0 mm, load 28 %, no progress for 1.5 s")
	cmd.Grip = 0.9
	require.Len(t, told(r, cmd, 1000), 1, "another goal, another word")

	// Its motor does nothing: it neither moves nor pushes.
	r = enabled(t, defaults(twinrig.ModePosition))
	cmd = r.stay()
	cmd.Grip = 0
	r.servo(9, func(s *servotest.Servo) { s.Set(dynamixel.PositionPGain, 0) })
	said = told(r, cmd, 1000)
	require.Len(t, said, 1)
	require.ErrorContains(t, said[0], "load 0 %")

	r, cmd = gripped(t)
	require.Empty(t, told(r, cmd, 3000), "it holds")
	cmd.Grip = 0.7
	require.Empty(t, told(r, cmd, 3000), "it is there")
}
