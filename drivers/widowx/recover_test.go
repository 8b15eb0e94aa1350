package widowx_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
	"twinrig/drivers/widowx"
)

// The emergency stop is the power switch: when power is back, so is the arm.
func TestRecoverAfterAPowerCut(t *testing.T) {
	for _, mode := range []twinrig.Mode{twinrig.ModePosition, twinrig.ModeTorque} {
		r := enabled(t, defaults(mode))
		_, err := r.cycles(10, r.stay())
		require.NoError(t, err)
		for id := 1; id <= 9; id++ {
			r.power(id, false)
		}
		require.Error(t, r.arm.Halt(), "it cannot be sure")
		err = r.arm.Recover()
		require.ErrorContains(t, err, "id 1 (waist): ping")
		require.ErrorContains(t, err, "id 9 (gripper): ping")
		for id := 1; id <= 9; id++ {
			r.power(id, true)
		}
		r.advance(time.Second)
		require.NoError(t, r.arm.Recover())
		r.requireNoTorque()
		require.NoError(t, r.arm.Enable())
		r.requireWell(r.stay())
	}
}

// After an unplugged cable the servos still hold: none of them may let go.
func TestRecoverDropsNothing(t *testing.T) {
	r, bus := hooked(t, defaults(twinrig.ModePosition))
	require.NoError(t, r.arm.Enable())
	_, err := r.cycles(10, r.stay())
	require.NoError(t, err)
	r.advance(2 * time.Second) // nobody talks; watchdogs expire
	require.EqualValues(t, -1, r.get(1, dynamixel.BusWatchdog))
	bus.before = func(what string) {
		require.NotContains(t, what, "torque_enable=0")
		require.NotContains(t, what, "goal_pwm")
	}
	require.NoError(t, r.arm.Recover())
	require.NoError(t, r.arm.Enable())
	bus.before = func(string) {}
	r.requireWell(r.stay())
}

// One servo lost its power and its settings: it alone is set up again.
func TestRecoverOneServo(t *testing.T) {
	s := defaults(twinrig.ModePosition)
	s.cfg.PositionPXM430 = 950
	r, bus := hooked(t, s)
	require.NoError(t, r.arm.Enable())
	r.power(4, false)
	r.advance(time.Second)
	r.power(4, true)
	r.advance(time.Second)
	r.servo(8, func(s *servotest.Servo) { s.RaiseError(dynamixel.HardwareOverload) })
	var written []string
	bus.before = func(what string) { written = append(written, what) }
	require.NoError(t, r.arm.Recover())
	for _, what := range written {
		require.True(t, strings.HasPrefix(what, "4 ") || strings.HasPrefix(what, "8 "), what)
	}
	require.EqualValues(t, 950, r.get(4, dynamixel.PositionPGain))
	bus.before = func(string) {}
	require.NoError(t, r.arm.Enable())
	r.requireWell(r.stay())
}

// What holds, but not as this program would have it, is let go before torque is
// taken on: somebody else was here.
func TestRecoverRefusesAnotherMode(t *testing.T) {
	r := enabled(t, defaults(twinrig.ModePosition))
	r.servo(5, func(s *servotest.Servo) { s.Set(dynamixel.OperatingMode, dynamixel.ModePWM) })
	require.ErrorContains(t, r.arm.Recover(), "id 5 (elbow shadow) holds, but not as this program would have it")
	r.requireNoTorque()
}

// A joint that stands a turn away after power is back gets no torque.
func TestRecoverLooksAtThePose(t *testing.T) {
	r := enabled(t, defaults(twinrig.ModePosition))
	for id := 1; id <= 9; id++ {
		r.power(id, false)
	}
	r.joints.Flywheels[twinrig.Elbow].Angle = 2.2
	for id := 1; id <= 9; id++ {
		r.power(id, true)
	}
	r.advance(time.Second)
	require.ErrorContains(t, r.arm.Recover(), "start pose: elbow at 2.1")
	r.requireNoTorque()
}

// Another program's arm that holds is adopted as it stands, gains included.
func TestRecoverAdoptsAHoldingArm(t *testing.T) {
	r := enabled(t, defaults(twinrig.ModePosition))
	s := defaults(twinrig.ModePosition)
	s.cfg.PositionPXM430 = 900
	arm, err := widowx.New(r.bus, s.cfg, s.cal)
	require.NoError(t, err)
	require.NoError(t, arm.Recover())
	require.EqualValues(t, 1, r.get(4, dynamixel.TorqueEnable))
	require.NoError(t, arm.Enable())
	require.EqualValues(t, 900, r.get(4, dynamixel.PositionPGain))
	r.arm = arm
	r.requireWell(r.stay())
}
