package servotest_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
)

// frictionless shafts let torques be seen exactly.
func frictionless(s *setup) {
	for i := range s.shafts {
		s.shafts[i].Friction = 0
	}
}

// blocked shafts do not turn.
func blocked(s *setup) {
	for i := range s.shafts {
		s.shafts[i].Inertia = 1e9
	}
}

func scale(x float64) func(*setup) { return func(s *setup) { s.params.TorqueScale = x } }

func reverse(id int) func(*bench) {
	return func(b *bench) { b.write(dynamixel.ID(id), dynamixel.DriveMode, dynamixel.DriveReverse) }
}

func TestPositionMode(t *testing.T) {
	for id := dynamixel.ID(1); id <= 3; id++ {
		b := newBench(t)
		b.write(id, dynamixel.TorqueEnable, 1)
		goal := 2048 + 300*int32(id)
		b.write(id, dynamixel.GoalPosition, goal)
		b.wait(5 * time.Millisecond)
		require.Positive(t, b.read(id, dynamixel.PresentVelocity))
		b.wait(3 * time.Second)
		require.InDelta(t, goal, b.read(id, dynamixel.PresentPosition), 12)
		require.InDelta(t, float64(goal-2048)*dynamixel.RadPerPulse, b.shafts[id-1].Angle, 0.02)
		require.Zero(t, b.read(id, dynamixel.Moving))
		require.EqualValues(t, 1, b.read(id, dynamixel.MovingStatus)&1)
	}
}

// TestPositionStiffness: a blocked shaft shows the PID's units. P 800 is 6.25
// PWM steps per pulse.
func TestPositionStiffness(t *testing.T) {
	b := newBench(t, blocked)
	b.write(1, dynamixel.TorqueEnable, 1)
	b.write(1, dynamixel.GoalPosition, 2048+40)
	b.wait(10 * time.Millisecond)
	require.EqualValues(t, 250, b.read(1, dynamixel.PresentPWM))
	require.InDelta(t, 4.1*250/885, b.servos[0].Torque(), 1e-6)
	require.EqualValues(t, 242, b.read(1, dynamixel.PresentCurrent), "2.3 A * 250/885 in steps of 2.69 mA")
	// Goal PWM bounds it, half the gain halves it, the integral adds to it.
	b.write(1, dynamixel.GoalPWM, 100)
	b.wait(10 * time.Millisecond)
	require.EqualValues(t, 100, b.read(1, dynamixel.PresentPWM))
	b.write(1, dynamixel.GoalPWM, 885)
	b.write(1, dynamixel.PositionPGain, 400)
	b.wait(10 * time.Millisecond)
	require.EqualValues(t, 125, b.read(1, dynamixel.PresentPWM))
	b.write(1, dynamixel.PositionIGain, 1000)
	b.wait(100 * time.Millisecond)
	require.InDelta(t, 125+40*100*1000.0/65536, b.read(1, dynamixel.PresentPWM), 2)
	b.wait(10 * time.Second)
	require.EqualValues(t, 885, b.read(1, dynamixel.PresentPWM))
}

func TestLoadOfAnXL430(t *testing.T) {
	b := newBench(t, blocked)
	b.mode(3, dynamixel.ModePWM)
	b.write(3, dynamixel.GoalPWM, -300)
	b.wait(10 * time.Millisecond)
	require.EqualValues(t, -339, b.read(3, dynamixel.PresentLoad), "300/885 in steps of 0.1 %")
	require.InDelta(t, -1.5*300/885, b.servos[2].Torque(), 1e-6)
}

// TestCurrentMode: the true torque is the nameplate's times the hidden scale.
func TestCurrentMode(t *testing.T) {
	for _, hidden := range []float64{0.8, 1, 1.15} {
		b := newBench(t, blocked, scale(hidden))
		b.mode(1, dynamixel.ModeCurrent)
		b.wait(10 * time.Millisecond)
		require.Zero(t, b.servos[0].Torque(), "torque on starts from no current")
		b.write(1, dynamixel.GoalCurrent, -200)
		b.wait(10 * time.Millisecond)
		require.EqualValues(t, -200, b.read(1, dynamixel.PresentCurrent))
		require.InDelta(t, -200*0.00269*4.1/2.3*hidden, b.servos[0].Torque(), 1e-9)
		// More than the voltage can drive.
		b.write(1, dynamixel.GoalCurrent, 1193)
		b.wait(10 * time.Millisecond)
		require.InDelta(t, 4.1, b.servos[0].Torque(), 1e-9)
		require.EqualValues(t, 885, b.read(1, dynamixel.PresentPWM))
		b.write(1, dynamixel.GoalPWM, 442)
		b.wait(10 * time.Millisecond)
		require.InDelta(t, 4.1*442/885, b.servos[0].Torque(), 1e-9)
	}
}

// TestSpeedIsLimitedByVoltage: with a constant current a free shaft speeds up to
// the no load speed of the supply.
func TestSpeedIsLimitedByVoltage(t *testing.T) {
	for _, volts := range []float64{12, 10.5} {
		b := newBench(t, frictionless, func(s *setup) { s.params.Voltage = volts })
		b.mode(1, dynamixel.ModeCurrent)
		b.write(1, dynamixel.GoalCurrent, 300)
		b.wait(3 * time.Second)
		require.InDelta(t, 4.817*volts/12, b.shafts[0].Speed, 0.01)
		require.InDelta(t, 4.817*volts/12/dynamixel.RadPerSecPerStep, b.read(1, dynamixel.PresentVelocity), 1)
		require.InDelta(t, 10*volts, b.read(1, dynamixel.PresentInputVoltage), 0.5)
	}
}

func TestVelocityMode(t *testing.T) {
	for id := dynamixel.ID(1); id <= 3; id += 2 {
		b := newBench(t)
		b.mode(id, dynamixel.ModeVelocity)
		b.write(id, dynamixel.GoalVelocity, -120)
		b.wait(3 * time.Second)
		require.InDelta(t, -120, b.read(id, dynamixel.PresentVelocity), 1)
		// With a profile the speed changes at its acceleration.
		b.write(id, dynamixel.ProfileAcceleration, 10)
		b.write(id, dynamixel.GoalVelocity, 0)
		b.wait(300 * time.Millisecond)
		want := -120 + 0.3*10*dynamixel.RadPerSec2PerStep/dynamixel.RadPerSecPerStep
		require.InDelta(t, want, b.read(id, dynamixel.VelocityTrajectory), 2)
		v := float64(b.read(id, dynamixel.PresentVelocity))
		require.Less(t, v, want+2)
		require.Greater(t, v, -120.0)
	}
}

// TestCurrentBasedPosition: as position mode, but no stronger than the current.
func TestCurrentBasedPosition(t *testing.T) {
	b := newBench(t, blocked, scale(0.9))
	b.mode(1, dynamixel.ModeCurrentPosition)
	require.EqualValues(t, 1193, b.read(1, dynamixel.GoalCurrent))
	b.write(1, dynamixel.GoalPosition, 3000)
	b.write(1, dynamixel.GoalCurrent, 150)
	b.wait(10 * time.Millisecond)
	require.EqualValues(t, 150, b.read(1, dynamixel.PresentCurrent))
	require.InDelta(t, 150*0.00269*4.1/2.3*0.9, b.servos[0].Torque(), 1e-9)
	b.write(1, dynamixel.GoalPosition, -9000) // more than a turn away
	b.wait(10 * time.Millisecond)
	require.EqualValues(t, -150, b.read(1, dynamixel.PresentCurrent))
}

// TestReverse: position, speed, current and PWM change their sign, for goals and
// for what is measured; the homing offset does not.
func TestReverse(t *testing.T) {
	for _, mode := range []int32{dynamixel.ModeCurrent, dynamixel.ModePWM, dynamixel.ModeVelocity, dynamixel.ModeExtendedPosition} {
		b := newBench(t)
		reverse(1)(b)
		b.write(1, dynamixel.HomingOffset, 100)
		b.mode(1, mode)
		b.write(1, dynamixel.ProfileVelocity, 100)
		b.write(1, dynamixel.GoalPosition, 9000)
		b.write(1, dynamixel.GoalCurrent, 100)
		b.write(1, dynamixel.GoalPWM, 300)
		b.write(1, dynamixel.GoalVelocity, 60)
		b.wait(500 * time.Millisecond)
		require.Less(t, b.shafts[0].Angle, -0.3, "mode %d", mode)
		require.Less(t, b.servos[0].Torque(), 0.0)
		require.Positive(t, b.read(1, dynamixel.PresentCurrent))
		require.Positive(t, b.read(1, dynamixel.PresentPWM))
		require.Positive(t, b.read(1, dynamixel.PresentVelocity))
		want := 2048 + 100 - b.shafts[0].Angle/dynamixel.RadPerPulse
		require.InDelta(t, want, b.servos[0].Get(dynamixel.PresentPosition), 1)
	}
}

// TestPlainReverse: with the other reading of the manual, goals and measurements
// of position alone are turned round.
func TestPlainReverse(t *testing.T) {
	for _, mode := range []int32{dynamixel.ModeCurrent, dynamixel.ModePWM, dynamixel.ModeVelocity} {
		b := newBench(t, func(s *setup) { s.params.PlainReverse = true })
		reverse(1)(b)
		b.mode(1, mode)
		b.write(1, dynamixel.GoalCurrent, 100)
		b.write(1, dynamixel.GoalPWM, 300)
		b.write(1, dynamixel.GoalVelocity, 60)
		b.wait(500 * time.Millisecond)
		require.Greater(t, b.shafts[0].Angle, 0.3, "mode %d", mode)
		require.Positive(t, b.servos[0].Torque())
		require.Positive(t, b.read(1, dynamixel.PresentCurrent))
		require.Positive(t, b.read(1, dynamixel.PresentPWM))
		require.Positive(t, b.read(1, dynamixel.PresentVelocity))
		require.Less(t, b.servos[0].Get(dynamixel.PresentPosition), int32(2048))
	}
	b := newBench(t, func(s *setup) { s.params.PlainReverse = true })
	reverse(1)(b)
	b.mode(1, dynamixel.ModePosition)
	b.write(1, dynamixel.GoalPosition, 2048+400)
	b.wait(20 * time.Millisecond)
	require.Negative(t, b.shafts[0].Angle)
	require.Negative(t, b.read(1, dynamixel.PresentCurrent), "it pushes to where positions are greater")
}

// TestTurns: the count goes on while torque is off, and torque on in position
// mode wraps it, without the offset.
func TestTurns(t *testing.T) {
	const turn = 2 * math.Pi
	for _, tc := range []struct {
		angle         float64 // at power-up
		moved         float64 // then, torque off
		start, off    int32
		onPosition    int32
		offset        int32
		reversed      bool
		extendedStays int32
	}{
		{0.5, 0, 2374, 2374, 2374, 0, false, 2374},
		{2.25 * turn, 0, 3072, 3072, 3072, 0, false, 3072},
		{0, 1.5 * turn, 2048, 8192, 0, 0, false, 8192},
		{0, -1.25 * turn, 2048, -3072, 1024, 0, false, -3072},
		{0, 1.25 * turn, 2148, 7268, 3172, 100, false, 7268},
		{0, 1.25 * turn, 1948, -3172, 924, -100, true, -3172},
	} {
		for _, mode := range []int32{dynamixel.ModePosition, dynamixel.ModeExtendedPosition} {
			b := newBench(t, frictionless, func(s *setup) { s.shafts[0].Angle = tc.angle })
			if tc.reversed {
				reverse(1)(b)
			}
			b.write(1, dynamixel.HomingOffset, tc.offset)
			b.write(1, dynamixel.OperatingMode, mode)
			require.Equal(t, tc.start, b.read(1, dynamixel.PresentPosition))
			b.shafts[0].Angle += tc.moved
			b.wait(5 * time.Millisecond)
			require.Equal(t, tc.off, b.read(1, dynamixel.PresentPosition))
			b.write(1, dynamixel.TorqueEnable, 1)
			want := tc.onPosition
			if mode == dynamixel.ModeExtendedPosition {
				want = tc.extendedStays
			}
			require.Equal(t, want, b.read(1, dynamixel.PresentPosition))
			require.Equal(t, want, b.read(1, dynamixel.GoalPosition))
			b.wait(time.Second)
			require.InDelta(t, tc.angle+tc.moved, b.shafts[0].Angle, 0.002, "torque on does not move it")
		}
	}
}

// TestModeChange resets what belongs to a mode.
func TestModeChange(t *testing.T) {
	b := newBench(t)
	b.write(1, dynamixel.PositionPGain, 123)
	b.write(1, dynamixel.ProfileVelocity, 50)
	b.write(1, dynamixel.ProfileAcceleration, 20)
	b.write(1, dynamixel.GoalPWM, 200)
	b.write(1, dynamixel.OperatingMode, dynamixel.ModePosition)
	require.EqualValues(t, 123, b.read(1, dynamixel.PositionPGain), "the same mode is no change")
	b.write(1, dynamixel.OperatingMode, dynamixel.ModeCurrent)
	for r, want := range map[dynamixel.Register]int32{
		dynamixel.PositionPGain: 800, dynamixel.ProfileVelocity: 0, dynamixel.ProfileAcceleration: 0, dynamixel.GoalPWM: 885,
	} {
		require.Equal(t, want, b.read(1, r), "%s", r)
	}
}

// TestTorqueOffCommands: goals are taken without torque, and forgotten when it
// comes; the drive mode can make a goal take torque on.
func TestTorqueOffCommands(t *testing.T) {
	b := newBench(t)
	b.write(1, dynamixel.GoalPosition, 3000)
	b.wait(time.Second)
	require.Zero(t, b.shafts[0].Angle)
	b.write(1, dynamixel.TorqueEnable, 1)
	b.wait(time.Second)
	require.Zero(t, b.shafts[0].Angle)

	b.write(1, dynamixel.TorqueEnable, 0)
	b.write(1, dynamixel.DriveMode, dynamixel.DriveGoalTorque)
	b.write(1, dynamixel.GoalPosition, 2400)
	require.EqualValues(t, 1, b.read(1, dynamixel.TorqueEnable))
	b.wait(time.Second)
	require.InDelta(t, 2400, b.read(1, dynamixel.PresentPosition), 12)
}

// TestCommandDelay: a goal is shown at once and takes effect later.
func TestCommandDelay(t *testing.T) {
	for _, delay := range []time.Duration{0, 3 * time.Millisecond, 8 * time.Millisecond} {
		b := newBench(t, blocked, func(s *setup) { s.params.CommandDelay = delay })
		b.mode(1, dynamixel.ModeCurrent)
		b.wait(20 * time.Millisecond)
		from := b.clock.Now()
		require.NoError(t, b.bus.SyncWrite(dynamixel.GoalCurrent.Block(), []dynamixel.Item{{ID: 1, Data: []byte{100, 0}}}))
		b.wait(170 * time.Microsecond)
		require.EqualValues(t, 100, b.servos[0].Get(dynamixel.GoalCurrent))
		for b.servos[0].Torque() == 0 {
			b.wait(100 * time.Microsecond)
		}
		took := b.clock.Now() - from
		require.GreaterOrEqual(t, took, delay)
		require.LessOrEqual(t, took, delay+170*time.Microsecond+servotest.Default().Step+100*time.Microsecond)
	}
}

// TestManyCommandsUnderWay: the newest goal wins in the end.
func TestManyCommandsUnderWay(t *testing.T) {
	b := newBench(t, blocked, func(s *setup) { s.params.CommandDelay = 200 * time.Millisecond })
	b.mode(1, dynamixel.ModeCurrent)
	for i := range 400 {
		b.servos[0].Set(dynamixel.GoalCurrent, int32(i))
	}
	b.wait(250 * time.Millisecond)
	require.EqualValues(t, 399, b.read(1, dynamixel.PresentCurrent))
}
