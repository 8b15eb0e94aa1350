package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/agent"
	"twinrig/calib"
	"twinrig/calib/target"
	"twinrig/sim"
	"twinrig/sim/virtual"
)

func TestDistanceFromSegment(t *testing.T) {
	a, b := twinrig.Vec3{0, 0, 0}, twinrig.Vec3{2, 0, 0}
	for p, want := range map[twinrig.Vec3]float64{{1, 3, 4}: 5, {-3, 4, 0}: 5, {5, 0, 4}: 5, {0.5, 0, 0}: 0} {
		require.InDelta(t, want, fromSegment(p, a, b), 1e-12)
	}
	require.InDelta(t, 5, fromSegment(twinrig.Vec3{3, 4, 0}, a, a), 1e-12)
}

// The room keeps the arm and the board out of the table, the camera and the
// arm itself, and a route goes round through the hub.
func TestRoom(t *testing.T) {
	space, err := sim.NewClearance(sim.NominalParams(), 0)
	require.NoError(t, err)
	defer space.Close()
	b, err := target.NewChessboard(7, 6, 0.014)
	require.NoError(t, err)
	guard := agent.DefaultGuard()
	r := room{
		kin: sim.NewKinematics(), workspace: &guard.Workspace, clearance: space,
		camera: calib.Nominal().Camera.BaseFromCamera.Pose().P, board: &b, held: virtual.HandFromBoard(b.Cols, b.Rows, b.SquareM),
	}
	require.NoError(t, r.clear(handOver))
	require.NoError(t, r.open(aside, handOver))
	for q, want := range map[twinrig.Joints]string{
		{0, 0.2, 0.3, 0, 1.2, 0}:      "over the table",
		{0, 0, 0, 0, 3, 0}:            "wrist_angle",
		{-1.5, -1.3, 1.0, 0, -0.2, 0}: "from the camera",
		{0, 1.2, -1.5, 0, 0, 0}:       "outside the workspace",
	} {
		require.ErrorContains(t, r.clear(q), want)
	}

	// Straight through the camera there is no way: it goes round by the hub.
	left, right := twinrig.Joints{-0.6, -1, 1.2, 0, -0.3, 0}, twinrig.Joints{0.8, -1, 1.2, 0, -0.3, 0}
	stops := r.route(handOver, handOver, []twinrig.Joints{right, left}, []int{0, 1})
	require.Equal(t, []stop{{left, 1}, {right, 0}}, stops, "the nearest first")
	blocked := r
	blocked.camera = r.kin.Forward(twinrig.Joints{0, -1, 1.2, 0, -0.3, 0}).P
	require.False(t, blocked.way(left, right))
	stops = blocked.route(left, handOver, []twinrig.Joints{right}, []int{0})
	require.Equal(t, []stop{{handOver, -1}, {right, 0}}, stops)
	require.ErrorContains(t, blocked.open(right, left), "no clear way")

	// With the forearm rolled over, the hand is between camera and board.
	require.False(t, r.hidden(twinrig.Joints{-0.24, -1.23, 0.54, -0.28, 1.45, 1.71}))
	require.True(t, r.hidden(twinrig.Joints{0, -1.2, 0.9, 0, 1.5, 0}))
}
