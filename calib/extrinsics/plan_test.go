package extrinsics

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/calib"
)

// A plan turns the hand about all axes, and is the same for the same seed; one
// that cannot be is refused.
func TestPlan(t *testing.T) {
	b, err := testBoard()
	require.NoError(t, err)
	pl := Plan{
		Lens: testLens(), WidthPx: 640, HeightPx: 480, Board: b,
		BaseFromCamera: calib.Nominal().Camera.BaseFromCamera.Pose(), HandFromBoard: held, Options: DefaultOptions(),
	}
	poses, err := pl.Poses(20, 3)
	require.NoError(t, err)
	require.Len(t, poses, 20)
	again, err := pl.Poses(20, 3)
	require.NoError(t, err)
	require.Equal(t, poses, again)
	s := newSynth(t, 1)
	p := problem{kin: s.kin}
	for _, q := range poses {
		p.views = append(p.views, view{joints: q})
		require.NoError(t, twinrig.PositionLimits.Check(q))
		require.True(t, pl.Sees(q))
	}
	turns := p.turns()
	require.Greater(t, turns[2]*deg, 12.0, "about the least of three axes")

	require.False(t, pl.Sees(twinrig.HomePose))

	near := pl.BaseFromCamera
	pl.BaseFromCamera.P[2] = 2.5
	_, err = pl.Poses(20, 3)
	require.ErrorIs(t, err, ErrNoPlan)
	pl.BaseFromCamera = near
	pl.Clear = func(twinrig.Joints) error { return errors.New("no room") }
	_, err = pl.Poses(20, 3)
	require.ErrorIs(t, err, ErrNoPlan)
}
