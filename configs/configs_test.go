package configs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig/sim/scene"
)

func TestShippedConfigs(t *testing.T) {
	_, err := LoadRig("widowx250s.yaml")
	require.NoError(t, err)
	d, err := LoadDemo("")
	require.NoError(t, err)
	require.Equal(t, "torque", d.Rig.Arm.Mode)
	for _, s := range scene.Shipped() {
		got, err := Scene(s.Name)
		require.NoError(t, err)
		require.Equal(t, s, got, "the file and the code say the same")
	}
	names, err := filepath.Glob("scenes/*.yaml")
	require.NoError(t, err)
	require.Len(t, names, len(scene.Shipped())+len(Table2Scenes()), "every file is tested")
}

func TestBadFilesNameFileKeyAndLimit(t *testing.T) {
	for name, want := range map[string][]string{
		"name: x\nspeling: 1":                              {"rig.yaml", "line 2", "speling"},
		"loop: {rate_hz: 5}":                               {"rig.yaml", "loop", "rate_hz", "20"},
		"arm: {mode: velocity}":                            {"rig.yaml", "arm: mode", "velocity"},
		"arm: {watchdog: 30ms}":                            {"rig.yaml", "watchdog", "20ms"},
		"serial: {baud: 12345}":                            {"rig.yaml", "baud", "12345"},
		"serial: {baud: 57600}":                            {"rig.yaml", "bus.baud", "57600"},
		"loop: {kp_nm_per_rad: [1, 2, 3, 4, 5, .nan]}":     {"rig.yaml", "kp_nm_per_rad of wrist_rotate"},
		"name: a\n---\nname: b":                            {"rig.yaml", "more than one document"},
		"policy_server: gpu:8000":                          {"rig.yaml", "policy_server", "gpu:8000"},
		"policy_server: tcp://gpu:1":                       {"rig.yaml", "policy_server", "openpi+ws"},
		"remote: {rate_hz: 1000}":                          {"rig.yaml", "remote", "rate_hz is 1000"},
		"loop: {friction: {share: 1.2}}":                   {"rig.yaml", "friction.share is 1.2", "0 to 1"},
		"loop: {guard: {duty: {max_share: 2}}}":            {"rig.yaml", "guard.duty.max_share is 2"},
		"loop: {guard: {contact: {brake_rad_s2: 0}}}":      {"rig.yaml", "guard.contact.brake_rad_s2 is 0"},
		"camera: {width_px: wide}":                         {"rig.yaml", "line 1", "wide"},
		"name: \"\"":                                       {"rig.yaml", "name", "empty"},
		"calib: nowhere.yaml\nmirror: {diverged_m: -0.02}": {"rig.yaml", "diverged_m"},
	} {
		path := filepath.Join(t.TempDir(), "rig.yaml")
		require.NoError(t, os.WriteFile(path, []byte(name), 0o600))
		_, err := LoadRig(path)
		require.Error(t, err, name)
		for _, w := range want {
			require.ErrorContains(t, err, w, name)
		}
	}
	_, err := LoadRig("nowhere.yaml")
	require.ErrorContains(t, err, "nowhere.yaml")
}

func TestBadDemos(t *testing.T) {
	good, err := Shipped.ReadFile(DemoFile)
	require.NoError(t, err)
	for change, want := range map[string]string{
		"timeout: 16s|timeout: 1ms":                 "study: timeout",
		"trials: 1|trials: 0":                       "study: trials",
		"[expert, clumsy, hold]|[expert, genius]":   `"genius"`,
		"latency: 1ms|latency: 10s":                 "virtual: latency",
		"place_sigma_m: 0.002|place_sigma_m: 2":     "place_sigma_m",
		"mode: torque|mode: torque\n    power: 9":   "power",
		"frame_every_steps: 5|frame_every_steps: 0": "frame_every_steps",
	} {
		from, to, _ := strings.Cut(change, "|")
		require.Contains(t, string(good), from)
		path := filepath.Join(t.TempDir(), "demo.yaml")
		require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(good), from, to, 1)), 0o600))
		_, err := LoadDemo(path)
		require.ErrorContains(t, err, want, change)
		require.ErrorContains(t, err, "demo.yaml", change)
	}
}

func TestCalibPathIsRelativeToTheFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "rig.yaml")
	require.NoError(t, os.WriteFile(path, []byte("calib: arm1.yaml"), 0o600))
	r, err := LoadRig(path)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "arm1.yaml"), r.Calib)
	_, err = r.Calibration()
	require.ErrorContains(t, err, "arm1.yaml")
}
