package widowx_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/calib"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
)

// Where sources disagree about the servos' firmware, the driver works with
// either: it comes up, holds, loses a servo and finds it again, restarts one, and
// repairs an arm that its watchdogs have stopped.
func TestEitherBehaviour(t *testing.T) {
	for name, change := range map[string]func(*setup){
		"silence mutes the later": func(*setup) {},
		"later ones answer": func(s *setup) {
			s.line = func(c *servotest.Config) { c.LaterAnswer = true }
		},
		"every packet feeds every watchdog": func(s *setup) {
			s.line = func(c *servotest.Config) { c.WatchdogHearsAll = true }
		},
		"a watchdog forgets the homing offset": func(s *setup) {
			s.params.WatchdogJumps = true
			s.cal.Motors = append([]calib.Motor{}, s.cal.Motors...)
			s.cal.Motors[2].ZeroTick += 200
			s.servo = only(3, set(dynamixel.HomingOffset, 200))
		},
		"reverse turns positions only round":   func(s *setup) { s.params.PlainReverse = true },
		"a long return delay and slow answers": func(s *setup) { s.params.ExtraGap = 40 * time.Microsecond },
		"a reboot of three seconds":            func(s *setup) { s.params.RebootTime = 3 * time.Second },
		"firmware without fast reads":          func(s *setup) { s.params.Firmware = 44 },
	} {
		for _, mode := range []twinrig.Mode{twinrig.ModePosition, twinrig.ModeTorque} {
			t.Run(name+" "+mode.String(), func(t *testing.T) {
				s := defaults(mode)
				change(&s)
				r := enabled(t, s)
				stay := r.stay()
				_, err := r.cycles(50, stay)
				require.NoError(t, err)

				silent := func(yes bool) { r.servo(4, func(s *servotest.Servo) { s.SetSilent(yes) }) }
				silent(true)
				_, err = r.cycles(60, stay)
				require.NoError(t, err)
				require.True(t, r.arm.Status().Servos[3].Silent)
				silent(false)
				state, err := r.cycles(60, stay)
				require.NoError(t, err)
				require.Zero(t, state.Age)

				r.servo(5, func(s *servotest.Servo) { s.RaiseError(dynamixel.HardwareOverload) })
				_, err = r.cycles(1, stay)
				require.NoError(t, err)
				require.NoError(t, r.repair(stay))

				r.advance(time.Second) // the loop stalls
				_, err = r.cycles(1, stay)
				require.ErrorIs(t, err, twinrig.ErrHold)
				require.NoError(t, r.repair(stay))
				state, err = r.cycles(200, r.stay())
				require.NoError(t, err)
				for i, q := range state.Measured {
					require.InDelta(t, startPose[i], q, 0.02, twinrig.AxisNames[i])
				}
			})
		}
	}
}
