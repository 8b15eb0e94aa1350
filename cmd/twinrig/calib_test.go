package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/calib"
	"twinrig/calib/intrinsics"
)

// calibrate runs `twinrig calib ARGS`.
func calibrate(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, progress bytes.Buffer
	c := root()
	c.SetArgs(append([]string{"calib"}, args...))
	c.SetOut(&out)
	c.SetErr(&progress)
	err = c.ExecuteContext(t.Context())
	return out.String(), progress.String(), err
}

func decodeLens(t *testing.T, stdout string) lensJSON {
	t.Helper()
	var got lensJSON
	d := json.NewDecoder(bytes.NewReader([]byte(stdout)))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&got), stdout)
	return got
}

func TestCalibUsage(t *testing.T) {
	dir := t.TempDir()
	board := []string{"--board", "9x6", "--square-mm", "25"}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"board", "--out", "b.pdf"}, "--board and --square-mm are needed"},
		{append([]string{"board"}, board...), "--out is needed"},
		{append([]string{"board", "--out", filepath.Join(dir, "b.pdf"), "--paper", "a3"}, board...), `paper "a3" is none of [a4 letter]`},
		{append([]string{"board", "--out", filepath.Join(dir, "b.pdf"), "--marker-mm", "9"}, board...), "add --charuco"},
		{[]string{"board", "--out", filepath.Join(dir, "b.pdf"), "--board", "9x6", "--square-mm", "60"}, "make squares of at most 26 mm"},
		{[]string{"board", "--out", filepath.Join(dir, "b.pdf"), "--board", "54", "--square-mm", "25"}, "as in 9x6"},
		{append([]string{"board", "--out", filepath.Join(dir, "no", "b.pdf")}, board...), "no such file"},
		{append([]string{"intrinsics"}, board...), "nothing to look at: give --images"},
		{append([]string{"intrinsics", "--images", "a", "--camera", "b"}, board...), "name one of them"},
		{append([]string{"intrinsics", "--images", filepath.Join(dir, "*.jpg")}, board...), "no such file"},
		{append([]string{"intrinsics", "--images", "[a"}, board...), "syntax error in pattern"},
		{[]string{"intrinsics", "--images", "*.jpg"}, "--board and --square-mm are needed"},
		{append([]string{"intrinsics", "--images", "a", "--limit-px", "0"}, board...), "--limit-px: 0 is outside"},
		{append([]string{"intrinsics", "--camera", "x", "--out", dir, "--size", "big"}, board...), "as in 640x480"},
		{[]string{"intrinsics", "--samples", dir}, "has no samples"},
		{[]string{"intrinsics", "--samples", filepath.Join(dir, "absent")}, "no such file"},
		{[]string{"intrinsics", "--images", "a", "--rig", filepath.Join(dir, "rig.yaml")}, "no such file"},
		{[]string{"intrinsics", "shots/a.jpg"}, "quote the pattern"},
		{[]string{"status", "--rig", filepath.Join(dir, "rig.yaml")}, "no such file"},
		{[]string{"lens"}, "board, intrinsics, extrinsics, controller, check or status"},
	} {
		_, _, err := calibrate(t, c.args...)
		require.ErrorContains(t, err, c.want, "%v", c.args)
		var usage usageError
		require.ErrorAs(t, err, &usage, "%v: exit code 2", c.args)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*.pdf"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestCalibBoard(t *testing.T) {
	out := filepath.Join(t.TempDir(), "board.pdf")
	stdout, _, err := calibrate(t, "board", "--board", "9x6", "--square-mm", "25", "--charuco", "--paper", "letter", "--out", out, "--json")
	require.NoError(t, err)
	require.JSONEq(t, `{"board": {"kind": "charuco", "cols": 9, "rows": 6, "square_m": 0.025, "marker_m": 0.01875, "dictionary": "4x4_50"}, "paper": "letter", "saved": "`+out+`"}`, stdout)
	pdf, err := os.ReadFile(out)
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(pdf, []byte("%PDF")))
}

// From picture files to a record that the rig can name, and again from the
// samples alone; a picture without a board is named.
func TestCalibIntrinsicsFromPictures(t *testing.T) {
	dir := t.TempDir()
	writeViews(t, dir, 12)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.png"), []byte("no picture"), 0o600))
	out := filepath.Join(dir, "first")
	args := []string{"--board", "9x6", "--square-mm", "25", "--json"}
	stdout, _, err := calibrate(t, append([]string{"intrinsics", "--images", filepath.Join(dir, "*.png"), "--out", out}, args...)...)
	require.NoError(t, err)
	got := decodeLens(t, stdout)
	require.InEpsilon(t, viewFx, got.Fx, 0.005)
	require.InEpsilon(t, viewFy, got.Fy, 0.005)
	require.Len(t, got.Distortion, 5)
	require.Less(t, got.MeanPx, 0.15)
	require.Equal(t, 12, got.Views, "%v", got.Dropped)
	require.Equal(t, []intrinsics.Dropped{{Name: "notes.png", Why: "is no picture"}}, got.Dropped)
	require.NotNil(t, got.Saved)
	require.FileExists(t, got.Report)

	rec, err := calib.Load(*got.Saved)
	require.NoError(t, err)
	require.InDelta(t, got.Fx, rec.Camera.FxPx, 1e-9)
	require.Equal(t, calib.Nominal().Camera.BaseFromCamera, rec.Camera.BaseFromCamera)
	require.Equal(t, time.Now().UTC().Format(time.DateOnly), rec.Date)
	m := rec.Measured["intrinsics"]
	require.Len(t, m.Inputs, 24, "a picture and its corners for each view")
	require.InDelta(t, got.MeanPx, m.Residuals["mean_reprojection_px"], 1e-12)
	require.False(t, m.Forced)

	stdout, _, err = calibrate(t, "intrinsics", "--samples", filepath.Join(out, "samples"), "--out", filepath.Join(dir, "again"), "--json")
	require.NoError(t, err)
	again := decodeLens(t, stdout)
	again.Saved, again.Report, again.Dropped = got.Saved, got.Report, got.Dropped
	require.Equal(t, got, again, "solving is pure")

	_, _, err = calibrate(t, append([]string{"intrinsics", "--samples", filepath.Join(out, "samples"), "--out", out}, args...)...)
	require.ErrorContains(t, err, "a record is never replaced")
	_, _, err = calibrate(t, "intrinsics", "--samples", filepath.Join(out, "samples"), "--board", "9x6", "--square-mm", "30")
	require.ErrorContains(t, err, "is of a 9x6 chessboard, 25 mm, not of a 9x6 chessboard, 30 mm")
}

// Over its limit a result is shown, not saved; by force it is, and status and
// the record say so.
func TestCalibIntrinsicsOverTheLimit(t *testing.T) {
	dir := t.TempDir()
	writeViews(t, dir, 8)
	args := []string{
		"intrinsics", "--images", filepath.Join(dir, "*.png"), "--board", "9x6", "--square-mm", "25",
		"--limit-px", "0.001", "--out", filepath.Join(dir, "calibrations", "lens"), "--json",
	}
	stdout, _, err := calibrate(t, args...)
	require.ErrorContains(t, err, "not saved: held_out_mean_px")
	var usage usageError
	require.NotErrorAs(t, err, &usage, "exit code 1")
	got := decodeLens(t, stdout)
	require.Nil(t, got.Saved)
	page, err := os.ReadFile(got.Report)
	require.NoError(t, err)
	require.Contains(t, string(page), "not saved: held_out_mean_px")
	require.NoFileExists(t, filepath.Join(dir, "calibrations", "lens", recordFile))

	stdout, _, err = calibrate(t, append(args, "--force")...)
	require.NoError(t, err)
	got = decodeLens(t, stdout)
	require.True(t, got.Forced)
	rec, err := calib.Load(*got.Saved)
	require.NoError(t, err)
	require.Len(t, rec.Warnings(), 2)
	require.Contains(t, rec.Warnings()[0], "saved by force")

	stdout, _, err = calibrate(t, "status", "--dir", filepath.Join(dir, "calibrations"))
	require.NoError(t, err)
	require.Contains(t, stdout, "SAVED BY FORCE")
	require.Contains(t, stdout, "not measured")

	// A rig that names the record has its lens, and status looks there.
	rig := filepath.Join(dir, "rig.yaml")
	require.NoError(t, os.WriteFile(rig, []byte("calib: calibrations/lens/calib.yaml\n"), 0o600))
	stdout, _, err = calibrate(t, "status", "--rig", rig, "--json")
	require.NoError(t, err)
	var status struct{ Calibrations []statusRow }
	require.NoError(t, json.Unmarshal([]byte(stdout), &status))
	require.Len(t, status.Calibrations, 4)
	require.True(t, status.Calibrations[0].Forced)
	require.Less(t, *status.Calibrations[0].AgeDays, 0.1)
	require.False(t, status.Calibrations[1].Measured)
}

func TestCalibIntrinsicsWithTooFewViews(t *testing.T) {
	dir := t.TempDir()
	writeViews(t, dir, 4)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "notes.png"), []byte("no picture"), 0o600))
	_, _, err := calibrate(t, "intrinsics", "--images", filepath.Join(dir, "*.png"), "--board", "9x6", "--square-mm", "25", "--out", filepath.Join(dir, "out"))
	require.ErrorIs(t, err, intrinsics.ErrDegenerate)
	require.ErrorContains(t, err, "4 usable, at least 5 are needed")
	require.ErrorContains(t, err, "notes.png: is no picture")
	require.NoFileExists(t, filepath.Join(dir, "out", recordFile))
}

func TestSampleNamesDiffer(t *testing.T) {
	files := []string{"a/1.jpg", "b/1.jpg", "a/2.jpg", "../c/1.jpg"}
	var got []string
	for _, f := range files {
		got = append(got, sampleName(f, files))
	}
	require.Equal(t, []string{"a_1.jpg", "b_1.jpg", "2.jpg", "c_1.jpg"}, got)
}

func TestAgeText(t *testing.T) {
	require.Equal(t, "30 min", ageText(30.0/24/60))
	require.Equal(t, "36 h", ageText(1.5))
	require.Equal(t, "40 days", ageText(40))
}

// The contract on OpenCV's photographs; see calib/intrinsics for their origin.
func TestCalibIntrinsicsOnPhotographs(t *testing.T) {
	const glob = "../../../shared/data/chessboard/left*.jpg"
	if files, err := filepath.Glob(glob); err != nil || len(files) == 0 {
		require.Empty(t, os.Getenv("CI"), "no photographs at %s", glob)
		t.Skipf("no photographs of a chessboard beside the checkout: %s", glob)
	}
	stdout, _, err := calibrate(t, "intrinsics", "--images", glob, "--board", "9x6", "--square-mm", "25", "--json", "--out", filepath.Join(t.TempDir(), "lens"))
	require.NoError(t, err)
	got := decodeLens(t, stdout)
	require.LessOrEqual(t, got.MeanPx, 0.20)
	require.InEpsilon(t, 535.9, got.Fx, 0.01)
	require.InEpsilon(t, 535.9, got.Fy, 0.01)
	require.Equal(t, 13, got.Views+len(got.Dropped))
	require.NotNil(t, got.Saved)
	require.Len(t, got.Deviation, 9)
}
