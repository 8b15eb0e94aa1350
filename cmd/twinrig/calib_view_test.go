package main

import (
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"gocv.io/x/gocv"

	"twinrig"
	"twinrig/calib/intrinsics"
	"twinrig/calib/target"
	"twinrig/sim/virtual/webcam"
)

// The camera that sees the drawn boards: a pinhole without distortion.
const (
	viewW, viewH                   = 640, 480
	viewFx, viewFy, viewCx, viewCy = 612.0, 608.0, 322.5, 237.0
)

// flatBoard draws the 9x6 board of 25 mm squares, pxPerSquare pixels a square,
// with a white rim of one square.
func flatBoard(t testing.TB) gocv.Mat {
	t.Helper()
	m := gocv.NewMatWithSize(9*pxPerSquare, 12*pxPerSquare, gocv.MatTypeCV8U)
	pix, err := m.DataPtrUint8()
	require.NoError(t, err)
	for i := range pix {
		row, col := i/(12*pxPerSquare)/pxPerSquare-1, i%(12*pxPerSquare)/pxPerSquare-1
		pix[i] = 220
		if row >= 0 && row < 7 && col >= 0 && col < 10 && (row+col)%2 == 0 {
			pix[i] = 25
		}
	}
	return m
}

const pxPerSquare = 48

// viewFrom is the board at pose xCT as the camera sees it.
func viewFrom(t testing.TB, flat gocv.Mat, x twinrig.Pose) []byte {
	t.Helper()
	// From the drawing's pixels to the board: its inner corner 0 is two squares
	// in, and pixels are counted at their centres.
	const metre = 0.025 / pxPerSquare
	const origin = -2*0.025 + metre/2
	m := x.R.Matrix()
	h := gocv.NewMatWithSize(3, 3, gocv.MatTypeCV64F)
	defer h.Close()
	var c [3]twinrig.Vec3
	for i := range 3 {
		c[0][i] = m[i][0] * metre
		c[1][i] = m[i][1] * metre
		c[2][i] = (m[i][0]+m[i][1])*origin + x.P[i]
	}
	// Drawn over times as large, then shrunk, so that edges have no steps.
	const over = 3
	for j := range 3 {
		h.SetDoubleAt(0, j, over*(viewFx*c[j][0]+(viewCx+0.5)*c[j][2])-0.5*c[j][2])
		h.SetDoubleAt(1, j, over*(viewFy*c[j][1]+(viewCy+0.5)*c[j][2])-0.5*c[j][2])
		h.SetDoubleAt(2, j, c[j][2])
	}
	out := gocv.NewMat()
	defer out.Close()
	gocv.WarpPerspectiveWithParams(flat, &out, h, image.Pt(over*viewW, over*viewH), gocv.InterpolationLinear, gocv.BorderConstant, color.RGBA{R: 90, G: 90, B: 90})
	gocv.Resize(out, &out, image.Pt(viewW, viewH), 0, 0, gocv.InterpolationArea)
	gocv.GaussianBlur(out, &out, image.Pt(0, 0), 0.7, 0.7, gocv.BorderReplicate)
	return out.ToBytes()
}

// viewPoses are poses at which the whole board is in the picture.
func viewPoses(t testing.TB, n int, seed uint64) []twinrig.Pose {
	t.Helper()
	b, err := target.NewChessboard(9, 6, 0.025)
	require.NoError(t, err)
	lens := intrinsics.Lens{viewFx, viewFy, viewCx, viewCy}
	rng := rand.New(rand.NewPCG(seed, 1))
	var out []twinrig.Pose
	for len(out) < n {
		r := twinrig.QuatFromRPY(0.4*rng.NormFloat64(), 0.4*rng.NormFloat64(), 0.3*rng.NormFloat64())
		z := 0.35 + 0.2*rng.Float64()
		mid := twinrig.Vec3{(rng.Float64() - 0.5) * z, (rng.Float64() - 0.5) * 0.8 * z, z}
		x := twinrig.Pose{R: r, P: mid.Sub(r.Rotate(b.Centre()))}
		// The angle at which the camera sees it.
		inside := r.Inv().Rotate(mid)[2] > 0.65*mid.Norm()
		for id := range b.Corners() {
			u, v := lens.Project(x.Apply(b.Corner(id)))
			inside = inside && u > 20 && v > 20 && u < viewW-20 && v < viewH-20
		}
		if inside {
			out = append(out, x)
		}
	}
	return out
}

// writeViews writes n pictures of the board into dir as PNG.
func writeViews(t *testing.T, dir string, n int) {
	t.Helper()
	flat := flatBoard(t)
	defer flat.Close()
	for i, x := range viewPoses(t, n, 1) {
		m, err := gocv.NewMatFromBytes(viewH, viewW, gocv.MatTypeCV8U, viewFrom(t, flat, x))
		require.NoError(t, err)
		require.True(t, gocv.IMWrite(filepath.Join(dir, fmt.Sprintf("shot%02d.png", i)), m))
		require.NoError(t, m.Close())
	}
}

// hand holds the board before a camera, and moves it on when a view was kept or
// was not for a while.
type hand struct {
	dir    string // of the samples
	views  [][]byte
	mu     sync.Mutex
	at     int
	shown  int
	before int // samples when this view came
}

// picture is the webcam's source.
func (h *hand) picture(f *twinrig.Frame) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	kept, err := filepath.Glob(filepath.Join(h.dir, "*.corners.json"))
	if err != nil {
		return err
	}
	if h.shown++; len(kept) > h.before || h.shown > 150 {
		h.at, h.shown, h.before = (h.at+1)%len(h.views), 0, len(kept)
	}
	f.W, f.H, f.RGB = viewW, viewH, f.RGB[:0]
	for _, v := range h.views[h.at] {
		f.RGB = append(f.RGB, v, v, v)
	}
	return nil
}

// A webcam's stream is watched through the camera's driver until the set is
// complete, then solved and saved.
func TestCalibIntrinsicsFromACamera(t *testing.T) {
	flat := flatBoard(t)
	defer flat.Close()
	dir := t.TempDir()
	h := &hand{dir: filepath.Join(dir, "samples")}
	for _, x := range viewPoses(t, 40, 2) {
		h.views = append(h.views, viewFrom(t, flat, x))
	}
	cfg := webcam.DefaultConfig()
	cfg.Rate, cfg.Quality = 60, 95
	s, err := webcam.Serve(h.picture, cfg)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()

	stdout, guide, err := calibrate(t, "intrinsics", "--camera", s.URL(), "--board", "9x6", "--square-mm", "25",
		"--samples", h.dir, "--out", filepath.Join(dir, "lens"), "--json")
	require.NoError(t, err, guide)
	got := decodeLens(t, stdout)
	t.Logf("virtual: %d views, mean %.3f px, fx %.2f of %g", got.Views, got.MeanPx, got.Fx, viewFx)
	require.GreaterOrEqual(t, got.Views, 14)
	require.InEpsilon(t, viewFx, got.Fx, 0.005)
	require.NotNil(t, got.Saved)
	require.Contains(t, guide, "1 views, ")
	require.Contains(t, guide, "next: ")
	_, err = os.Stat(filepath.Join(h.dir, intrinsics.CoverageFile))
	require.NoError(t, err)
}
