package widowx

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/calib"
	"twinrig/drivers/dynamixel"
)

// testMap has its servos' limits wide open and a distinct zero for each servo.
func testMap(mode twinrig.Mode) *motorMap {
	cal := calib.Nominal().Arm
	for i := range cal.Motors {
		cal.Motors[i].ZeroTick = 2000 + 7.25*float64(i)
	}
	m := newMotorMap(&cal, mode)
	for i := range m.motors {
		m.motors[i].minTick, m.motors[i].maxTick, m.motors[i].maxCurrent = -10000, 10000, 1193
	}
	return m
}

// distinct has another value for each joint, so that swaps and signs show.
var distinct = twinrig.Joints{0.31, -0.52, 0.73, -0.94, 1.15, -1.36}

func TestPositionsRoundTrip(t *testing.T) {
	m := testMap(twinrig.ModePosition)
	goal := twinrig.Goal{Joints: distinct, Velocity: distinct, Grip: 0.37}
	ticks := make([]int32, len(m.motors))
	sent := m.ticks(goal, ticks)

	// Both ways, within half a tick: what is sent is what would be read.
	raws := make([]raw, len(ticks))
	for i, v := range ticks {
		raws[i].position = v
	}
	var s twinrig.State
	m.state(raws, &s)
	for i := range distinct {
		require.InDelta(t, distinct[i], s.Measured[i], dynamixel.RadPerPulse/2+1e-9, twinrig.AxisNames[i])
		require.InDelta(t, sent.Joints[i], s.Measured[i], 1e-12, twinrig.AxisNames[i])
	}
	require.InDelta(t, 0.37, float64(s.Grip), 0.002)
	require.InDelta(t, float64(sent.Grip), float64(s.Grip), 1e-12)
	require.Equal(t, goal.Velocity, sent.Velocity)

	// Shadows have their own zero, and agree with the joint within a tick.
	require.Equal(t, int32(2014+math.Round(0.5-0.52/dynamixel.RadPerPulse)), ticks[2])
	for axis := range twinrig.NumAxes {
		require.InDelta(t, 0, m.shadowGap(axis, raws), dynamixel.RadPerPulse)
	}
	raws[2].position += 100
	raws[4].position -= 50
	require.InDelta(t, 100*dynamixel.RadPerPulse, m.shadowGap(twinrig.Shoulder, raws), dynamixel.RadPerPulse)
	require.InDelta(t, -50*dynamixel.RadPerPulse, m.shadowGap(twinrig.Elbow, raws), dynamixel.RadPerPulse)
}

func TestReadingsGoToTheirOwnJoints(t *testing.T) {
	m := testMap(twinrig.ModeTorque)
	raws := make([]raw, len(m.motors))
	for i := range raws {
		raws[i] = raw{position: 2048 + int32(i), velocity: 10 * int32(i+1), load: 100 * int32(i+1)}
	}
	var s twinrig.State
	m.state(raws, &s)
	first := [twinrig.NumJoints]int{0, 1, 3, 5, 6, 7} // servo of each joint
	nm := dynamixel.AmpPerStep * 4.1 / 2.3
	effort := twinrig.Joints{100 * nm, (200 + 300) * nm, (400 + 500) * nm, 600 * nm, 700 * nm}
	for i, k := range first {
		require.InDelta(t, (2048+float64(k)-2000-7.25*float64(k))*dynamixel.RadPerPulse, s.Measured[i], 1e-12)
		require.InDelta(t, 10*float64(k+1)*0.0239808, s.Velocity[i], 1e-4)
		if i != twinrig.WristRotate {
			require.InDelta(t, effort[i], s.Effort[i], 1e-9)
		}
	}
	require.True(t, math.IsNaN(s.Effort[twinrig.WristRotate]))
	require.InDelta(t, 0.8, s.Load[0], 1e-9)
	require.InDelta(t, 0.9, s.Load[1], 1e-9)
}

func TestEffortsRoundTrip(t *testing.T) {
	m := testMap(twinrig.ModeTorque)
	steps := make([]int32, len(m.motors))
	sent := m.steps(distinct, steps)
	require.Equal(t, steps[1], steps[2], "a pair shares evenly")
	require.Equal(t, steps[3], steps[4], "a pair shares evenly")
	require.Zero(t, steps[7])
	require.Zero(t, steps[8])

	raws := make([]raw, len(steps))
	for i, v := range steps {
		raws[i].load = v
	}
	var s twinrig.State
	m.state(raws, &s)
	for i := range twinrig.WristRotate {
		require.InDelta(t, distinct[i], sent[i], dynamixel.AmpPerStep*4.1/2.3, twinrig.AxisNames[i])
		require.InDelta(t, sent[i], s.Effort[i], 1e-12, twinrig.AxisNames[i])
	}
	require.Zero(t, sent[twinrig.WristRotate])

	// The servo's own limit cuts, either way.
	m.motors[0].maxCurrent = 100
	require.InDelta(t, 100*dynamixel.AmpPerStep*4.1/2.3, m.steps(twinrig.Joints{9}, steps)[0], 1e-9)
	require.InDelta(t, -100*dynamixel.AmpPerStep*4.1/2.3, m.steps(twinrig.Joints{-9}, steps)[0], 1e-9)
}

func TestModesShareOutTheServos(t *testing.T) {
	position, torque := testMap(twinrig.ModePosition), testMap(twinrig.ModeTorque)
	for i := range torque.motors {
		require.False(t, position.motors[i].torque)
		require.Equal(t, i < 7, torque.motors[i].torque, "the XL430s never run in current mode")
	}
	// In torque mode only the XL430s get ticks, and the goal of the others is
	// handed back as asked.
	ticks := make([]int32, 9)
	sent := torque.ticks(twinrig.Goal{Joints: distinct, Grip: 0.5}, ticks)
	require.Equal(t, make([]int32, 7), ticks[:7])
	require.Equal(t, distinct[:5], sent.Joints[:5])
	require.NotZero(t, ticks[7])
	require.NotZero(t, ticks[8])
}
