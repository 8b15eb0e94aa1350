package twinrig

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEffortUsesEachJointsOwnNumbers(t *testing.T) {
	g := Gains{Kp: Joints{1, 2, 3, 4, 5, 6}, Kd: Joints{10, 20, 30, 40, 50, 60}}
	goal := Goal{Joints: Joints{1, 1, 1, 1, 1, 1}, Velocity: Joints{2, 2, 2, 2, 2, 2}}
	s := State{Measured: Joints{0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, Velocity: Joints{1, 1, 1, 1, 1, 1}}
	got := g.Effort(&goal, &s, Joints{100, 200, 300, 400, 500, 600})
	require.InDeltaSlice(t, []float64{110.9, 221.6, 332.1, 442.4, 552.5, 662.4}, got[:], 1e-12)
}

// Friction is made up for by the wanted speed alone: whole where it is fast, nothing at
// rest, and smooth between.
func TestEffortMakesUpForFriction(t *testing.T) {
	g := Gains{Friction: Friction{Coulomb: Joints{0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, Viscous: Joints{1, 2, 3, 4, 5, 6}, Smooth: 0.05}}
	at := func(speed float64) Joints {
		return g.Effort(&Goal{Velocity: Joints{speed, speed, speed, speed, speed, speed}}, &State{}, Joints{})
	}
	fast, slow := at(0.5), at(-0.05)
	require.InDeltaSlice(t, []float64{0.6, 1.2, 1.8, 2.4, 3, 3.6}, fast[:], 1e-8)
	require.InDeltaSlice(t, []float64{-0.126159, -0.252319, -0.378478, -0.504638, -0.630797, -0.756956}, slow[:], 1e-6)
	moving := g.Effort(&Goal{}, &State{Velocity: Joints{3, -3, 3, -3, 3, -3}}, Joints{})
	require.Zero(t, moving, "the measured speed does not count")
	for v := -0.2; v < 0.2; v += 0.001 {
		step := at(v + 0.001).Sub(at(v)).MaxAbs()
		require.Less(t, step, 0.001*(0.6/0.05+6)+1e-12)
	}
	g.Friction.Smooth = 0
	fast = at(0.5)
	require.InDeltaSlice(t, []float64{0.5, 1, 1.5, 2, 2.5, 3}, fast[:], 1e-12, "no Coulomb friction")
}

func TestLimits(t *testing.T) {
	require.InDelta(t, PositionLimits.Upper[Elbow], PositionLimits.Clamp(Joints{0, 0, 9, 0, 0, 0})[Elbow], 0)
	require.NoError(t, PositionLimits.Check(SleepPose))
	require.ErrorContains(t, PositionLimits.Check(Joints{0, 0, 0, 0, -1.8, 0}), "wrist_angle at -1.8000 rad")
	require.ErrorContains(t, PositionLimits.Check(Joints{math.NaN(), 0, 0, 0, 0, 0}), "waist")
	tau, cut := ClampEffort(Joints{-11, 1, 1, 1, 1, 1}, MaxEffort)
	require.True(t, cut)
	require.Equal(t, Joints{-10, 1, 1, 1, 1, 1}, tau)
}

func TestGripIsTravelOfOneFinger(t *testing.T) {
	require.InDelta(t, 0, float64(GripFromFinger(0.015)), 1e-12)
	require.InDelta(t, 1, float64(GripFromFinger(0.037)), 1e-12)
	require.InDelta(t, 0.0211, GripFromFinger(0.0211).Finger(), 1e-15)
}

func TestGravityOffsetSkipsUnknownStiffness(t *testing.T) {
	got := GravityOffset(Joints{1, 1, 1, 1, 1, 1}, Joints{2, 2, 2, 2, 2, 2}, Joints{0, 20, 40, 10, 8, 0})
	require.InDeltaSlice(t, []float64{1, 1.1, 1.05, 1.2, 1.25, 1}, got[:], 1e-12)
}

func TestInterventionNames(t *testing.T) {
	require.Equal(t, []string{"clipped_position", "refused_nan"}, (ClippedPosition | RefusedNaN).Names())
	require.Empty(t, Intervention(0).Names())
}
