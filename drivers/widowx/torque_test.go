package widowx_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/calib"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
	"twinrig/drivers/widowx"
)

// hooked is an open arm whose bus tells what is about to be written.
func hooked(t *testing.T, s setup) (*rig, *hookBus) {
	t.Helper()
	r := build(t, s)
	bus := &hookBus{Bus: r.bus, before: func(string) {}}
	arm, err := widowx.New(bus, s.cfg, s.cal)
	require.NoError(t, err)
	r.arm = arm
	require.NoError(t, arm.Open())
	return r, bus
}

func (r *rig) requireNoTorque() {
	r.t.Helper()
	for id := 1; id <= 9; id++ {
		require.Zero(r.t, r.get(id, dynamixel.TorqueEnable), "id %d", id)
	}
}

// Torque comes on in steps: little output first, and all of it at the end.
func TestTorqueIsRamped(t *testing.T) {
	r, bus := hooked(t, defaults(twinrig.ModePosition))
	var steps []int32
	bus.before = func(what string) {
		if strings.HasPrefix(what, "1 bus_watchdog=1") {
			steps = append(steps, r.get(1, dynamixel.GoalPWM))
		}
		if strings.HasPrefix(what, "9 goal_pwm=") { // the first servo has this step already
			steps = append(steps, r.get(1, dynamixel.GoalPWM))
		}
	}
	require.NoError(t, r.arm.Enable())
	require.Equal(t, []int32{177, 177, 310, 443, 576, 708, 885, 885}, steps)
	require.EqualValues(t, 247, r.get(9, dynamixel.GoalPWM), "the gripper's bound is its own")
}

// What goes wrong while torque comes on takes it off again, with the reason.
func TestTorqueIsWatchedWhileItComesOn(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*rig)
		want  string
	}{
		{
			"a joint that moves", func(r *rig) { r.joints.Flywheels[twinrig.WristAngle].Angle += 0.2 },
			"id 7 (wrist_angle) moved by",
		},
		{
			"a joint under load", func(r *rig) {
				w := &r.joints.Flywheels[twinrig.ForearmRoll]
				w.Angle -= 0.05 // and it is held there
				w.Low, w.High = w.Angle-1e-6, w.Angle+1e-6
				r.servo(6, func(s *servotest.Servo) { s.Set(dynamixel.PositionPGain, 16000) })
			},
			"id 6 (forearm_roll) takes",
		},
		{
			"a servo's own alarm", func(r *rig) {
				r.servo(8, func(s *servotest.Servo) { s.RaiseError(dynamixel.HardwareHeat) })
			},
			"id 8 (wrist_rotate) has a hardware error: overheating",
		},
		{
			"a shadow that slips", func(r *rig) {
				r.servo(5, func(s *servotest.Servo) { s.Set(dynamixel.HomingOffset, 39) })
			},
			"elbow: servos 4 and 5 disagree",
		},
		{
			"a servo that falls silent", func(r *rig) {
				r.servo(2, func(s *servotest.Servo) { s.SetSilent(true) })
			},
			"id 2 (shoulder)",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := defaults(twinrig.ModePosition)
			s.cfg.FastSync = false
			r, bus := hooked(t, s)
			done := false
			bus.before = func(what string) {
				if !done && what == "1 goal_pwm=443" { // half of it is on
					done = true
					c.spoil(r)
				}
			}
			require.ErrorContains(t, r.arm.Enable(), c.want)
			require.True(t, done)
			r.requireNoTorque()
			_, err := r.arm.Write(r.clock.Now(), twinrig.Command{})
			require.ErrorIs(t, err, twinrig.ErrHalted)
		})
	}
}

// The first goal is where the arm is, and none is ever half a turn away.
func TestFarGoalsAreRefused(t *testing.T) {
	r := enabled(t, defaults(twinrig.ModePosition))
	stay := r.stay()
	far := stay
	far.Joints[twinrig.ForearmRoll] += 0.4
	before := r.get(6, dynamixel.GoalPosition)
	_, err := r.arm.Write(r.clock.Now(), far)
	require.ErrorIs(t, err, widowx.ErrFar)
	require.ErrorContains(t, err, "forearm_roll would move by 0.40 rad, limit 0.35")
	r.advance(5 * time.Millisecond)
	require.Equal(t, before, r.get(6, dynamixel.GoalPosition), "nothing was sent")

	_, err = r.cycles(1, stay)
	require.NoError(t, err)
	_, err = r.cycles(1, far)
	require.NoError(t, err, "later goals may be further away")
	far.Joints[twinrig.WristRotate] = 3.1 // it is at -0.26
	_, err = r.cycles(1, far)
	require.ErrorIs(t, err, widowx.ErrFar)
}

type space struct{ err error }

func (s space) Clear(q twinrig.Joints, _ twinrig.Grip) error {
	if math.Abs(q[0]-startPose[0]) > 0.01 {
		return errors.New("asked about another pose")
	}
	return s.err
}

func TestSpaceIsAsked(t *testing.T) {
	for _, want := range []error{nil, errors.New("hand is 4 mm in the table")} {
		s := defaults(twinrig.ModePosition)
		r := build(t, s)
		r.arm.SetSpace(space{want})
		if want == nil {
			require.NoError(t, r.arm.Open())
			require.NoError(t, r.arm.Enable())
			continue
		}
		require.ErrorContains(t, r.arm.Open(), "start pose: hand is 4 mm in the table")
	}
}

// A servo that counts turns would spin to lose them, so it gets no torque.
func TestTurnsAreRefused(t *testing.T) {
	for _, turns := range []float64{-1, 1, 2} {
		r := build(t, defaults(twinrig.ModePosition))
		r.joints.Flywheels[twinrig.ForearmRoll].Angle += turns * 2 * math.Pi
		r.advance(5 * time.Millisecond)
		err := r.arm.Open()
		require.ErrorContains(t, err, "forearm_roll reads")
		require.ErrorContains(t, err, "its servo counts turns")
		r.requireNoTorque()
	}
}

// A servo with a homing offset is not trusted with a watchdog in position mode,
// where it holds without one.
func TestWatchdogAndHomingOffset(t *testing.T) {
	for mode, want := range map[twinrig.Mode]int32{twinrig.ModePosition: 0, twinrig.ModeTorque: 10} {
		s := defaults(mode)
		s.cal.Motors = append([]calib.Motor{}, s.cal.Motors...)
		s.cal.Motors[5].ZeroTick += 300
		s.servo = only(6, set(dynamixel.HomingOffset, 300))
		r := enabled(t, s)
		require.Equal(t, want, r.get(6, dynamixel.BusWatchdog), mode)
		require.EqualValues(t, 10, r.get(1, dynamixel.BusWatchdog), mode)
		if mode == twinrig.ModePosition {
			require.Contains(t, r.arm.Status().Notes,
				"id 6 (forearm_roll): bus watchdog left off: it has a homing offset of 300 ticks; it holds without")
		}
	}
}
