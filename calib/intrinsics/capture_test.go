package intrinsics

import (
	"context"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gocv.io/x/gocv"

	"twinrig"
	"twinrig/calib/target"
)

// show is a camera before which a board is held still for some pictures at each
// pose, then moved on.
type show struct {
	t     testing.TB
	lens  Lens
	board target.Board
	poses []twinrig.Pose
	seq   uint64
	grey  []byte
}

var errOver = errors.New("show is over")

const stillPictures = 12

func (s *show) Wait(ctx context.Context, _ uint64, f *twinrig.Frame) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	i := int(s.seq) / stillPictures
	if i == len(s.poses) {
		return errOver
	}
	if s.seq%stillPictures == 0 {
		s.grey = render(s.t, &s.lens, &s.board, s.poses[i], 640, 480)
	}
	s.seq++
	f.Seq, f.Stamp, f.W, f.H = s.seq, time.Duration(s.seq)*33*time.Millisecond, 640, 480
	f.RGB = f.RGB[:0]
	for _, v := range s.grey {
		f.RGB = append(f.RGB, v, v, v)
	}
	return nil
}

// render draws the board as the lens sees it: each pixel's ray is bent back and
// met with the board's plane, two by two times, then the picture is softened as
// a lens does.
func render(t testing.TB, l *Lens, b *target.Board, x twinrig.Pose, w, h int) []byte {
	t.Helper()
	const over = 2
	inv := x.Inv()
	m := gocv.NewMatWithSize(h, w, gocv.MatTypeCV8U)
	defer m.Close()
	pix, err := m.DataPtrUint8()
	require.NoError(t, err)
	for v := range h {
		for u := range w {
			sum := 0
			for k := range over * over {
				px := float64(u) + (float64(k%over)+0.5)/over - 0.5
				py := float64(v) + (float64(k/over)+0.5)/over - 0.5
				sum += int(brightness(l, b, inv, px, py))
			}
			pix[v*w+u] = byte(sum / (over * over))
		}
	}
	gocv.GaussianBlur(m, &m, image.Pt(0, 0), 0.7, 0.7, gocv.BorderReplicate)
	return m.ToBytes()
}

func brightness(l *Lens, b *target.Board, inv twinrig.Pose, u, v float64) byte {
	x, y := l.unproject(u, v)
	o, d := inv.P, inv.R.Rotate(twinrig.Vec3{x, y, 1})
	at := o.Add(d.Scale(-o[2] / d[2]))
	col, row := at[0]/b.SquareM+1, at[1]/b.SquareM+1
	const rim = 0.8
	switch {
	case col < -rim || row < -rim || col > float64(b.Cols+1)+rim || row > float64(b.Rows+1)+rim:
		return 90
	case col < 0 || row < 0 || col >= float64(b.Cols+1) || row >= float64(b.Rows+1):
		return 220
	case (int(col)+int(row))%2 == 0:
		return 25
	}
	return 220
}

// unproject bends a pixel back to the plane z = 1.
func (l *Lens) unproject(u, v float64) (x, y float64) {
	tx, ty := (u-l[2])/l[0], (v-l[3])/l[1]
	x, y = tx, ty
	for range 8 {
		dx, dy := l.distort(x, y)
		x, y = x+tx-dx, y+ty-dy
	}
	return x, y
}

// A show is captured by itself, interrupted in the middle, continued, and solved
// from what is on disk: rendered pictures all the way.
func TestCaptureIsInterruptedAndContinued(t *testing.T) {
	s := newSynth(t, webcam, 640, 480, 0, 21)
	s.tilt = 0.4
	var poses []twinrig.Pose
	for len(poses) < 18 {
		if x := s.pose(); func() bool { _, ok := s.view(x); return ok }() {
			poses = append(poses, x)
		}
	}
	dir := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	cam := &show{t: t, lens: webcam, board: s.board, poses: poses}
	kept := 0
	err := Capture(ctx, cam, s.board, dir, func(p Progress) {
		if p.Verdict == Kept {
			if kept++; kept == 4 {
				stop()
			}
		}
	})
	require.ErrorIs(t, err, context.Canceled)
	samples, err := ReadSamples(dir)
	require.NoError(t, err)
	require.Len(t, samples, 4)

	cam.poses, cam.seq = poses[4:], 0
	var last Progress
	err = Capture(t.Context(), cam, s.board, dir, func(p Progress) { last = p })
	require.True(t, err == nil || errors.Is(err, errOver), "%v", err)
	samples, err = ReadSamples(dir)
	require.NoError(t, err)
	require.Len(t, samples, last.Views)
	require.GreaterOrEqual(t, len(samples), 12)

	r, err := Solve(samples)
	require.NoError(t, err)
	t.Logf("rendered: %d views, mean %.3f px, fx %.2f of %.2f (std. dev. %.2f), cx %.2f of %.2f", len(r.Views), r.MeanPx, r.Lens[0], webcam[0], r.Jackknife[0], r.Lens[2], webcam[2])
	require.Less(t, r.MeanPx, 0.1)
	require.InEpsilon(t, webcam[0], r.Lens[0], 0.003)
	require.InDelta(t, webcam[2], r.Lens[2], 1)
	require.InDelta(t, webcam[3], r.Lens[3], 1)

	// The pictures are there, as their digests say, and what is covered.
	for _, v := range samples {
		data, err := os.ReadFile(filepath.Join(dir, v.Name))
		require.NoError(t, err)
		require.Equal(t, v.PictureSHA256, digest(data))
	}
	f, err := os.Open(filepath.Join(dir, CoverageFile))
	require.NoError(t, err)
	defer f.Close()
	_, err = png.Decode(f)
	require.NoError(t, err)
}

func TestCaptureRefusesAnothersFolder(t *testing.T) {
	s := newSynth(t, webcam, 640, 480, 0, 21)
	dir := t.TempDir()
	v := s.samples(1)[0]
	v.WidthPx = 1280
	require.NoError(t, v.Write(dir))
	cam := &show{t: t, lens: webcam, board: s.board, poses: []twinrig.Pose{at(0, 0, 0.5, 0, 0)}}
	err := Capture(t.Context(), cam, s.board, dir, func(Progress) {})
	require.ErrorContains(t, err, "view00.png has 1280 x 480 pixels, the camera 640 x 480; give another folder")
}

// A camera that shows another board is told so, and nothing is kept.
func TestCaptureSaysThatItIsAnotherBoard(t *testing.T) {
	s := newSynth(t, webcam, 640, 480, 0, 21)
	dir := t.TempDir()
	cam := &show{t: t, lens: webcam, board: s.board, poses: slices.Repeat([]twinrig.Pose{at(0, 0, 0.5, 0.1, 0.1)}, patience/stillPictures)}
	wanted := s.board
	wanted.Cols = 8
	said := map[Verdict]int{}
	err := Capture(t.Context(), cam, wanted, dir, func(p Progress) { said[p.Verdict]++ })
	require.ErrorIs(t, err, errOver)
	require.Positive(t, said[Another], "%v", said)
	require.Zero(t, said[Kept])
	samples, err := ReadSamples(dir)
	require.NoError(t, err)
	require.Empty(t, samples)
}
