package twinrig_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mayImport is the architecture table of README.md: what each package may
// import of this module. configs and cmd may see everything.
var mayImport = map[string]string{
	"":                            "",
	"drivers/dynamixel":           "",
	"drivers/dynamixel/servotest": "drivers/dynamixel",
	"drivers/serial":              "",
	"calib":                       ".",
	"calib/target":                ".",
	"calib/page":                  "",
	"calib/intrinsics":            ". calib calib/target calib/page",
	"calib/ghost":                 ". calib sim",
	"calib/extrinsics":            ". calib calib/target calib/page calib/intrinsics sim",
	"calib/controller":            ". sim sim/mirror",
	"drivers/widowx":              ". drivers/dynamixel calib",
	"drivers/armtest":             ".",
	"drivers/camera":              ".",
	"sim/mujoco":                  "",
	"sim":                         ". calib sim/mujoco",
	"sim/scene":                   ". sim",
	"sim/mirror":                  ". sim",
	"sim/virtual":                 ". calib sim sim/scene sim/virtual/webcam drivers/dynamixel drivers/dynamixel/servotest",
	"sim/virtual/webcam":          ".",
	"policy":                      ".",
	"policy/hold":                 ". policy",
	"policy/replay":               ". policy",
	"policy/scripted":             ". policy",
	"policy/npwire":               "",
	"policy/normalize":            "",
	"policy/openpi":               "policy/npwire",
	"policy/rest":                 "policy/npwire",
	"policy/picture":              ".",
	"policy/remote":               ". policy policy/normalize policy/npwire policy/openpi policy/rest policy/picture",
	"eval/stats":                  "",
	"eval":                        ". policy eval/stats",
	"eval/outside":                "eval",
	"eval/report":                 ". eval eval/stats",
	"eval/export":                 ". eval agent/record",
	"eval/export/exporttest":      ". eval eval/export agent/record",
	"eval/export/lerobot":         ". eval eval/export agent/record",
	"agent":                       ". policy",
	"agent/record":                ".",
	"agent/telemetry/metrics":     ".",
	"agent/telemetry/outbox":      "",
	"agent/telemetry/foxglove":    ". agent/record",
	"agent/telemetry/mqtt":        ". agent/telemetry/outbox",
}

// TestArrowsPointUp holds the table against what the packages really import.
func TestArrowsPointUp(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	require.NoError(t, err)
	dec := json.NewDecoder(strings.NewReader(string(out)))
	seen := 0
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, "twinrig"), "/")
		if name == "configs" || strings.HasPrefix(name, "cmd/") {
			continue
		}
		allowed, known := mayImport[name]
		require.True(t, known, "package %q is not in the architecture table", name)
		seen++
		for _, imp := range p.Imports {
			rel, ours := strings.CutPrefix(imp, "twinrig")
			if !ours {
				continue
			}
			if rel = strings.TrimPrefix(rel, "/"); rel == "" {
				rel = "."
			}
			require.Contains(t, strings.Fields(allowed), rel, "%s imports %s", p.ImportPath, imp)
		}
	}
	require.Equal(t, len(mayImport), seen, "the table names a package that does not exist")
}
