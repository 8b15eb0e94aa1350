package intrinsics

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/calib"
	"twinrig/calib/target"
)

func TestExactCornersGiveTheExactLens(t *testing.T) {
	for _, c := range []struct {
		name string
		lens Lens
		w, h int
	}{
		{"webcam", webcam, 640, 480},
		{"wide", Lens{310, 312, 330, 231, -0.28, 0.09, 0, 0, -0.012}, 640, 480},
		{"long", Lens{2400, 2390, 655, 350, 0.05, -0.2, 0.001, 0.002, 0}, 1280, 720},
		{"upright", Lens{700, 700, 245, 322, -0.1, 0, 0, 0, 0}, 480, 640},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSynth(t, c.lens, c.w, c.h, 0, 1)
			if c.name == "long" {
				s.board.SquareM = 0.008
			}
			r, err := Solve(s.samples(12))
			require.NoError(t, err)
			require.Empty(t, r.Dropped)
			for i := range c.lens {
				require.InDelta(t, c.lens[i], r.Lens[i], 1e-4*max(1, math.Abs(c.lens[i])), ParamNames[i])
			}
			require.Less(t, r.RMSPx, 1e-5)
			require.Less(t, r.HeldOutRMSPx, 1e-4)
		})
	}
}

// With 0.2 px of noise and 15 views the focal length must come within 0.8 % on
// every seed, and the errors must be as large as the printed deviations say: the
// root mean square of their ratios is 1.
func TestDeviationsAreTrue(t *testing.T) {
	const seeds = 40
	var fitted, jackknifed float64
	for seed := range uint64(seeds) {
		r, err := Solve(newSynth(t, webcam, 640, 480, 0.2, seed).samples(15))
		require.NoError(t, err)
		require.InDelta(t, webcam[0], r.Lens[0], 0.008*webcam[0])
		require.InDelta(t, 0.2*math.Sqrt2, r.RMSPx, 0.03)
		require.Less(t, r.MeanPx, r.RMSPx)
		require.InDelta(t, r.RMSPx, r.HeldOutRMSPx, 0.08)
		for i := range NumParams {
			fitted += math.Pow((r.Lens[i]-webcam[i])/r.Deviation[i], 2) / (seeds * NumParams)
			jackknifed += math.Pow((r.Lens[i]-webcam[i])/r.Jackknife[i], 2) / (seeds * NumParams)
		}
	}
	t.Logf("errors by deviation: fit %.2f, jackknife %.2f", math.Sqrt(fitted), math.Sqrt(jackknifed))
	require.InDelta(t, 1, math.Sqrt(fitted), 0.2)
	require.InDelta(t, 1, math.Sqrt(jackknifed), 0.3)
}

func TestSolveIsPureAndHasNoFavouriteOrder(t *testing.T) {
	samples := newSynth(t, webcam, 640, 480, 0.2, 3).samples(10)
	a, err := Solve(samples)
	require.NoError(t, err)
	b, err := Solve(samples)
	require.NoError(t, err)
	require.Equal(t, a, b)
	slices.Reverse(samples)
	c, err := Solve(samples)
	require.NoError(t, err)
	for i := range a.Lens {
		require.InDelta(t, a.Lens[i], c.Lens[i], 1e-5*max(1, math.Abs(a.Lens[i])))
	}
}

// Views of a ChArUco board that the picture's rim cuts count with what is seen.
func TestPartialViews(t *testing.T) {
	samples := newSynth(t, webcam, 640, 480, 0.2, 4).samples(15)
	for i := range samples {
		samples[i].Corners = samples[i].Corners[i : 20+2*i]
	}
	r, err := Solve(samples)
	require.NoError(t, err)
	require.Empty(t, r.Dropped)
	require.InDelta(t, webcam[0], r.Lens[0], 4*r.Deviation[0])
}

// tilted is a board that fills much of the picture.
var tilted = twinrig.Pose{R: twinrig.QuatFromRPY(0.5, -0.5, 0.1), P: twinrig.Vec3{-0.08, -0.06, 0.42}}

func TestBadViewsAreNamedAndLeftOut(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*synth, *Sample)
		why   string
	}{
		{"two corners swapped", func(_ *synth, v *Sample) {
			v.Corners[3].X, v.Corners[4].X = v.Corners[4].X, v.Corners[3].X
			v.Corners[3].Y, v.Corners[4].Y = v.Corners[4].Y, v.Corners[3].Y
		}, "swapped or misread"},
		{"one corner off by 4 px", func(_ *synth, v *Sample) { v.Corners[20].Y += 4 }, "corner 20 is"},
		{"rows swapped", func(_ *synth, v *Sample) {
			for i := range 9 {
				v.Corners[i].ID, v.Corners[i+9].ID = v.Corners[i+9].ID, v.Corners[i].ID
			}
		}, "corners misread"},
		{"blurred", func(_ *synth, v *Sample) { v.BlurPx = 4.5 }, "blurred: edges are 4.5 px wide where the median view has 2.0"},
		{"very blurred", func(_ *synth, v *Sample) { v.BlurPx = 9 }, "blurred: edges are 9.0 px wide, 6 is the limit"},
		{"blur moved the corners", func(s *synth, v *Sample) {
			for i := range v.Corners {
				v.Corners[i].X += 0.6 * s.rng.NormFloat64()
			}
		}, "residual"},
		{"board of another shape", func(s *synth, v *Sample) {
			// Its squares are not square: 25 x 27 mm.
			for i := range v.Corners {
				at := s.board.Corner(i)
				at[1] *= 27.0 / 25
				v.Corners[i].X, v.Corners[i].Y = s.lens.Project(tilted.Apply(at))
			}
		}, "wrong board, corners misread, bent board or blur"},
		{"bent board", func(s *synth, v *Sample) {
			for i := range v.Corners {
				at := s.board.Corner(i)
				at[2] = 0.004 * math.Cos(20*at[0])
				v.Corners[i].X, v.Corners[i].Y = s.lens.Project(tilted.Apply(at))
			}
		}, "bent board or blur"},
		{"wrong board", func(_ *synth, v *Sample) { v.Board.Cols, v.Board.Rows = 6, 9 }, "wrong board: 6x9 chessboard"},
		{"mirrored", func(s *synth, v *Sample) {
			for i := range v.Corners {
				v.Corners[i].X = float64(s.w-1) - v.Corners[i].X
			}
		}, "mirrored"},
		{"another size", func(_ *synth, v *Sample) { v.WidthPx, v.HeightPx = 1280, 960 }, "has 1280 x 960 pixels where the others have 640 x 480"},
		{"the same picture", func(_ *synth, v *Sample) { v.PictureSHA256 = "view00.png" }, "is the same picture as view00.png"},
		{"corners on a line", func(_ *synth, v *Sample) { v.Corners = v.Corners[:9] }, "the corners lie on a line"},
		{"no corners", func(_ *synth, v *Sample) { v.Corners = nil }, "has 0 corners"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(3) {
				s := newSynth(t, webcam, 640, 480, 0.15, seed)
				samples := s.samples(12)
				c.spoil(s, &samples[5])
				r, err := Solve(samples)
				require.NoError(t, err)
				require.Equal(t, []string{"view05.png"}, names(r.Dropped), "seed %d: %v", seed, r.Dropped)
				require.Contains(t, r.Dropped[0].Why, c.why)
				require.Len(t, r.Views, 11)
				require.InDelta(t, webcam[0], r.Lens[0], 5*r.Deviation[0], "seed %d", seed)
			}
		})
	}
}

// A third of the views may be bad, each in its own way.
func TestManyBadViews(t *testing.T) {
	for seed := range uint64(5) {
		s := newSynth(t, webcam, 640, 480, 0.15, seed)
		samples := s.samples(15)
		var want []string
		for _, i := range []int{1, 4, 7, 11, 14} {
			for k := range samples[i].Corners {
				samples[i].Corners[k].X += 3 * s.rng.NormFloat64()
			}
			want = append(want, samples[i].Name)
		}
		r, err := Solve(samples)
		require.NoError(t, err)
		got := names(r.Dropped)
		slices.Sort(got)
		require.Equal(t, want, got)
		require.InDelta(t, webcam[0], r.Lens[0], 5*r.Deviation[0])
	}
}

func TestGoodViewsStay(t *testing.T) {
	dropped := 0
	for seed := range uint64(20) {
		r, err := Solve(newSynth(t, webcam, 640, 480, 0.3, seed).samples(15))
		require.NoError(t, err)
		dropped += len(r.Dropped)
	}
	require.Zero(t, dropped, "of 300 good views")
}

func TestDegenerateSetsAreRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(*synth) []Sample
		want string
	}{
		{"none", func(*synth) []Sample { return nil }, "there is none"},
		{"four", func(s *synth) []Sample { return s.samples(4) }, "4 usable, at least 5 are needed: take more"},
		{"four and a blurred one", func(s *synth) []Sample {
			v := s.samples(5)
			v[2].BlurPx = 8
			return v
		}, "view02.png: blurred"},
		{"all at one pose", func(s *synth) []Sample {
			var out []Sample
			x := twinrig.Pose{R: twinrig.QuatFromRPY(0.3, 0.2, 0), P: twinrig.Vec3{-0.1, -0.06, 0.5}}
			for i := range 10 {
				v, _ := s.view(x)
				v.Name = fmt.Sprint(i)
				out = append(out, v)
			}
			return out
		}, "tilt it"},
		{"all parallel to the picture", func(s *synth) []Sample {
			s.tilt = 0.01
			return s.samples(15)
		}, "tilt it"},
		{"turned about the axis only", func(s *synth) []Sample {
			var out []Sample
			for len(out) < 10 {
				r := twinrig.QuatFromRPY(0, 0, 0.3*s.rng.NormFloat64())
				v, ok := s.view(twinrig.Pose{R: r, P: twinrig.Vec3{0, 0, 0.6}.Sub(r.Rotate(s.board.Centre()))})
				if ok {
					v.Name = fmt.Sprint(len(out))
					out = append(out, v)
				}
			}
			return out
		}, "tilt it"},
		{"another zoom in half of them", func(s *synth) []Sample {
			v := s.samples(6)
			s.lens[0], s.lens[1] = 900, 900
			more := s.samples(6)
			for i := range more {
				more[i].Name = "zoomed" + more[i].Name
				more[i].PictureSHA256 = more[i].Name
			}
			return append(v, more...)
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(4) {
				r, err := Solve(c.make(newSynth(t, webcam, 640, 480, 0.2, seed)))
				require.ErrorIs(t, err, ErrDegenerate, "%+v", r.Lens)
				require.ErrorContains(t, err, c.want)
			}
		})
	}
}

func TestWarnings(t *testing.T) {
	s := newSynth(t, webcam, 640, 480, 0.1, 8)
	s.tilt = 0.13
	r, err := Solve(s.samples(14))
	require.NoError(t, err)
	require.Len(t, r.Warnings, 1)
	require.Contains(t, r.Warnings[0], "tilt more")

	// A print that is 2 % longer in one direction.
	s = newSynth(t, webcam, 640, 480, 0.1, 8)
	s.lens[1] = s.lens[0] * 1.02
	r, err = Solve(s.samples(14))
	require.NoError(t, err)
	require.Contains(t, r.Warnings[len(r.Warnings)-1], "fx and fy differ by 2.0 %")
}

func TestLensOfACamera(t *testing.T) {
	c := calib.Nominal().Camera
	l := LensOf(&c)
	x := c.BaseFromCamera
	webcam.Put(&c, 1280, 720)
	require.Equal(t, webcam, LensOf(&c))
	require.Equal(t, x, c.BaseFromCamera)
	require.Equal(t, [2]int{1280, 720}, [2]int{c.WidthPx, c.HeightPx})
	require.NotEqual(t, l, LensOf(&c))
}

func TestCoverage(t *testing.T) {
	g := NewCoverage(640, 480)
	require.Zero(t, g.Share())
	g.Add([]target.Corner{{X: 1, Y: 1}, {X: 639, Y: 479}, {X: 639, Y: 479}, {X: -1, Y: 5}, {X: 640, Y: 5}})
	require.InDelta(t, 2.0/48, g.Share(), 1e-12)
	require.Equal(t, 2, g.Cells[GridRows-1][GridCols-1])
}
