package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig/eval/export/lerobot"
)

// The official package loads both versions, and decodes their videos.
func TestLeRobotLoadsTheExport(t *testing.T) {
	if os.Getenv("TWINRIG_LEROBOT") == "" {
		t.Skip("set TWINRIG_LEROBOT=1: it installs several GB of Python packages")
	}
	dir, _ := runDemo(t, small(t, "expert", "hold"), true)
	for version, release := range map[lerobot.Version]string{lerobot.V21: "0.3.3", lerobot.V30: "0.4.4"} {
		out := filepath.Join(t.TempDir(), string(version))
		text, err := say(t, "export", "lerobot", dir, "--out", out, "--version", string(version), "--json")
		require.NoError(t, err)
		var wrote lerobot.Summary
		require.NoError(t, json.Unmarshal([]byte(text), &wrote))

		cmd := exec.Command("../../scripts/lerobot-check.sh", out)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		printed, err := cmd.Output()
		require.NoError(t, err, stderr.String())
		t.Logf("%s", printed)
		var got struct {
			LeRobot string           `json:"lerobot"`
			Version lerobot.Version  `json:"codebase_version"`
			Length  int              `json:"length"`
			FPS     int              `json:"fps"`
			Task    string           `json:"task"`
			Stats   map[string][]int `json:"stats_mean_shape"`
		}
		require.NoError(t, json.Unmarshal(printed, &got))
		require.Equal(t, release, got.LeRobot)
		require.Equal(t, version, got.Version)
		require.Equal(t, [2]int{wrote.Frames, wrote.FPS}, [2]int{got.Length, got.FPS})
		require.Equal(t, "put the red cube in the blue bowl", got.Task)
		require.Equal(t, []int{3, 1, 1}, got.Stats["observation.images.webcam"])
	}
}
