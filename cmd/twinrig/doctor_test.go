package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig/agent"
	"twinrig/agent/telemetry/mqtt"
	"twinrig/cmd/twinrig/doctor"
	"twinrig/drivers/dynamixel/servotest"
	"twinrig/drivers/serial"
	"twinrig/sim/virtual"
)

var update = flag.Bool("update", false, "write the golden files")

// serveVirtual serves a virtual rig and a broker, and returns a rig file for
// them: what `twinrig virtual --json` prints, written down.
func serveVirtual(t *testing.T, faults ...servotest.Fault) (rig *virtual.Paced, file string) {
	t.Helper()
	cfg := virtual.DefaultConfig()
	cfg.Faults = faults
	clock, err := agent.OpenClock()
	require.NoError(t, err)
	rig, err = virtual.Serve(cfg, clock.Now, nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, rig.Close()) })
	broker, err := mqtt.OpenBroker(0)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, broker.Close()) })
	return rig, rigFile(t, rig.PortPath(), rig.CameraURL(), broker.URL())
}

// rigFile writes a rig that is patient with a busy machine: its servos' bytes
// wait for a core.
func rigFile(t *testing.T, port, camera, broker string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rig.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `name: virtual
serial: {port: %s}
bus: {allowance: 200ms}
camera: {source: "%s", rate_hz: 10}
loop: {rate_hz: 20, guard: {max_age: 200ms}}
mqtt: {broker: "%s"}
`, port, camera, broker), 0o600))
	return file
}

// ofThisMachine are the checks whose findings are another machine's elsewhere.
var ofThisMachine = map[string]bool{
	"cycle rate": true, "camera rate": true, "camera age": true, "MuJoCo": true,
	"disk space": true, "disk sync": true, "real time": true, "clock": true, "system time": true,
}

// number is what differs from run to run.
var number = regexp.MustCompile(`-?\d+(\.\d+)?`)

// golden holds the command's JSON against a file, its numbers masked.
func golden(t *testing.T, name, out string) doctor.Report {
	t.Helper()
	var r doctor.Report
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	masked := r
	masked.Checks = nil
	for _, c := range r.Checks {
		if ofThisMachine[c.Name] && c.Verdict != doctor.Fail {
			c = doctor.Result{Name: c.Name, Verdict: "ok or warn", Value: "this machine's"}
		}
		if strings.HasPrefix(c.Fix, "plug the adapter in") {
			c.Fix = "plug the adapter in" // and which others there are
		}
		if c.Name == "port" && c.Verdict == doctor.OK {
			c.Value = "the virtual rig's"
		}
		c.Value = number.ReplaceAllString(c.Value, "#")
		masked.Checks = append(masked.Checks, c)
	}
	var got bytes.Buffer
	enc := json.NewEncoder(&got)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	require.NoError(t, enc.Encode(masked))
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.WriteFile(path, got.Bytes(), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String())
	return r
}

// On a virtual rig, through the real drivers, everything is as it should be.
func TestDoctorOnAHealthyRig(t *testing.T) {
	_, file := serveVirtual(t)
	out, err := twinrigCommand("doctor", "--rig", file, "--studies", t.TempDir(), "--json")
	require.NoError(t, err, out)
	r := golden(t, "doctor_healthy.json", out)
	require.True(t, r.MayStart)
}

// Several faults at once are each found by their own check.
func TestDoctorFindsWhatBefell(t *testing.T) {
	_, file := serveVirtual(
		t,
		servotest.Fault{Kind: servotest.Hot, IDs: []int{9}, TemperatureC: 70},
		servotest.Fault{Kind: servotest.Sagging, IDs: []int{2}, VoltageV: 9.5},
		servotest.Fault{Kind: servotest.Overload, IDs: []int{6}},
		servotest.Fault{Kind: servotest.Slipped, IDs: []int{5}, AngleRad: 0.1},
	)
	out, err := twinrigCommand("doctor", "--rig", file, "--studies", t.TempDir(), "--json")
	require.EqualError(t, err, "doctor: 4 of 31 checks failed")
	var r doctor.Report
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	failed := map[string]string{}
	for _, c := range r.Checks {
		if c.Verdict == doctor.Fail {
			failed[c.Name] = c.Value
		}
	}
	require.Contains(t, failed["temperature"], "id 9 (gripper) 70.0 C")
	require.Contains(t, failed["voltage"], "id 2 (shoulder) 9.5 V")
	require.Contains(t, failed["hardware error"], "id 6 (forearm_roll): overload")
	require.Contains(t, failed["shadow pairs"], "elbow: servos 4 and 5 are 5.")
}

// What can be looked at is looked at, though port, camera and broker are gone.
func TestDoctorOnABrokenRig(t *testing.T) {
	file := rigFile(t, "/dev/nowhere", "http://127.0.0.1:1/none", "tcp://127.0.0.1:1")
	out, err := twinrigCommand("doctor", "--rig", file, "--studies", t.TempDir(), "--json")
	require.EqualError(t, err, "doctor: 3 of 31 checks failed")
	r := golden(t, "doctor_broken.json", out)
	require.False(t, r.MayStart)
}

// The doctor sees that another program drives the arm, and which, and leaves the
// arm alone.
func TestDoctorLeavesADrivenArmAlone(t *testing.T) {
	rig, file := serveVirtual(t)
	other := exec.Command(os.Args[0], "-test.run=^TestHoldsThePort$")
	other.Env = append(os.Environ(), holdEnv+"="+rig.PortPath())
	stdin, err := other.StdinPipe()
	require.NoError(t, err)
	stdout, err := other.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, other.Start())
	defer func() {
		require.NoError(t, stdin.Close()) // it ends by that
		require.NoError(t, other.Wait())
	}()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "holding\n", line)

	out, err := twinrigCommand("doctor", "--rig", file, "--studies", t.TempDir(), "--json")
	require.Error(t, err)
	var r doctor.Report
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	for _, c := range r.Checks {
		switch c.Name {
		case "port free":
			require.Equal(t, doctor.Fail, c.Verdict)
			require.Contains(t, c.Value, fmt.Sprintf("(pid %d)", other.Process.Pid))
			require.Contains(t, c.Fix, fmt.Sprintf("kill -INT %d", other.Process.Pid))
		case "servos":
			require.Equal(t, "not checked: needs port free", c.Value)
		case "camera":
			require.Equal(t, doctor.OK, c.Verdict)
		}
	}
}

const holdEnv = "TWINRIG_TEST_HOLD"

// TestHoldsThePort is the other program: it holds a port until its input ends.
func TestHoldsThePort(t *testing.T) {
	path := os.Getenv(holdEnv)
	if path == "" {
		t.Skip("it is run by TestDoctorLeavesADrivenArmAlone")
	}
	cfg := serial.Default()
	cfg.Port = path
	p, err := serial.Open(cfg)
	require.NoError(t, err)
	fmt.Println("holding")
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
	require.NoError(t, p.Close())
}

func TestDoctorUsage(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "rig.yaml")
	require.NoError(t, os.WriteFile(bad, []byte("speling: 1"), 0o600))
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "--rig"},
		{[]string{"--rig", "/nowhere.yaml"}, "/nowhere.yaml"},
		{[]string{"--rig", bad}, "speling"},
		{[]string{"--rig", bad, "more"}, "no arguments"},
		{[]string{"--rog", bad}, "rog"},
	} {
		_, err := twinrigCommand(append([]string{"doctor"}, c.args...)...)
		require.ErrorContains(t, err, c.want)
		require.ErrorAs(t, err, &usageError{}, c.want)
	}
}

// What a person sees: fixes that can be copied, what failed before what may wait,
// and one sentence at the end.
func TestDoctorForAPerson(t *testing.T) {
	r := doctor.Report{Checks: []doctor.Result{
		{Name: "disk", Verdict: doctor.Warn, Value: "2 GB free", Fix: "rm -r old"},
		{Name: "port", Verdict: doctor.Fail, Value: "/dev/x does not exist", Fix: "plug it in"},
		{Name: "servos", Verdict: doctor.Fail, Value: "not checked: needs port", Fix: "fix port first", Needs: "port"},
		{Name: "voltage", Verdict: doctor.Fail, Value: "not checked: needs port", Fix: "fix port first", Needs: "port"},
		{Name: "camera", Verdict: doctor.Fail, Value: "is dark", Fix: "take the cap off"},
		{Name: "camera rate", Verdict: doctor.Fail, Value: "not checked: needs camera", Needs: "camera"},
		{Name: "clock", Verdict: doctor.OK, Value: "fine"},
	}}
	var out bytes.Buffer
	require.EqualError(t, printDoctor(&out, &r, false), "doctor: 2 of 7 checks failed")
	require.Equal(t, strings.TrimPrefix(`
 warn  disk      2 GB free
 fail  port      /dev/x does not exist
 -     2 checks  not made without port
 fail  camera    is dark
 -     1 check   not made without camera
 ok    clock     fine

What to do:
 fail port: plug it in
 fail camera: take the cap off
 warn disk: rm -r old

No study may start yet. Fix port first: /dev/x does not exist
`, "\n"), out.String())

	out.Reset()
	r = doctor.Report{Checks: []doctor.Result{{Name: "clock", Verdict: doctor.OK, Value: "fine"}}, MayStart: true}
	require.NoError(t, printDoctor(&out, &r, false))
	require.Equal(t, " ok    clock  fine\n\nA study may start.\n", out.String())
}
