package servotest_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
)

// TestProfiles: how long the trajectory of a move of 1000 pulses takes, and how
// fast it gets.
func TestProfiles(t *testing.T) {
	const pulses = 1000
	rad := pulses * dynamixel.RadPerPulse
	speed := 50 * dynamixel.RadPerSecPerStep
	accel := 10 * dynamixel.RadPerSec2PerStep
	for _, tc := range []struct {
		name            string
		timed           bool
		velocity, accel int32
		seconds         float64
		peak            float64 // rad/s
		status          int32   // profile type in Moving Status
	}{
		{"rectangle", false, 50, 0, rad / speed, speed, 0x10},
		{"trapezoid", false, 50, 10, rad/speed + speed/accel, speed, 0x30},
		{"triangle", false, 2000, 10, 2 * math.Sqrt(rad/accel), math.Sqrt(rad * accel), 0x30},
		{"timed", true, 2000, 300, 2, rad / 1.7, 0x30},
		{"timed, half of it up", true, 2000, 1500, 2, rad / 1, 0x30},
		{"timed rectangle", true, 1000, 0, 1, rad / 1, 0x10},
	} {
		for _, sign := range []int32{1, -1} {
			b := newBench(t)
			if tc.timed {
				b.write(1, dynamixel.DriveMode, dynamixel.DriveTimeProfile)
			}
			b.write(1, dynamixel.TorqueEnable, 1)
			b.write(1, dynamixel.ProfileVelocity, tc.velocity)
			b.write(1, dynamixel.ProfileAcceleration, tc.accel)
			b.write(1, dynamixel.GoalPosition, 2048+sign*pulses)
			s := b.servos[0]
			from, peak := b.clock.Now(), int32(0)
			b.wait(2 * time.Millisecond)
			require.Equal(t, tc.status, s.Get(dynamixel.MovingStatus)&0x30, tc.name)
			for s.Get(dynamixel.MovingStatus)&2 != 0 {
				b.wait(time.Millisecond)
				peak = max(peak, sign*s.Get(dynamixel.VelocityTrajectory))
			}
			require.InDelta(t, tc.seconds, (b.clock.Now() - from).Seconds(), 0.02, tc.name)
			require.InDelta(t, tc.peak/dynamixel.RadPerSecPerStep, peak, 2.5, tc.name)
			require.Equal(t, 2048+sign*pulses, s.Get(dynamixel.PositionTrajectory))
			b.wait(time.Second)
			require.InDelta(t, 2048+sign*pulses, s.Get(dynamixel.PresentPosition), 12)
		}
	}
}

// TestGoalsUnderWay: a new goal in the middle of a move never makes the
// trajectory jump, and it ends at the last one.
func TestGoalsUnderWay(t *testing.T) {
	b := newBench(t)
	b.write(1, dynamixel.TorqueEnable, 1)
	b.write(1, dynamixel.ProfileVelocity, 60)
	b.write(1, dynamixel.ProfileAcceleration, 20)
	s := b.servos[0]
	fastest := 60*dynamixel.RadPerSecPerStep/dynamixel.RadPerPulse/1000 + 1
	at := s.Get(dynamixel.PositionTrajectory)
	for i, goal := range []int32{3000, 1000, 2500, 2450, 2600} {
		s.Set(dynamixel.GoalPosition, goal)
		for range 200 * (i + 1) {
			b.wait(time.Millisecond)
			next := s.Get(dynamixel.PositionTrajectory)
			require.LessOrEqual(t, math.Abs(float64(next-at)), fastest)
			at = next
		}
	}
	b.wait(5 * time.Second)
	require.EqualValues(t, 2600, s.Get(dynamixel.PositionTrajectory))
}
