package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// bridgeSegments is the file of recorded motion. It is not part of the project:
// CI lays it beside the checkout and fails without it.
func bridgeSegments(t *testing.T) string {
	t.Helper()
	const path = "../../../shared/data/bridge_segments.jsonl"
	if _, err := os.Stat(path); err != nil {
		require.Empty(t, os.Getenv("CI"), "%v", err)
		t.Skipf("no recorded segments beside the checkout: %v", err)
	}
	return path
}

// A search that is much too short shows already what the fit is good for: on
// segments that it has not seen, the mirror is nearer to the real arm.
func TestCalibControllerOnRealSegments(t *testing.T) {
	out, progress, err := calibrate(t, "controller", "--segments", bridgeSegments(t), "--folds", "2", "--generations", "4", "--json")
	require.NoError(t, err)
	require.Contains(t, progress, "fitted 3 of 3")
	d := json.NewDecoder(bytes.NewReader([]byte(out)))
	d.DisallowUnknownFields()
	var got controllerJSON
	require.NoError(t, d.Decode(&got))
	t.Logf("real motion, held out: %+v -> %+v", got.Before, got.After)
	require.Len(t, got.Folds, 2)
	require.Len(t, got.Folds[0].HeldOut, 8)
	require.Len(t, got.Folds[1].HeldOut, 7)
	require.Equal(t, 135, got.States)
	require.InDelta(t, 10.29, got.Before.PositionRMSMM, 0.01)
	require.Less(t, got.After.PositionRMSMM, 8.0)
	require.Less(t, got.After.RotationRMSDeg, 3.0)
	require.Less(t, got.Simpler.After, got.Simpler.Before)
	require.Len(t, got.Parameters, 9)
}

func TestCalibControllerUsage(t *testing.T) {
	two := filepath.Join(t.TempDir(), "two.jsonl")
	state := `[0.3,0,0.2,0,0,0,1]`
	line := `{"id":"a","instruction":"","hz":5,"state":[` + state + `,` + state + `],"action":[` + state + `,` + state + `]}`
	require.NoError(t, os.WriteFile(two, []byte(line+"\n"+line), 0o600))
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "--segments is needed"},
		{[]string{"--segments", "absent.jsonl"}, "absent.jsonl"},
		{[]string{"--segments", two, "--folds", "5"}, "--folds: 5 is outside 2 to 2"},
		{[]string{"--segments", two, "--generations", "0"}, "--generations: 0 is outside"},
	} {
		_, _, err := calibrate(t, append([]string{"controller"}, c.args...)...)
		require.ErrorContains(t, err, c.want)
		require.ErrorAs(t, err, new(usageError))
	}
}
