package widowx_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
	"twinrig/drivers/widowx"
)

// A loop that dies in torque mode leaves its last currents, and then none. Caught
// within the watchdog's time or after, the joints stay where they are.
func TestCatch(t *testing.T) {
	for _, after := range []time.Duration{5 * time.Millisecond, time.Second} {
		t.Run(fmt.Sprint(after), func(t *testing.T) {
			s := defaults(twinrig.ModeTorque)
			r := enabled(t, s)
			stay := r.stay()
			_, err := r.cycles(20, stay)
			require.NoError(t, err)
			r.advance(after)
			require.NoError(t, widowx.Catch(r.bus, s.cal))
			for i := range 7 { // now it pulls at every joint
				r.joints.Flywheels[i].Load = 0.15
			}
			r.advance(2 * time.Second)
			for id := 1; id <= 9; id++ {
				require.EqualValues(t, 1, r.get(id, dynamixel.TorqueEnable), "id %d", id)
				require.EqualValues(t, dynamixel.ModePosition, r.get(id, dynamixel.OperatingMode), "id %d", id)
			}
			for i, q := range startPose[:6] {
				require.InDelta(t, q, r.joints.Flywheels[i].Angle, 0.06, twinrig.AxisNames[i])
			}
		})
	}
}

func TestCatchLeavesOthersAlone(t *testing.T) {
	s := defaults(twinrig.ModeTorque)
	r := opened(t, s)
	require.NoError(t, widowx.Catch(r.bus, s.cal))
	r.requireNoTorque()
	require.EqualValues(t, dynamixel.ModeCurrent, r.get(1, dynamixel.OperatingMode))

	r = enabled(t, defaults(twinrig.ModePosition))
	before := r.get(4, dynamixel.GoalPosition)
	require.NoError(t, widowx.Catch(r.bus, s.cal))
	require.Equal(t, before, r.get(4, dynamixel.GoalPosition))
}

func TestCatchNamesWhatItCannotReach(t *testing.T) {
	s := defaults(twinrig.ModeTorque)
	r := enabled(t, s)
	r.servo(9, func(v *servotest.Servo) { v.SetSilent(true) })
	require.ErrorContains(t, widowx.Catch(r.bus, s.cal), "id 9 (gripper)")
	require.EqualValues(t, dynamixel.ModePosition, r.get(1, dynamixel.OperatingMode), "the others are caught")
	r.servo(9, func(v *servotest.Servo) { v.SetSilent(false) })
	r.chain.SetNoise(servotest.Noise{Flip: 0.004, Instruction: 0.004, Seed: 3})
	if err := widowx.Catch(r.bus, s.cal); err == nil {
		for id := 1; id <= 7; id++ {
			require.EqualValues(t, dynamixel.ModePosition, r.get(id, dynamixel.OperatingMode), "id %d", id)
			require.EqualValues(t, 1, r.get(id, dynamixel.TorqueEnable), "id %d", id)
		}
	}
}
