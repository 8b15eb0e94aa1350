package extrinsics

import (
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/calib/target"
)

// The camera is found to what the noise allows, and the deviations say so: over
// all seeds the errors are what they promise.
func TestSolveFindsTheCamera(t *testing.T) {
	var promised float64
	const seeds = 8
	for seed := range uint64(seeds) {
		s := newSynth(t, seed)
		r, err := Solve(s.samples(t, 24), s.lens, DefaultOptions())
		require.NoError(t, err)
		require.Empty(t, r.Dropped)
		require.Empty(t, r.Warnings)
		dist, angle := r.BaseFromCamera.Gap(s.camera)
		t.Logf("seed %d: off by %.2f mm, %.3f deg; known to %.2f mm, %.3f deg; mean %.2f px, held out %.2f px", seed,
			1000*dist, angle*deg, 1000*r.PositionDeviation(), r.RotationDeviation()*deg, r.MeanPx, r.HeldOutMeanPx)
		require.Less(t, 1000*dist, 1.0)
		require.Less(t, angle*deg, 0.2)
		promised += sq(dist/r.PositionDeviation()) / seeds
		require.Greater(t, r.HeldOutMeanPx, r.MeanPx)
		require.Less(t, r.HeldOutMeanPx, 1.5*r.MeanPx)
		require.InDelta(t, s.pixel, r.PixelPx, 0.05)
		require.InDelta(t, 1, r.Scale, 5*r.ScaleDeviation)
		require.Less(t, r.ScaleDeviation, 0.003)
		require.Greater(t, r.InversePx, 100.0)
		dist, _ = r.HandFromBoard.Gap(s.held)
		require.Less(t, 1000*dist, 4.0)
	}
	require.Less(t, promised, 2.0)
	require.Greater(t, promised, 0.3)
}

// Without noise nothing is left.
func TestSolveIsExact(t *testing.T) {
	s := newSynth(t, 1)
	s.pixel, s.reading, s.zeros = 0, 0, twinrig.Joints{}
	samples := s.samples(t, 12)
	r, err := Solve(samples, s.lens, DefaultOptions())
	require.NoError(t, err)
	dist, angle := r.BaseFromCamera.Gap(s.camera)
	require.Less(t, dist, 1e-6)
	require.Less(t, angle, 1e-6)
	require.Less(t, r.MeanPx, 1e-3)
	again, err := Solve(samples, s.lens, DefaultOptions())
	require.NoError(t, err)
	require.Equal(t, r, again, "solving is pure")
}

// Single bad views are named, and have no part in the result.
func TestSolveDropsBadViews(t *testing.T) {
	for _, c := range []struct {
		name, why string
		spoil     func(*synth, *Sample)
	}{
		{"bumped while the picture was taken", "arm moved or was bumped", func(_ *synth, v *Sample) { v.Spread = 0.02 }},
		{"held off by a hand", "bumped or loaded arm", func(_ *synth, v *Sample) { v.Joints[twinrig.Shoulder] += 1.5 / deg }},
		{"of another pose", "bumped arm, board touched", func(_ *synth, v *Sample) { v.Joints[twinrig.Waist] += 30 / deg }},
		{"blurred", "blurred: edges are 8.0 px wide", func(_ *synth, v *Sample) { v.View.BlurPx = 8 }},
		{"less blurred", "blurred: edges are 5.0 px wide where the median view has 2.0", func(_ *synth, v *Sample) { v.View.BlurPx = 5 }},
		{"corners misread", "corners misread", func(s *synth, v *Sample) {
			for i := range v.View.Corners {
				v.View.Corners[i].X += 4 * s.rng.NormFloat64()
			}
		}},
		{"mirrored", "mirrored", func(_ *synth, v *Sample) { mirrorOf(v) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSynth(t, 3)
			samples := s.samples(t, 20)
			for _, i := range []int{4, 11} {
				c.spoil(s, &samples[i])
			}
			r, err := Solve(samples, s.lens, DefaultOptions())
			require.NoError(t, err)
			require.Len(t, r.Dropped, 2)
			for k, i := range []int{4, 11} {
				require.Equal(t, samples[i].View.Name, r.Dropped[k].Name)
				require.Contains(t, r.Dropped[k].Why, c.why)
			}
			dist, _ := r.BaseFromCamera.Gap(s.camera)
			require.Less(t, 1000*dist, 1.0)
		})
	}
}

// mirrorOf swaps left and right without counting the corners anew.
func mirrorOf(v *Sample) {
	for i := range v.View.Corners {
		v.View.Corners[i].X = 639 - v.View.Corners[i].X
	}
}

// One misread corner in a view costs the corner its weight, not the view.
func TestSolveWithstandsBadCorners(t *testing.T) {
	s := newSynth(t, 2)
	samples := s.samples(t, 20)
	for i := range samples {
		samples[i].View.Corners[i].Y += 4
	}
	r, err := Solve(samples, s.lens, DefaultOptions())
	require.NoError(t, err)
	require.Empty(t, r.Dropped)
	dist, _ := r.BaseFromCamera.Gap(s.camera)
	require.Less(t, 1000*dist, 1.0)
}

// A chessboard whose corners were counted from the other end in some views is
// turned round; the caller's samples are not.
func TestSolveTurnsChessboards(t *testing.T) {
	s := newSynth(t, 5)
	samples := s.samples(t, 20)
	var want []string
	for i := range samples {
		if i%3 == 1 {
			want = append(want, samples[i].View.Name)
			v := view{corners: samples[i].View.Corners}.turned(&s.board)
			samples[i].View.Corners = v.corners
		}
	}
	r, err := Solve(samples, s.lens, DefaultOptions())
	require.NoError(t, err)
	require.Equal(t, want, r.Turned)
	require.Contains(t, r.Warnings[0], "counted from its other end")
	dist, _ := r.BaseFromCamera.Gap(s.camera)
	require.Less(t, 1000*dist, 1.0)
	require.Len(t, r.Views, 20)
	for _, v := range r.Views {
		require.Less(t, v.RMSPx, 5.0)
	}
}

// A board on the table tells how far the table is from z = 0.
func TestTablePlane(t *testing.T) {
	s := newSynth(t, 4)
	samples := s.samples(t, 20)
	const high = 0.004
	x := twinrig.Pose{R: twinrig.QuatFromRPY(3.14159265, 0.003, 0.4), P: twinrig.Vec3{0.30, 0.05, high}}
	seen := s.camera.Inv().Mul(x)
	v := samples[0]
	v.Where, v.View.Name = OnTable, "table000.png"
	v.View.Corners = nil
	for id := range s.board.Corners() {
		px, py := s.lens.Project(seen.Apply(s.board.Corner(id)))
		v.View.Corners = append(v.View.Corners, target.Corner{ID: id, X: px, Y: py})
	}
	r, err := Solve(append(samples, v), s.lens, Options{Reading: DefaultOptions().Reading, Zero: DefaultOptions().Zero, BoardThickness: 0.001})
	require.NoError(t, err)
	require.InDelta(t, high-0.001, r.Table.Mean, 0.001)
	require.Greater(t, r.Table.RMS, 0.001)
	require.InDelta(t, 0.003, r.Table.Tilt, 0.005)
}
