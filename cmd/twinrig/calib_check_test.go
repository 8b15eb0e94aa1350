package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/calib"
	"twinrig/calib/ghost"
	"twinrig/sim/virtual"
)

// recordOff writes a record whose camera is off the truth of a virtual rig.
func recordOff(t *testing.T, seed uint64, off twinrig.Pose) string {
	t.Helper()
	rec := virtualRecord()
	rec.Camera.BaseFromCamera = calib.PoseOf(rec.Camera.BaseFromCamera.Pose().Mul(virtual.DrawHidden(seed).CameraFromCamera).Mul(off))
	path := filepath.Join(t.TempDir(), recordFile)
	require.NoError(t, rec.Save(path))
	return path
}

// The daily check passes a camera that is where its record has it, and tells one
// that was turned by half a degree or moved by 5 mm.
func TestCalibCheck(t *testing.T) {
	for _, c := range []struct {
		name  string
		off   twinrig.Pose
		moved bool
	}{
		{"where it was", twinrig.IdentityPose, false},
		{"turned by half a degree", twinrig.Pose{R: twinrig.QuatFromRPY(0, 0.5/deg, 0)}, true},
		{"moved by 5 mm", twinrig.Pose{R: twinrig.IdentityQuat, P: twinrig.Vec3{0.005, 0, 0}}, true},
		{"turned about its axis by 3 degrees", twinrig.Pose{R: twinrig.QuatFromRPY(0, 0, 3/deg)}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "check")
			stdout, _, err := calibrate(t, "check", "--rig", "virtual", "--seed", "4", "--calib", recordOff(t, 4, c.off), "--out", out, "--json")
			var got checkJSON
			require.NoError(t, json.Unmarshal([]byte(stdout), &got), "%v", err)
			t.Logf("virtual: IoU %.3f, best %.3f at %v", got.IoU, got.BestIoU, got.ShiftPx)
			require.Equal(t, c.moved, got.Moved)
			require.Len(t, got.Each, lookPictures)
			require.FileExists(t, filepath.Join(out, "ghost5.png"))
			status, _, statusErr := calibrate(t, "status", "--dir", filepath.Dir(out))
			require.NoError(t, statusErr)
			require.Contains(t, status, "Camera checked 0 min ago")
			require.Contains(t, status, got.Verdict)
			if c.moved {
				require.ErrorIs(t, err, errCameraMoved)
				var usage usageError
				require.NotErrorAs(t, err, &usage, "exit code 1")
				return
			}
			require.NoError(t, err)
			require.Greater(t, got.IoU, 0.95)
			require.Contains(t, got.Verdict, "is where its calibration has it")
		})
	}
}

// The newest check counts, and one that cannot be read is named.
func TestLastCheck(t *testing.T) {
	dir := t.TempDir()
	none, err := lastCheck(dir)
	require.NoError(t, err)
	require.Nil(t, none)
	for name, text := range map[string]string{"a": `{"date": "2026-01-02T00:00:00Z", "iou": 0.7}`, "b": `{"date": "2026-01-03T00:00:00Z", "iou": 0.9}`, "c": `{"date": "2026-01-01T00:00:00Z", "iou": 0.8}`} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name, checkFile), []byte(text), 0o600))
	}
	got, err := lastCheck(dir)
	require.NoError(t, err)
	require.InDelta(t, 0.9, got.IoU, 1e-12)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a", checkFile), []byte("{"), 0o600))
	_, err = lastCheck(dir)
	require.ErrorContains(t, err, filepath.Join("a", checkFile))
}

// A camera that, by its record, cannot see the arm is no camera to check.
func TestCalibCheckRefuses(t *testing.T) {
	away := recordOff(t, 4, twinrig.Pose{R: twinrig.QuatFromRPY(0, 2, 0)})
	_, _, err := calibrate(t, "check", "--rig", "virtual", "--seed", "4", "--calib", away, "--out", t.TempDir())
	require.ErrorContains(t, err, "the arm can be seen at")
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "--rig is needed"},
		{[]string{"--rig", filepath.Join(t.TempDir(), "rig.yaml")}, "no such file"},
		{[]string{"--rig", "virtual", "--calib", filepath.Join(t.TempDir(), "calib.yaml")}, "no such file"},
		{[]string{"now"}, "no arguments"},
	} {
		_, _, err := calibrate(t, append([]string{"check"}, c.args...)...)
		require.ErrorContains(t, err, c.want)
		var usage usageError
		require.ErrorAs(t, err, &usage, "exit code 2")
	}
}

// Today's agreement is held against the calibration's own.
func TestJudgeGhost(t *testing.T) {
	rec := calib.Nominal()
	require.False(t, judge(rec, ghost.Comparison{IoU: 0.8, Best: 0.8}).Moved, "nothing to hold it against")
	require.True(t, judge(rec, ghost.Comparison{IoU: 0.7, Best: 0.7}).Moved)
	rec.Measured = map[string]calib.Measurement{"extrinsics": {Residuals: map[string]float64{ghostResidual: 0.1}}}
	got := judge(rec, ghost.Comparison{IoU: 0.8, Best: 0.8})
	require.True(t, got.Moved)
	require.InDelta(t, 0.9, *got.CalibrationIoU, 1e-12)
	require.Contains(t, got.Verdict, "no shift mends it")
	require.False(t, judge(rec, ghost.Comparison{IoU: 0.87, Best: 0.871, Shift: [2]int{4, 0}}).Moved, "a shift that gains nothing is none")
	got = judge(rec, ghost.Comparison{IoU: 0.87, Best: 0.89, Shift: [2]int{3, -4}})
	require.True(t, got.Moved)
	require.Contains(t, got.Verdict, "5 px (0.46 deg")
}

func judge(rec *calib.Record, c ghost.Comparison) checkJSON { return judgeGhost(&c, rec) }
