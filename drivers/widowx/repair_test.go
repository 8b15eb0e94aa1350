package widowx_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
	"twinrig/drivers/widowx"
)

// repair runs the loop on cmd and lets the arm repair itself, for ten seconds at
// most.
func (r *rig) repair(cmd twinrig.Command) error {
	r.t.Helper()
	for end := r.clock.Now() + 10*time.Second; r.clock.Now() < end; r.advance(2 * time.Millisecond) {
		if _, err := r.read(); err != nil {
			require.ErrorIs(r.t, err, twinrig.ErrHold)
		}
		if done, err := r.arm.Repair(r.clock.Now()); done || err != nil {
			return err
		}
		if _, err := r.arm.Write(r.clock.Now(), cmd); err != nil {
			require.ErrorIs(r.t, err, twinrig.ErrHold)
		}
	}
	require.Fail(r.t, "the repair does not end")
	return nil
}

func (r *rig) power(id int, on bool) {
	now := r.clock.Now()
	r.servo(id, func(s *servotest.Servo) { s.SetPower(now, on) })
}

// requireWell holds for an arm at its start pose with torque everywhere.
func (r *rig) requireWell(cmd twinrig.Command) {
	r.t.Helper()
	s, err := r.cycles(2*9*10, cmd) // a look at every servo
	require.NoError(r.t, err)
	require.Zero(r.t, s.HardwareError)
	require.Zero(r.t, s.Age)
	for i, q := range s.Measured {
		require.InDelta(r.t, startPose[i], q, 0.02, twinrig.AxisNames[i])
	}
	for id := 1; id <= 9; id++ {
		require.EqualValues(r.t, 1, r.get(id, dynamixel.TorqueEnable), "id %d", id)
		require.EqualValues(r.t, 10, r.get(id, dynamixel.BusWatchdog), "id %d", id)
	}
}

// A servo that shut itself down comes back while the others hold.
func TestRepairAfterAHardwareError(t *testing.T) {
	for _, mode := range []twinrig.Mode{twinrig.ModePosition, twinrig.ModeTorque} {
		for _, id := range []int{1, 3, 4, 9} {
			t.Run(fmt.Sprint(mode, id), func(t *testing.T) {
				r := enabled(t, defaults(mode))
				stay := r.stay()
				r.servo(id, func(s *servotest.Servo) { s.RaiseError(dynamixel.HardwareOverload) })
				s, err := r.cycles(1, stay)
				require.NoError(t, err)
				require.NotZero(t, s.HardwareError[shafts[id-1].axis])
				off := 0
				r.chain.Do(func(servos []*servotest.Servo) {
					for _, v := range servos {
						off += 1 - int(v.Get(dynamixel.TorqueEnable))
					}
				})
				require.Equal(t, 1, off, "the others hold")

				require.NoError(t, r.repair(stay))
				r.requireWell(r.stay())
				require.Contains(t, strings.Join(r.arm.Status().Notes, "\n"), "rebooted after overload")
			})
		}
	}
}

// What a reboot does not cure is not given torque.
func TestRepairGivesUp(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*rig)
		want  string
	}{
		{
			"still too hot", func(r *rig) { r.servo(6, func(s *servotest.Servo) { s.SetSupply(12, 85) }) },
			"id 6 (forearm_roll) was rebooted and still has a hardware error: overheating",
		},
		{"gone for good", func(r *rig) { r.power(6, false) }, "id 6 (forearm_roll) did not come back in 4s"},
		{
			"moved meanwhile", func(r *rig) {
				r.power(6, false)
				_, err := r.cycles(20, r.stay())
				require.NoError(r.t, err)
				r.joints.Flywheels[twinrig.ForearmRoll].Angle += 0.5
				r.power(6, true)
			},
			"id 6 (forearm_roll) is 0.50 rad from where it was, limit 0.35",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := enabled(t, defaults(twinrig.ModePosition))
			stay := r.stay()
			c.spoil(r)
			_, _ = r.cycles(20, stay) // until it is known
			require.ErrorContains(t, r.repair(stay), c.want)
			require.EqualValues(t, 1, r.get(7, dynamixel.TorqueEnable), "the others hold")
			require.Zero(t, r.get(6, dynamixel.TorqueEnable))
		})
	}
}

// A loop that stalled finds all its servos stopped, and repairs them in place.
func TestRepairAfterTheWatchdog(t *testing.T) {
	for _, mode := range []twinrig.Mode{twinrig.ModePosition, twinrig.ModeTorque} {
		r := enabled(t, defaults(mode))
		stay := r.stay()
		_, err := r.cycles(10, stay)
		require.NoError(t, err)
		r.advance(500 * time.Millisecond)
		_, err = r.cycles(1, stay)
		require.ErrorIs(t, err, widowx.ErrTorqueLost)
		require.ErrorIs(t, err, twinrig.ErrHold)
		require.NoError(t, r.repair(stay))
		r.requireWell(stay)
	}
}

func TestRepairNeedsTorque(t *testing.T) {
	r := opened(t, defaults(twinrig.ModePosition))
	_, err := r.arm.Repair(r.clock.Now())
	require.ErrorContains(t, err, "the arm is halted")

	// And a Halt in the middle of one wins.
	r = enabled(t, defaults(twinrig.ModePosition))
	r.servo(2, func(s *servotest.Servo) { s.RaiseError(dynamixel.HardwareOverload) })
	_, err = r.cycles(1, r.stay())
	require.NoError(t, err)
	_, err = r.arm.Repair(r.clock.Now())
	require.NoError(t, err)
	require.ErrorContains(t, r.arm.Halt(), "id 2 (shoulder): torque may be on", "it reboots and cannot be asked")
	r.advance(time.Second)
	_, err = r.arm.Repair(r.clock.Now())
	require.ErrorContains(t, err, "the arm is halted")
	r.requireNoTorque()
}
