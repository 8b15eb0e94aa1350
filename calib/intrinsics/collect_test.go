package intrinsics

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/calib/target"
)

// board is a sharp view at a pose; nil corners when it is cut.
func seenAt(t *testing.T, s *synth, x twinrig.Pose) target.Detection {
	t.Helper()
	v, ok := s.view(x)
	require.True(t, ok)
	return target.Detection{Corners: v.Corners, BlurPx: 2}
}

func at(x, y, z, roll, pitch float64) twinrig.Pose {
	r := twinrig.QuatFromRPY(roll, pitch, 0)
	return twinrig.Pose{R: r, P: twinrig.Vec3{x, y, z}.Sub(r.Rotate(twinrig.Vec3{0.1, 0.0625, 0}))}
}

func TestCollectorKeepsWhatIsStillSharpAndNew(t *testing.T) {
	s := newSynth(t, webcam, 640, 480, 0.05, 1)
	c := NewCollector(s.board, 640, 480, nil)
	now := time.Duration(0)
	offer := func(d target.Detection) Verdict {
		now += 33 * time.Millisecond
		return c.Offer(now, d)
	}
	hold := func(x twinrig.Pose) (v Verdict) {
		for range 12 {
			if v = offer(seenAt(t, s, x)); v == Kept {
				return v
			}
		}
		return v
	}
	require.Equal(t, NoBoard, offer(target.Detection{}))
	first := at(0, 0, 0.5, 0, 0)
	require.Equal(t, Moving, offer(seenAt(t, s, first)), "it may have just come")
	require.Equal(t, Kept, hold(first))
	require.Equal(t, Seen, hold(first))
	require.Equal(t, Seen, hold(at(0.005, 0, 0.5, 0, 0)))

	// 3 mm a picture is 3.7 px.
	for i := range 12 {
		require.Equal(t, Moving, offer(seenAt(t, s, at(-0.003*float64(i), 0, 0.5, 0, 0))))
	}
	require.Equal(t, Kept, hold(at(0.08, 0.05, 0.5, 0, 0)), "elsewhere")
	require.Equal(t, Kept, hold(at(0, 0, 0.5, 0.4, 0)), "tilted")
	require.Equal(t, Kept, hold(at(0, 0, 0.5, 0, -0.5)), "turned")

	soft := seenAt(t, s, at(-0.08, -0.05, 0.5, 0, 0))
	soft.BlurPx = 4.2
	var v Verdict
	for range 12 {
		v = offer(soft)
	}
	require.Equal(t, Blurred, v)
	require.Equal(t, 4, c.Views())

	// A board that was away must be still anew.
	require.Equal(t, NoBoard, offer(target.Detection{}))
	require.Equal(t, Moving, offer(seenAt(t, s, at(-0.08, -0.05, 0.5, 0, 0))))
}

func TestCollectorSaysWhatIsMissing(t *testing.T) {
	s := newSynth(t, webcam, 640, 480, 0.05, 1)
	c := NewCollector(s.board, 640, 480, nil)
	require.Equal(t, []string{"move it to the top left", "turn its left or right side away", "tip its top or bottom away", "15 more views"}, c.Missing())

	samples := s.samples(40)
	c = NewCollector(s.board, 640, 480, samples)
	require.Equal(t, 40, c.Views())
	require.Empty(t, c.Missing(), "forty views all over are complete: %.2f", c.Covered())

	flat := s.samples(1)
	for len(flat) < 20 {
		flat = append(flat, flat[0])
	}
	require.Len(t, NewCollector(s.board, 640, 480, flat).Missing(), 3)
}
