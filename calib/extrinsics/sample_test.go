package extrinsics

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is written is read again, in the order of the names; files that are no
// samples are named.
func TestSampleFiles(t *testing.T) {
	s := newSynth(t, 1)
	samples := s.samples(t, 3)
	dir := t.TempDir()
	for _, i := range []int{2, 0, 1} {
		require.NoError(t, samples[i].Write(dir))
	}
	got, err := ReadSamples(dir)
	require.NoError(t, err)
	require.Equal(t, samples, got)
	sum, err := samples[0].SHA256()
	require.NoError(t, err)
	require.Len(t, sum, 64)

	for text, want := range map[string]string{
		"":                              "EOF",
		`{"version": 1}`:                `where: "" is neither`,
		`{"version": 2}`:                "version: 2 is not 1",
		`{"version": 1, "camera": "x"}`: "unknown field",
		`{"version": 1, "where": "hand", "joints_rad": [9,0,0,0,0,0]}`:      "not within a turn",
		`{"version": 1, "where": "hand", "grip": 7}`:                        "grip: 7 is outside",
		`{"version": 1, "where": "hand", "spread_rad": -1}`:                 "spread_rad: -1",
		`{"version": 1, "where": "hand", "view": {"version": 1}}`:           "board:",
		`{"version": 1, "where": "table", "view": {"version": 1}} {"a": 1}`: "more than one",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "bad.pose.json"), []byte(text), 0o600))
		_, err := ReadSamples(dir)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "bad.pose.json")
	}
	_, err = ReadSamples(filepath.Join(dir, "absent"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
