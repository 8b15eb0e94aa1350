package sim

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/drivers/armtest"
)

// TestArmKeepsTheContract runs the suite in both modes. In ModePosition the
// servos sag under gravity, as real ones do unless the host offsets their goals
// (twinrig.GravityOffset), which the suite does not: there nothing pulls.
func TestArmKeepsTheContract(t *testing.T) {
	for _, mode := range []twinrig.Mode{twinrig.ModeTorque, twinrig.ModePosition} {
		t.Run(mode.String(), func(t *testing.T) {
			armtest.Suite(t, func(t *testing.T) armtest.Fixture {
				spec := Spec{Params: NominalParams()}
				if mode == twinrig.ModePosition {
					spec.Params.Gravity = 0
				}
				w, err := NewWorld(spec)
				require.NoError(t, err)
				t.Cleanup(w.Close)
				w.SetArm(twinrig.Joints{0.3, -0.5, 0.6, 0.4, 0.5, -0.4}, twinrig.Grip(0.5).Finger())
				cfg := DefaultArmConfig(mode)
				a, err := NewArm(w, cfg)
				require.NoError(t, err)
				f := armtest.Fixture{
					Arm: a, Mode: mode, Period: 5 * time.Millisecond,
					Limits: twinrig.PositionLimits, EffortLimit: cfg.EffortLimit,
					Gains: twinrig.Gains{
						Kp: twinrig.Joints{40, 80, 60, 20, 20, 0},
						Kd: twinrig.Joints{2, 4, 3, 0.6, 0.6, 0},
					},
					Gravity:   w.kin.Gravity,
					Tolerance: 0.02,
				}
				now := time.Duration(0)
				f.Now = func() time.Duration { return now }
				f.Advance = func(d time.Duration) { now += d }
				return f
			})
		})
	}
}

func TestArmFallsWhenHalted(t *testing.T) {
	for _, enabled := range []bool{true, false} {
		w := newWorld(t)
		a, err := NewArm(w, DefaultArmConfig(twinrig.ModeTorque))
		require.NoError(t, err)
		if enabled {
			require.NoError(t, a.Enable())
		}
		var s twinrig.State
		require.NoError(t, a.Read(500*time.Millisecond, &s))
		if enabled {
			require.InDelta(t, 0, s.Measured.MaxAbs(), 0.005)
			require.InDelta(t, -1.877, s.Effort[twinrig.Shoulder], 0.01)
		} else {
			require.Greater(t, s.Measured[twinrig.Shoulder], 0.2)
			require.Zero(t, s.Effort[twinrig.Shoulder])
			require.Zero(t, s.Load)
		}
	}
}

// TestReadStepsToNow counts the steps that Read makes.
func TestReadStepsToNow(t *testing.T) {
	w := newWorld(t)
	hold(t, w, 10*time.Millisecond)
	a, err := NewArm(w, DefaultArmConfig(twinrig.ModeTorque))
	require.NoError(t, err)
	var s twinrig.State
	for _, c := range []struct{ now, world time.Duration }{
		{4 * time.Millisecond, 10 * time.Millisecond}, // the past stays
		{10 * time.Millisecond, 10 * time.Millisecond},
		{13 * time.Millisecond, 14 * time.Millisecond},
		{14 * time.Millisecond, 14 * time.Millisecond},
		{15 * time.Millisecond, 16 * time.Millisecond},
	} {
		require.NoError(t, a.Read(c.now, &s))
		require.Equal(t, c.now, s.Stamp)
		require.Equal(t, c.world, w.Time())
	}
	require.NoError(t, a.Enable())
	require.Zero(t, testing.AllocsPerRun(10, func() {
		_ = a.Read(s.Stamp+2*time.Millisecond, &s)
		_, _ = a.Write(s.Stamp, twinrig.Command{Effort: twinrig.Joints{0, -1}})
	}))
}

func TestServo(t *testing.T) {
	s := Servo{Stiffness: 10, Stall: 2, Damping: 0.5}
	for _, c := range []struct{ goal, pos, vel, torque, share float64 }{
		{0.1, 0, 0, 1, 0.5},
		{-0.1, 0, 0, -1, -0.5},
		{1, 0, 0, 2, 1},
		{1, 0, 4, 0, 1}, // the speed without load
		{0, 0, 1, -0.5, 0},
	} {
		torque, share := s.output(c.goal, c.pos, c.vel)
		require.InDelta(t, c.torque, torque, 1e-12)
		require.InDelta(t, c.share, share, 1e-12)
	}
}

func TestNewArmRefuses(t *testing.T) {
	w := newWorld(t)
	for _, change := range []func(*ArmConfig){
		func(c *ArmConfig) { c.Servos[twinrig.Elbow].Stiffness = 0 },
		func(c *ArmConfig) { c.Gripper.Stall = math.NaN() },
		func(c *ArmConfig) { c.EffortLimit[twinrig.Waist] = 0 },
	} {
		cfg := DefaultArmConfig(twinrig.ModeTorque)
		change(&cfg)
		_, err := NewArm(w, cfg)
		require.ErrorContains(t, err, "must be positive")
	}
}
