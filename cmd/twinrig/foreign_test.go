package main

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/agent"
	"twinrig/agent/record"
	"twinrig/sim/virtual"
)

// python runs a script of testdata in the tests' own virtual environment, which
// `make test` sets up, and returns what it printed.
func python(t *testing.T, script string, args ...string) []byte {
	t.Helper()
	interpreter, err := filepath.Abs("../../.deps/venv/bin/python")
	require.NoError(t, err)
	require.FileExists(t, interpreter, "run `make test`, or scripts/testenv.sh first")
	cmd := exec.Command(interpreter, append([]string{filepath.Join("testdata", script)}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, stderr.String())
	return out
}

// ROBOTIS' own SDK drives the emulated servos over the pty.
func TestDynamixelSDKDrivesTheVirtualRig(t *testing.T) {
	clock, err := agent.OpenClock()
	require.NoError(t, err)
	rig, err := virtual.Serve(virtual.DefaultConfig(), clock.Now, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, rig.Close()) }()
	require.Contains(t, string(python(t, "dynamixel_sdk_client.py", rig.PortPath())), "all as it should be")
}

// The official MCAP reader finds in a trial's log what our own reader does.
func TestOfficialReaderOpensTheLog(t *testing.T) {
	dir, _ := runDemo(t, small(t, "expert"), true)
	path := trialFiles(t, dir)[0]
	var got struct {
		Counts      map[string]uint64
		Attachments []string
		Encodings   [][2]string
	}
	require.NoError(t, json.Unmarshal(python(t, "mcap_reader.py", path), &got))
	info, err := record.Read(path, record.Visitor{})
	require.NoError(t, err)
	require.Equal(t, map[string]uint64{
		"/tick": info.Read.Ticks, "/gap": info.Read.Gaps, "/event": info.Read.Events, "/servo": info.Read.Servos,
		"/camera/webcam": info.Read.Frames,
	}, got.Counts)
	require.Equal(t, []string{"config.yaml", "calibration.yaml"}, got.Attachments)
	require.Equal(t, [][2]string{{"jsonschema", "json"}}, got.Encodings)
}

// Our reader finds in a log that the official package has written what it finds
// in ours, however that is packed.
func TestOwnReaderOpensTheOfficialWritersLog(t *testing.T) {
	dir, _ := runDemo(t, small(t, "expert"), true)
	path := trialFiles(t, dir)[0]
	want, header := contents(t, path)
	require.Greater(t, len(want), 1000)
	for _, c := range [][2]string{{"zstd", "100000"}, {"lz4", "4096"}, {"none", "1048576"}, {"none", "0"}} {
		t.Run(c[0]+" "+c[1], func(t *testing.T) {
			again := filepath.Join(t.TempDir(), "again.mcap")
			python(t, "mcap_rewriter.py", path, again, c[0], c[1])
			got, info := contents(t, again)
			require.Equal(t, header, info)
			require.Len(t, got, len(want))
			for i := range want {
				require.Equal(t, want[i], got[i], "message %d", i)
			}
		})
	}
}

// contents are all messages of a log, in its order, and what it says of itself.
func contents(t *testing.T, path string) (messages []string, info record.Info) {
	t.Helper()
	keep := func(v any) error {
		text, err := json.Marshal(v)
		messages = append(messages, string(text))
		return err
	}
	in, err := record.Read(path, record.Visitor{
		Tick:  func(v *twinrig.Report) error { return keep(v) },
		Gap:   func(v *twinrig.Gap) error { return keep(v) },
		Event: func(v *twinrig.Event) error { return keep(v) },
		Servo: func(v *twinrig.ServoHealth) error { return keep(v) },
		Frame: func(v *record.Image) error { return keep(v) },
	})
	require.NoError(t, err)
	require.NoError(t, in.Damage)
	require.NotNil(t, in.Summary)
	return messages, *in
}
