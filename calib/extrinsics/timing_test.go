package extrinsics

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/calib/target"
)

// swing is what a camera of the given timing sees of a waist that swings. Joint
// readings are those of servos of 4096 steps a turn, behind whose waist there is
// play.
func (s *synth) swing(delay, readout, play float64) *Swing {
	const h = 480
	joints := func(t float64) twinrig.Joints {
		q := twinrig.Joints{-0.24, -1.23, 0.54, -0.28, 1.45, 1.71}
		q[twinrig.Waist] += 0.12*math.Sin(5*t) - math.Copysign(play/2, math.Cos(5*t))
		return q
	}
	out := &Swing{Version: sampleVersion, Board: s.board, HeightPx: h}
	const tick = 2 * math.Pi / 4096
	for t := 0.0; t < 3; t += 1.0 / 300 {
		q := joints(t).Sub(s.zeros)
		q[twinrig.Waist] += math.Copysign(play/2, math.Cos(5*t))
		for i := range q {
			q[i] = math.Round(q[i]/tick) * tick
		}
		out.Track = append(out.Track, Reading{t, q})
	}
	for t := 0.2; t < 2.8; t += 1.0 / 30 {
		f := SwingFrame{At: t}
		for id := range s.board.Corners() {
			// The row decides when, and when decides the row.
			v := h / 2.0
			var u float64
			for range 5 {
				q := joints(t - delay + readout*(v/h-0.5))
				u, v = s.lens.Project(s.camera.Inv().Mul(s.kin.Forward(q)).Mul(s.held).Apply(s.board.Corner(id)))
			}
			f.Corners = append(f.Corners, target.Corner{ID: id, X: u + s.pixel*s.rng.NormFloat64(), Y: v + s.pixel*s.rng.NormFloat64()})
		}
		out.Frames = append(out.Frames, f)
	}
	return out
}

// The camera's timing is found to a millisecond or two, with a calibration that
// is as good as they are.
func TestTimingIsFound(t *testing.T) {
	for _, c := range []struct{ delay, readout, play float64 }{{0, 0, 0}, {0.045, 0, 0.004}, {0.03, 0.025, 0.002}, {-0.01, 0.033, 0}} {
		s := newSynth(t, 6)
		r, err := Solve(s.samples(t, 16), s.lens, DefaultOptions())
		require.NoError(t, err)
		swing := s.swing(c.delay, c.readout, c.play)
		for i := range swing.Frames {
			if i%4 == 1 { // as chessboards are found
				swing.Frames[i].Corners = view{corners: swing.Frames[i].Corners}.turned(&s.board).corners
			}
		}
		got, err := swing.Timing(s.lens, r)
		require.NoError(t, err)
		t.Logf("delay %.1f ± %.1f ms of %.1f, readout %.1f ± %.1f of %.1f; %.0f px/s, %.2f px left", 1000*got.Delay, 1000*got.DelayDeviation, 1000*c.delay,
			1000*got.Readout, 1000*got.ReadoutDeviation, 1000*c.readout, got.Speed, got.RMSPx)
		require.InDelta(t, c.delay, got.Delay, 0.0015)
		require.InDelta(t, c.readout, got.Readout, 0.006)
		require.Less(t, got.DelayDeviation, 0.002)
		require.InDelta(t, c.play, got.Play, 0.0005)
		require.Less(t, got.ReadoutDeviation, 0.006)
		require.Less(t, got.RMSPx, 1.5)
	}
}

func TestTimingRefuses(t *testing.T) {
	s := newSynth(t, 6)
	r, err := Solve(s.samples(t, 16), s.lens, DefaultOptions())
	require.NoError(t, err)
	swing := s.swing(0.03, 0, 0)
	still := *swing
	still.Track = nil
	for _, v := range swing.Track {
		v.Joints[twinrig.Waist] = -0.24
		still.Track = append(still.Track, v)
	}
	_, err = still.Timing(s.lens, r)
	require.ErrorIs(t, err, ErrNoSwing)
	few := *swing
	few.Frames = few.Frames[:8]
	_, err = few.Timing(s.lens, r)
	require.ErrorIs(t, err, ErrNoSwing)
	blind := *swing
	blind.Track = blind.Track[:40]
	_, err = blind.Timing(s.lens, r)
	require.ErrorContains(t, err, "frames with readings about them")
}

func TestSwingFile(t *testing.T) {
	s := newSynth(t, 6)
	dir := t.TempDir()
	_, err := ReadSwing(dir)
	require.ErrorIs(t, err, os.ErrNotExist)
	want := s.swing(0, 0, 0)
	require.NoError(t, want.Write(dir))
	got, err := ReadSwing(dir)
	require.NoError(t, err)
	require.Equal(t, want, got)
	want.Frames[0].Corners[0].ID = 99
	require.NoError(t, want.Write(dir))
	_, err = ReadSwing(dir)
	require.ErrorContains(t, err, "corner 99 is not on a")
	require.NoError(t, os.WriteFile(filepath.Join(dir, SwingFile), []byte(`{"version": 3}`), 0o600))
	_, err = ReadSwing(dir)
	require.ErrorContains(t, err, "version: 3 is not 1")
}
