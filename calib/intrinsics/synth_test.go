package intrinsics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/calib/target"
)

// webcam is like the nominal camera, with a lens that bends.
var webcam = Lens{623.6, 621.1, 325.2, 236.4, -0.21, 0.09, 0.0012, -0.0008, -0.02}

func testBoard(t testing.TB) target.Board {
	t.Helper()
	b, err := target.NewChessboard(9, 6, 0.025)
	require.NoError(t, err)
	return b
}

// synth draws samples of a known camera: boards at random places and tilts that
// are wholly in the picture, each corner off by Gaussian noise of sigma px in
// each direction.
type synth struct {
	lens  Lens
	w, h  int
	board target.Board
	noise float64
	// tilt is the standard deviation of the boards' tilt in rad.
	tilt float64
	rng  *rand.Rand
}

func newSynth(t testing.TB, l Lens, w, h int, noise float64, seed uint64) *synth {
	return &synth{lens: l, w: w, h: h, board: testBoard(t), noise: noise, tilt: 0.5, rng: rand.New(rand.NewPCG(seed, 5))}
}

func (s *synth) samples(n int) []Sample {
	var out []Sample
	for len(out) < n {
		if v, ok := s.view(s.pose()); ok {
			v.Name = fmt.Sprintf("view%02d.png", len(out))
			v.PictureSHA256 = v.Name
			out = append(out, v)
		}
	}
	return out
}

func (s *synth) pose() twinrig.Pose {
	r := twinrig.QuatFromRPY(s.tilt*s.rng.NormFloat64(), s.tilt*s.rng.NormFloat64(), s.tilt*s.rng.NormFloat64())
	z := 0.3 + 0.3*s.rng.Float64()
	mid := twinrig.Vec3{
		(s.rng.Float64() - 0.5) * z * float64(s.w) / s.lens[0],
		(s.rng.Float64() - 0.5) * z * float64(s.h) / s.lens[1], z,
	}
	return twinrig.Pose{R: r, P: mid.Sub(r.Rotate(s.board.Centre()))}
}

// view is the board as the camera sees it; ok is false when it is cut.
func (s *synth) view(x twinrig.Pose) (Sample, bool) {
	v := Sample{Version: sampleVersion, WidthPx: s.w, HeightPx: s.h, Board: s.board, Method: "projected", BlurPx: 2}
	// Nobody sees a board from behind, or from its edge.
	mid := x.Apply(s.board.Centre())
	normal := x.R.Rotate(twinrig.Vec3{0, 0, 1})
	if (normal[0]*mid[0]+normal[1]*mid[1]+normal[2]*mid[2])/mid.Norm() < 0.35 {
		return v, false
	}
	for id := range s.board.Corners() {
		px, py := s.lens.Project(x.Apply(s.board.Corner(id)))
		if !(px > 5 && py > 5 && px < float64(s.w-6) && py < float64(s.h-6)) {
			return v, false
		}
		v.Corners = append(v.Corners, target.Corner{ID: id, X: px + s.noise*s.rng.NormFloat64(), Y: py + s.noise*s.rng.NormFloat64()})
	}
	return v, true
}

func names(d []Dropped) []string {
	var out []string
	for _, v := range d {
		out = append(out, v.Name)
	}
	return out
}

func TestLensDerivatives(t *testing.T) {
	p := twinrig.Vec3{0.11, -0.07, 0.42}
	var d slopes
	u, v := webcam.projectWith(p, &d)
	wu, wv := webcam.Project(p)
	require.InDelta(t, wu, u, 1e-9)
	require.InDelta(t, wv, v, 1e-9)
	for i := range NumParams {
		h := 1e-6 * max(1, math.Abs(webcam[i]))
		lo, hi := webcam, webcam
		lo[i] -= h
		hi[i] += h
		lu, lv := lo.Project(p)
		hu, hv := hi.Project(p)
		require.InDelta(t, (hu-lu)/(2*h), d.lens[0][i], 1e-4, ParamNames[i])
		require.InDelta(t, (hv-lv)/(2*h), d.lens[1][i], 1e-4, ParamNames[i])
	}
	for i := range 3 {
		const h = 1e-6
		lo, hi := p, p
		lo[i] -= h
		hi[i] += h
		lu, lv := webcam.Project(lo)
		hu, hv := webcam.Project(hi)
		require.InDelta(t, (hu-lu)/(2*h), d.point[0][i], 1e-3)
		require.InDelta(t, (hv-lv)/(2*h), d.point[1][i], 1e-3)
	}
}

func TestLensBehindTheCamera(t *testing.T) {
	u, v := webcam.Project(twinrig.Vec3{0, 0, -1})
	require.True(t, math.IsNaN(u) && math.IsNaN(v))
}
