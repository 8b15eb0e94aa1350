package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/calib"
	"twinrig/calib/extrinsics"
	"twinrig/calib/target"
)

// extrinsicsSeeds is 20 in `make bench`.
var extrinsicsSeeds = flag.Int("extrinsics-seeds", 1, "virtual rigs whose camera is calibrated")

func decodePose(t *testing.T, stdout string) extrinsicsJSON {
	t.Helper()
	var got extrinsicsJSON
	d := json.NewDecoder(bytes.NewReader([]byte(stdout)))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&got), stdout)
	return got
}

// In at least 19 of 20 virtual rigs the camera is found within 1.0 mm and 0.2 deg
// of the truth, from rendered pictures through a lens, corners with 0.3 px of
// noise, and servos with play.
func TestCalibExtrinsicsFindsTheTruth(t *testing.T) {
	good := 0
	for seed := 1; seed <= *extrinsicsSeeds; seed++ {
		out := filepath.Join(t.TempDir(), "cam")
		stdout, guide, err := calibrate(t, "extrinsics", "--rig", "virtual", "--seed", fmt.Sprint(seed), "--out", out, "--json")
		require.NoError(t, err, guide)
		got := decodePose(t, stdout)
		require.NotNil(t, got.Saved)
		require.NotNil(t, got.TruthError)
		t.Logf("virtual, seed %d: %.2f mm, %.3f deg off the truth, known to %.2f mm, %.3f deg; before %.1f mm, %.2f deg; mean %.2f px, held out %.2f px; table %.2f mm; %d views, %d left out", seed,
			got.TruthError.PositionMM, got.TruthError.RotationDeg, got.PositionDevMM, got.RotationDevDeg, got.MovedMM, got.MovedDeg,
			got.MeanPx, got.HeldOutMeanPx, got.Table.RMSMM, got.Views, len(got.Dropped))
		if got.TruthError.PositionMM <= 1.0 && got.TruthError.RotationDeg <= 0.2 {
			good++
		}
	}
	t.Logf("virtual: %d of %d within 1.0 mm and 0.2 deg", good, *extrinsicsSeeds)
	require.GreaterOrEqual(t, 20*good, 19**extrinsicsSeeds)
}

// One calibration, looked at from all sides: record, status, samples solved
// again, faults in them, limits.
func TestCalibExtrinsicsRecordAndSamples(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "calibrations", "cam")
	stdout, guide, err := calibrate(t, "extrinsics", "--rig", "virtual", "--seed", "3", "--views", "14", "--out", out, "--json")
	require.NoError(t, err, guide)
	got := decodePose(t, stdout)
	require.Equal(t, 14, got.Views+len(got.Dropped))
	require.InDelta(t, 1, got.BoardScale, 0.01)
	require.Less(t, got.Table.RMSMM, 3.0)
	require.NotNil(t, got.GhostIoU)
	require.NotNil(t, got.Timing, "%v", got.Warnings)
	t.Logf("virtual: delay %.1f ± %.1f ms, shutter %.1f ± %.1f ms, %d frames", got.Timing.DelayMS, got.Timing.DelayStdDev, got.Timing.RollingMS, got.Timing.RollingStdDev, got.Timing.Frames)
	require.InDelta(t, 0, got.Timing.DelayMS, 3, "the virtual camera's stamps are true")
	require.InDelta(t, 0, got.Timing.RollingMS, 4, "and its shutter is global")
	require.Greater(t, *got.GhostIoU, 0.9)

	rec, err := calib.Load(*got.Saved)
	require.NoError(t, err)
	require.Equal(t, got.BaseFromCamera.PositionM, rec.Camera.BaseFromCamera.Pose().P)
	require.Equal(t, virtualLens, rec.Camera.Distortion)
	m := rec.Measured["extrinsics"]
	require.Len(t, m.Inputs, 2*got.Views, "a picture and its sample for each view")
	require.InDelta(t, got.HeldOutMeanPx, m.Residuals["held_out_mean_px"], 1e-12)
	require.InDelta(t, 5, m.Limits["table_plane_rms_mm"], 1e-12)
	require.Contains(t, rec.Source, "where the camera stands was measured")
	require.InDelta(t, 1-*got.GhostIoU, m.Residuals[ghostResidual], 1e-12)
	page, err := os.ReadFile(got.Report)
	require.NoError(t, err)
	require.Contains(t, string(page), "The ghost")

	stdout, _, err = calibrate(t, "status", "--dir", filepath.Join(dir, "calibrations"), "--json")
	require.NoError(t, err)
	var status struct{ Calibrations []statusRow }
	require.NoError(t, json.Unmarshal([]byte(stdout), &status))
	require.Equal(t, "extrinsics", status.Calibrations[1].Kind)
	require.True(t, status.Calibrations[1].Measured)

	// Again from the samples alone, with the lens of the rig's record.
	rig := filepath.Join(dir, "rig.yaml")
	require.NoError(t, os.WriteFile(rig, []byte("calib: calibrations/cam/calib.yaml\n"), 0o600))
	samples := filepath.Join(out, "samples")
	again := func(name string, more ...string) (extrinsicsJSON, error) {
		stdout, _, err := calibrate(t, append([]string{"extrinsics", "--samples", samples, "--rig", rig, "--out", filepath.Join(dir, name), "--json"}, more...)...)
		if stdout == "" {
			return extrinsicsJSON{}, err
		}
		return decodePose(t, stdout), err
	}
	second, err := again("again")
	require.NoError(t, err)
	require.Equal(t, got.BaseFromCamera, second.BaseFromCamera, "solving is pure")
	require.Nil(t, second.TruthError)
	require.Less(t, second.MovedMM, 1e-6)

	// A record that has the base in the camera is told of.
	rec.Camera.BaseFromCamera = calib.PoseOf(rec.Camera.BaseFromCamera.Pose().Inv())
	require.NoError(t, rec.Save(filepath.Join(dir, "inverted.yaml")))
	require.NoError(t, os.WriteFile(rig, []byte("calib: inverted.yaml\n"), 0o600))
	inverted, err := again("inverted")
	require.NoError(t, err)
	require.Equal(t, got.BaseFromCamera, inverted.BaseFromCamera)
	require.Contains(t, inverted.Warnings[len(inverted.Warnings)-1], "the record had the camera's pose inverted")
	require.NoError(t, os.WriteFile(rig, []byte("calib: calibrations/cam/calib.yaml\n"), 0o600))

	over, err := again("over", "--limit-px", "0.01")
	require.ErrorContains(t, err, "not saved: held_out_mean_px")
	require.Nil(t, over.Saved)
	page, err = os.ReadFile(over.Report)
	require.NoError(t, err)
	require.Contains(t, string(page), "not saved: held_out_mean_px")
	require.NoFileExists(t, filepath.Join(dir, "over", recordFile))
	forced, err := again("forced", "--limit-mm", "0.001", "--force")
	require.NoError(t, err)
	require.True(t, forced.Forced)
	rec, err = calib.Load(*forced.Saved)
	require.NoError(t, err)
	require.Contains(t, rec.Warnings()[0], "table_plane_rms_mm")
	_, err = again("forced")
	require.ErrorContains(t, err, "a record is never replaced")
	require.NoError(t, os.Remove(filepath.Join(samples, "view"+firstView(t, samples)+".png")))
	blind, err := again("blind")
	require.NoError(t, err)
	require.Nil(t, blind.GhostIoU)
	require.Contains(t, blind.Warnings[len(blind.Warnings)-1], "no comparison with the ghost")

	for _, c := range []struct {
		want  error
		spoil func(i int, s *extrinsics.Sample)
	}{
		{extrinsics.ErrWrongBoard, func(_ int, s *extrinsics.Sample) { s.View.Board.SquareM = 0.015 }},
		{extrinsics.ErrMirrored, func(_ int, s *extrinsics.Sample) { mirrored(s) }},
		{extrinsics.ErrArmBumped, func(i int, s *extrinsics.Sample) {
			if i > 7 {
				s.Joints[twinrig.Elbow] += 0.05
			}
		}},
		{extrinsics.ErrTooFewViews, func(i int, s *extrinsics.Sample) {
			if i > 5 {
				s.Spread = 0.1
			}
		}},
	} {
		spoiled := filepath.Join(t.TempDir(), "samples")
		require.NoError(t, os.Mkdir(spoiled, 0o700))
		all, err := extrinsics.ReadSamples(filepath.Join(out, "samples"))
		require.NoError(t, err)
		for i := range all {
			c.spoil(i, &all[i])
			require.NoError(t, all[i].Write(spoiled))
		}
		samples = spoiled
		name := strings.ReplaceAll(c.want.Error(), " ", "-")
		_, err = again(name, "--force")
		require.ErrorIs(t, err, c.want)
		require.ErrorContains(t, err, "nothing saved")
		require.NoDirExists(t, filepath.Join(dir, name))
	}
}

// firstView is the number of the first view among the samples.
func firstView(t *testing.T, dir string) string {
	t.Helper()
	all, err := extrinsics.ReadSamples(dir)
	require.NoError(t, err)
	for i := range all {
		if all[i].Where == extrinsics.InHand {
			return strings.TrimSuffix(strings.TrimPrefix(all[i].View.Name, "view"), ".png")
		}
	}
	t.Fatal("no view")
	return ""
}

// mirrored swaps left and right, with corners in the order in which a chessboard
// in such a picture is found.
func mirrored(s *extrinsics.Sample) {
	b := &s.View.Board
	for i := range s.View.Corners {
		c := &s.View.Corners[i]
		c.X = float64(s.View.WidthPx-1) - c.X
		c.ID += b.Cols - 1 - 2*(c.ID%b.Cols)
	}
}

// An interrupted collection parks the arm, keeps its views, and goes on from them.
func TestCalibExtrinsicsGoesOn(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stderr := &lines{each: func(line string) {
		if strings.HasPrefix(line, "3 of 9 views") {
			cancel()
		}
	}}
	args := []string{"calib", "extrinsics", "--rig", "virtual", "--seed", "5", "--views", "9", "--samples", filepath.Join(dir, "samples"), "--out", filepath.Join(dir, "out")}
	c := root()
	c.SetArgs(args)
	c.SetOut(io.Discard)
	c.SetErr(stderr)
	err := c.ExecuteContext(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "go on with --samples")
	kept, err := filepath.Glob(filepath.Join(dir, "samples", "*.pose.json"))
	require.NoError(t, err)
	require.Len(t, kept, 3)
	before, err := os.ReadFile(kept[0])
	require.NoError(t, err)

	stdout, guide, err := calibrate(t, args[1:]...)
	require.NoError(t, err)
	require.Contains(t, guide, "4 of 9 views")
	require.NotContains(t, guide, "3 of 9 views")
	require.Contains(t, stdout, "from the truth")
	after, err := os.ReadFile(kept[0])
	require.NoError(t, err)
	require.Equal(t, string(before), string(after))
}

// A camera that is elsewhere than its record says sees no board, and that is said.
func TestCalibExtrinsicsWithTheCameraElsewhere(t *testing.T) {
	rig, closeAll, err := openCalib(t.Context(), "virtual", 2, strings.NewReader(""), func(string) {})
	require.NoError(t, err)
	rig.base.Camera.BaseFromCamera = calib.PoseOf(rig.base.Camera.BaseFromCamera.Pose().Mul(twinrig.Pose{R: twinrig.QuatFromRPY(0, 0.9, 0)}))
	b, err := target.NewChessboard(7, 6, 0.014)
	require.NoError(t, err)
	tr := tour{calibRig: rig, board: b, flags: &poseFlags{views: 8, seed: 1}, dir: t.TempDir(), say: func(string) {}}
	require.ErrorContains(t, tr.run(t.Context()), "the board was seen at none of 13 poses")
	require.NoError(t, closeAll())
}

// Another board than the one that is said to be in the hand ends it.
func TestCalibExtrinsicsWithAnotherBoard(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	_, _, err := calibrate(t, "extrinsics", "--rig", "virtual", "--board", "6x5", "--square-mm", "14", "--out", out)
	require.ErrorIs(t, err, target.ErrWrongBoard)
	require.NoFileExists(t, filepath.Join(out, recordFile))
}

func TestCalibExtrinsicsUsage(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "--rig is needed"},
		{[]string{"--rig", "virtual", "--views", "5"}, "--views: 5 is outside 8 to 200"},
		{[]string{"--rig", "virtual", "--limit-px", "0"}, "--limit-px: 0 is outside"},
		{[]string{"--rig", "virtual", "--limit-mm", "-1"}, "--limit-mm: -1 is outside"},
		{[]string{"--rig", "virtual", "--thickness-mm", "99"}, "--thickness-mm: 99 is outside"},
		{[]string{"--rig", "virtual", "--board", "7x6"}, "--board and --square-mm are needed"},
		{[]string{"--rig", filepath.Join(dir, "rig.yaml")}, "--board and --square-mm are needed"},
		{[]string{"--rig", filepath.Join(dir, "rig.yaml"), "--board", "7x6", "--square-mm", "14", "--out", filepath.Join(dir, "a")}, "no such file"},
		{[]string{"--samples", dir}, "has no samples"},
		{[]string{"--samples", filepath.Join(dir, "absent")}, "no such file"},
		{[]string{"--samples", dir, "--board", "7x6", "--square-mm", "14"}, "--rig is needed"},
		{[]string{"virtual"}, "no arguments"},
	} {
		_, _, err := calibrate(t, append([]string{"extrinsics"}, c.args...)...)
		require.ErrorContains(t, err, c.want, "%v", c.args)
		var usage usageError
		require.ErrorAs(t, err, &usage, "%v: exit code 2", c.args)
	}
}
