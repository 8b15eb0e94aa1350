package configs_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/configs"
	"twinrig/drivers/dynamixel/servotest"
)

func TestLoadFaults(t *testing.T) {
	load := func(text string) ([]servotest.Fault, error) {
		path := filepath.Join(t.TempDir(), "faults.yaml")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return configs.LoadFaults(path)
	}
	got, err := load("faults:\n  - {kind: silent, ids: [4, 5], at: 5s, for: 2s}\n  - {kind: lost, rate: 0.01}\n")
	require.NoError(t, err)
	require.Equal(t, []servotest.Fault{
		{Kind: servotest.Silent, IDs: []int{4, 5}, At: 5 * time.Second, For: 2 * time.Second},
		{Kind: servotest.Lost, Rate: 0.01},
	}, got)
	for text, want := range map[string]string{
		"faults: [{kind: sulking}]":           `faults[0]: kind: "sulking" is none of lost, corrupted`,
		"faults: [{kind: hot, temp: 3}]":      "field temp not found",
		"faults: [{kind: lost, rate: 2}]":     "faults[0]: rate: 2 is outside",
		"fault: [{kind: lost, rate: 0.1}]":    "field fault not found",
		"faults: [{kind: silent, for: five}]": "five",
	} {
		_, err := load(text)
		require.ErrorContains(t, err, want)
	}
	_, err = configs.LoadFaults("nowhere.yaml")
	require.ErrorIs(t, err, os.ErrNotExist)
}
