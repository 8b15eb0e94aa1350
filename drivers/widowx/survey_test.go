package widowx_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/calib"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
	"twinrig/drivers/widowx"
)

// A survey sees everything and changes nothing.
func TestSurvey(t *testing.T) {
	s := defaults(twinrig.ModePosition)
	s.servo = func(v *servotest.Servo) {
		v.SetSupply(11+0.1*float64(v.ID()), 30+float64(v.ID()))
		switch v.ID() {
		case 4:
			v.Set(dynamixel.ReturnDelayTime, 250)
		case 5:
			v.Set(dynamixel.HomingOffset, 40)
		}
	}
	r := build(t, s)
	require.NoError(t, r.bus.Write(2, dynamixel.TorqueEnable, 1))
	r.servo(7, func(v *servotest.Servo) { v.RaiseError(dynamixel.HardwareOverload) })

	got, err := widowx.Look(r.bus, s.cal)
	require.NoError(t, err)
	require.Len(t, got.Servos, 9)
	for i, v := range got.Servos {
		require.NoError(t, v.Err)
		require.EqualValues(t, i+1, v.ID)
		require.Equal(t, v.Want, v.Model)
		require.InDelta(t, 11+0.1*float64(i+1), v.VoltageV, 1e-9)
		require.InDelta(t, 30+float64(i+1), v.TemperatureC, 1e-9)
		require.Equal(t, i == 1, v.TorqueOn)
	}
	require.Equal(t, []string{"id 4 (elbow): return_delay_time is 250, want 0 (each microsecond of delay is paid by every servo in every cycle)"}, got.Diff())
	require.InDelta(t, 500, got.Servos[3].ReturnDelayUs, 1e-9)
	require.Equal(t, []string{"id 7 (wrist_angle): overload"}, got.Alarms())
	require.True(t, got.FastSync())
	require.NoError(t, got.Misfits(&s.cfg))
	worst, ok := got.WorstPair()
	require.True(t, ok)
	require.Equal(t, twinrig.Elbow, worst.Axis)
	require.InDelta(t, 40*dynamixel.RadPerPulse, math.Abs(worst.GapRad), 2*dynamixel.RadPerPulse)
	require.True(t, got.PoseKnown)
	for i, q := range got.Pose {
		require.InDelta(t, startPose[i], q, 0.002, twinrig.AxisNames[i])
	}
	require.EqualValues(t, 1, r.get(2, dynamixel.TorqueEnable), "torque is as it was")
	require.EqualValues(t, 250, r.get(4, dynamixel.ReturnDelayTime))
}

// What is on the bus and in the calibration must be the same servos.
func TestSurveyMisfits(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*setup)
		want  string
	}{
		{
			"one is missing", func(s *setup) { s.servo = only(6, func(v *servotest.Servo) { v.SetSilent(true) }) },
			"id 6 (forearm_roll): ping",
		},
		{
			"two on one ID", func(s *setup) { s.servo = only(9, set(dynamixel.ServoID, 8)) },
			"id 9 (gripper): ping",
		},
	} {
		s := defaults(twinrig.ModePosition)
		c.spoil(&s)
		got, err := widowx.Look(build(t, s).bus, s.cal)
		require.NoError(t, err, "the bus is there")
		require.ErrorContains(t, got.Misfits(&s.cfg), c.want, c.name)
	}
}

// An arm with a servo that the calibration does not know gets no torque.
func TestOpenRefusesAStranger(t *testing.T) {
	s := defaults(twinrig.ModePosition)
	full := s.cal
	s.cal.Motors = append([]calib.Motor{}, full.Motors...)
	s.cal.Motors = append(s.cal.Motors[:2], s.cal.Motors[3:]...) // without the shoulder's shadow
	r := build(t, setup{cfg: s.cfg, cal: full, params: s.params})
	arm, err := widowx.New(r.bus, s.cfg, s.cal)
	require.NoError(t, err)
	require.ErrorContains(t, arm.Open(), "id 3 (model number 1020) answers, but the calibration has no such motor")
}
