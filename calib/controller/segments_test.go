package controller

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/sim"
	"twinrig/sim/mirror"
)

// hanging are the segmentParams of the virtual arm that made the motion.
var hanging = []float64{0.05, 0.22, 0.8, 1, 0.8, 0.8, 1, 1, 1}

// virtualSegments are motions of a virtual arm that hangs below its goals: its
// targets go down, outwards or sideways, each segment by other amounts.
func virtualSegments(t *testing.T, n int) []mirror.Segment {
	t.Helper()
	twin, cfg := segmentModel(hanging)
	kin := sim.NewKinematics()
	start := kin.Forward(mirror.NeutralPose)
	start.P[0] += 0.1
	segments := make([]mirror.Segment, n)
	for i := range segments {
		s := mirror.Segment{ID: fmt.Sprint("virtual/", i), Hz: 5}
		by := twinrig.Vec3{0.004 * math.Cos(float64(i)), 0.008 * math.Sin(float64(2*i)), -0.008}
		x := start
		for k := range 6 {
			if k > 0 {
				x.P = x.P.Add(by)
			}
			s.Targets = append(s.Targets, mirror.Waypoint{EE: x, Grip: 1})
			s.States = append(s.States, mirror.Waypoint{EE: start, Grip: 1})
		}
		segments[i] = s
	}
	r, err := mirror.NewReplayer(cfg, twin)
	require.NoError(t, err)
	defer r.Close()
	for i := range segments {
		// Against states that stand still the offsets are the motion.
		out, err := r.Replay(segments[i])
		require.NoError(t, err)
		for k, d := range out.Offsets {
			segments[i].States[k+1].EE.P = start.P.Add(d)
		}
	}
	return segments
}

func TestFitSegmentsFindsTheHangingArm(t *testing.T) {
	segments := virtualSegments(t, 4)
	var told []int
	s := Search{Generations: 8, Prior: 0.002, Seed: 3}
	f, err := FitSegments(context.Background(), segments, 2, s, func(done, _ int) { told = append(told, done) })
	require.NoError(t, err)
	require.Equal(t, []int{1, 2, 3}, told)
	require.Equal(t, [][]string{{"virtual/0", "virtual/2"}, {"virtual/1", "virtual/3"}}, [][]string{f.Folds[0].HeldOut, f.Folds[1].HeldOut})
	t.Logf("virtual: %.2f mm before, %.2f mm after, fitted %.3v", 1e3*f.Before.Position, 1e3*f.After.Position, f.Values)
	require.Greater(t, f.Before.Position, 0.005)
	require.Less(t, f.After.Position, f.Before.Position/3, "on held-out segments")
	require.InDelta(t, 0.8, f.Values[2], 0.4, "it hangs")

	squares := f.Left.Constant*f.Left.Constant + f.Left.Varying*f.Left.Varying
	require.InDelta(t, f.After.Position*f.After.Position, squares, 1e-12)
	axes := f.Left.Axes.Norm()
	require.InDelta(t, f.After.Position, axes, 1e-9)
}

func TestFitSegmentsRepeats(t *testing.T) {
	segments := virtualSegments(t, 2)
	s := Search{Generations: 2, Prior: 0.01, Seed: 3}
	a, err := FitSegments(context.Background(), segments, 2, s, nil)
	require.NoError(t, err)
	b, err := FitSegments(context.Background(), segments, 2, s, nil)
	require.NoError(t, err)
	require.Equal(t, a, b)
}

func TestGapOf(t *testing.T) {
	g := gapOf([]mirror.Replayed{
		{Gaps: []twinrig.Gap{{Translation: 0.003, Rotation: 0.02}}},
		{Gaps: []twinrig.Gap{{Translation: 0.001, Rotation: 0.04}, {Translation: 0.005, Rotation: 0.06}}},
	})
	require.Equal(t, 3, g.States)
	require.InDelta(t, math.Sqrt((9+1+25)/3.0)*1e-3, g.Position, 1e-12)
	require.InDelta(t, math.Sqrt((4+16+36)/3.0)*1e-2, g.Rotation, 1e-12)
	// Segments count alike, however long.
	require.InDelta(t, (0.013+(0.021+0.035)/2)/2, g.Simpler, 1e-12)
}

func TestFitSegmentsRefuses(t *testing.T) {
	_, err := FitSegments(context.Background(), make([]mirror.Segment, 3), 4, Search{}, nil)
	require.ErrorContains(t, err, "4 folds of 3 segments")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = FitSegments(ctx, virtualSegments(t, 2), 2, Search{Generations: 3}, nil)
	require.ErrorIs(t, err, context.Canceled)
}

func TestParamBounds(t *testing.T) {
	for _, c := range []struct {
		p             Param
		x, at, beyond float64
	}{
		{Param{Nominal: 2, Lo: 1, Hi: 8, Spread: math.Ln2, Log: true}, 1, 4, 0},
		{Param{Nominal: 2, Lo: 1, Hi: 8, Spread: math.Ln2, Log: true}, 3, 8, 1},
		{Param{Nominal: 0, Lo: -1, Hi: 1, Spread: 0.5}, -3, -1, 1},
		{Param{Nominal: 0, Lo: -1, Hi: 1, Spread: 0.5}, 1, 0.5, 0},
	} {
		require.InDelta(t, c.at, c.p.at(c.x), 1e-12)
		require.InDelta(t, c.beyond, c.p.outside(c.x), 1e-12)
	}
}
