package configs

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig/policy/normalize"
)

// The shipped statistics take the middle of each range to 0 and leave the gripper.
func TestBridgeStatistics(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "rig.yaml")
	require.NoError(t, os.WriteFile(path, []byte("remote: {normalization: {method: bounds, statistics: bridge}}"), 0o600))
	r, err := LoadRig(path)
	require.NoError(t, err)
	s := r.Remote.Normalization.Loaded
	n, err := normalize.New(normalize.Bounds, s.Action)
	require.NoError(t, err)
	v := []float64{1, -1, 0, 0, 0, 0.5, 0.7}
	n.Physical(v)
	require.InDeltaSlice(t, []float64{0.0281222761, -0.0414320445, 0.0069857541, 0.00050514575, -0.00744340585, 0.1002338244, 0.7}, v, 1e-9)
	_, err = normalize.New(normalize.Bounds, s.State)
	require.NoError(t, err)
	_, err = normalize.New(normalize.ZScore, s.State)
	require.ErrorContains(t, err, "lack")

	require.NoError(t, os.WriteFile(path, []byte("remote: {normalization: {method: bounds, statistics: mine.json}}"), 0o600))
	_, err = LoadRig(path)
	require.ErrorContains(t, err, "remote: normalization: statistics: open "+filepath.Join(dir, "mine.json"))
}
