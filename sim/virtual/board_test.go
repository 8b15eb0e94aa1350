package virtual

import (
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/calib"
	"twinrig/sim"
)

// The board is drawn where the hand is, with dark squares where its frame says,
// and the arm stays where it was.
func TestBoardIsWhereItIsHeld(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Distortion = [5]float64{-0.1, 0.02, 0, 0, 0}
	rig, err := NewLockstep(cfg)
	require.NoError(t, err)
	defer func() { require.NoError(t, rig.Close()) }()
	q := twinrig.Joints{-0.24, -1.23, 0.54, -0.28, 1.45, 1.71}
	h := DrawHidden(cfg.Seed)
	xBT := map[BoardPlace]twinrig.Pose{
		BoardInHand:  sim.NewKinematics().Forward(q).Mul(HandFromBoard(BoardCols, BoardRows, BoardSquareM)).Mul(h.HeldFromHeld),
		BoardOnTable: h.BoardOnTable,
	}
	for _, where := range []BoardPlace{BoardInHand, BoardOnTable} {
		stand := q
		if where == BoardOnTable {
			stand = twinrig.SleepPose // out of the way
		}
		rig.world.sim.SetArm(stand, twinrig.FingerOpen)
		require.NoError(t, rig.World().PutBoard(where))
		now, _, _, _ := rig.world.sim.Arm()
		require.Equal(t, stand, now)
		var s sim.Snapshot
		require.NoError(t, rig.world.sim.Snapshot(&s))
		r, err := sim.NewRenderer(rig.world.sim.Spec())
		require.NoError(t, err)
		var f twinrig.Frame
		require.NoError(t, r.Render(&s, cameraName, &f))
		r.Close()
		seen := rig.World().CameraTruth().Inv().Mul(xBT[where])
		wrong := 0
		for row := range BoardRows + 1 {
			for col := range BoardCols + 1 {
				u, v := project(&rig.world.camera, seen.Apply(twinrig.Vec3{(float64(col) - 0.5) * BoardSquareM, (float64(row) - 0.5) * BoardSquareM, 0}))
				x, y := int(u+0.5), int(v+0.5)
				require.True(t, x >= 0 && y >= 0 && x < f.W && y < f.H, "%s: %d, %d", where, x, y)
				if dark := f.RGB[3*(y*f.W+x)] < 90; dark != ((row+col)%2 == 0) {
					wrong++
				}
			}
		}
		require.LessOrEqual(t, wrong, 2, "%s: squares of the wrong colour, as a finger may hide", where)
	}
	require.NoError(t, rig.World().PutBoard(BoardAway))
}

// A board of any size is held in the hand's middle, clear of the fingertips.
func TestHeldBoardIsClearOfTheFingers(t *testing.T) {
	for _, c := range []struct {
		cols, rows int
		square     float64
	}{{BoardCols, BoardRows, BoardSquareM}, {9, 6, 0.025}, {4, 9, 0.01}} {
		x := HandFromBoard(c.cols, c.rows, c.square)
		near := x.Apply(twinrig.Vec3{0, (float64(c.rows) + rim) * c.square, 0})
		require.InDelta(t, boardGap, near[0], 1e-9)
		middle := x.Apply(twinrig.Vec3{float64(c.cols-1) / 2 * c.square, 0, 0})
		require.InDelta(t, 0, middle[1], 1e-9)
		require.InDelta(t, 1, x.R.Rotate(twinrig.Vec3{0, 0, -1})[2], 1e-9, "face up")
	}
}

// project is where a camera sees a point of its optical frame.
func project(c *sim.CameraSpec, p twinrig.Vec3) (u, v float64) {
	x, y := calib.Distort(c.Distortion, p[0]/p[2], p[1]/p[2])
	return c.FxPx*x + c.CxPx, c.FyPx*y + c.CyPx
}
