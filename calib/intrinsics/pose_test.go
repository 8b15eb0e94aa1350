package intrinsics

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/calib/target"
)

// A view's pose is found through a lens that bends; a mirrored view is named,
// and corners on a line have no pose.
func TestBoardPose(t *testing.T) {
	s := newSynth(t, webcam, 640, 480, 0, 3)
	for range 20 {
		x := s.pose()
		v, ok := s.view(x)
		if !ok {
			continue
		}
		got, off, err := webcam.BoardPose(&s.board, v.Corners)
		require.NoError(t, err)
		dist, angle := got.Gap(x)
		require.Less(t, dist, 1e-6)
		require.Less(t, angle, 1e-6)
		require.Less(t, off, 1e-6)

		mirrored := append([]target.Corner(nil), v.Corners...)
		for i := range mirrored {
			mirrored[i].X = 640 - mirrored[i].X
		}
		_, _, err = webcam.BoardPose(&s.board, mirrored)
		require.ErrorIs(t, err, ErrMirrored)
		_, _, err = webcam.BoardPose(&s.board, v.Corners[:s.board.Cols])
		require.ErrorIs(t, err, errFlat)
	}
}

// Noise moves the pose by what it must and no more.
func TestBoardPoseWithNoise(t *testing.T) {
	s := newSynth(t, webcam, 640, 480, 0.3, 4)
	x := twinrig.Pose{R: twinrig.QuatFromRPY(0.3, -0.4, 0.1), P: twinrig.Vec3{-0.1, -0.06, 0.45}}
	v, ok := s.view(x)
	require.True(t, ok)
	got, off, err := webcam.BoardPose(&s.board, v.Corners)
	require.NoError(t, err)
	dist, angle := got.Gap(x)
	require.Less(t, dist, 0.002)
	require.Less(t, angle*180/math.Pi, 0.5)
	require.InDelta(t, 0.3*math.Sqrt2, off, 0.1)
}
