package main

import (
	"bufio"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/cmd/twinrig/doctor"
	"twinrig/configs"
	"twinrig/eval"
	"twinrig/policy"
	"twinrig/policy/picture"
	"twinrig/policy/remote"
	"twinrig/sim"
	"twinrig/sim/mirror"
)

// serveFor serves a built-in policy until the test ends.
func serveFor(t *testing.T, source, protocol, keyEnv string) servedPolicy {
	t.Helper()
	return serveWith(t, source, &serveFlags{protocol: protocol, listen: "127.0.0.1:0", scene: "red_cube_blue_bowl", seed: 1, keyEnv: keyEnv})
}

func serveWith(t *testing.T, source string, f *serveFlags) servedPolicy {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan servedPolicy, 1), make(chan error, 1)
	go func() {
		ended <- servePolicy(ctx, source, f, func(s servedPolicy) error { ready <- s; return nil })
	}()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	select {
	case s := <-ready:
		return s
	case err := <-ended:
		ended <- nil
		require.NoError(t, err)
		return servedPolicy{}
	}
}

// The official clients of both protocols ask our servers, and get what the policy
// itself would answer.
func TestForeignClientsDriveOurServers(t *testing.T) {
	t.Setenv("TWINRIG_TEST_KEY", "k-17")
	at, err := url.Parse(strings.TrimPrefix(serveFor(t, "expert", "openpi", "TWINRIG_TEST_KEY").URL, "openpi+"))
	require.NoError(t, err)
	rest := strings.TrimPrefix(serveFor(t, "expert", "rest", "TWINRIG_TEST_KEY").URL, "rest+")
	var got struct{ Openpi, Rest policy.Chunk }
	require.NoError(t, json.Unmarshal(python(t, "policy_clients.py", at.Hostname(), at.Port(), rest), &got))

	task, err := sceneTask("red_cube_blue_bowl", 1)
	require.NoError(t, err)
	p, err := builtIn(configs.Expert, task, 1)
	require.NoError(t, err)
	o := twinrig.Observation{Instruction: "go"}
	for i, q := range []float32{-0.13, -0.76, 0.44, -0.02, 1.75, -0.16} {
		o.State.Measured[i] = float64(q)
	}
	o.State.Grip = 1
	want, err := p.Act(t.Context(), &o)
	require.NoError(t, err)
	require.Equal(t, want, got.Openpi)
	require.Len(t, got.Rest, len(want))
	for i := range want {
		require.InDeltaSlice(t, want[i][:], got.Rest[i][:], 1e-9)
	}
}

// foreignServer starts a Python policy server, and ends it with the test.
func foreignServer(t *testing.T, protocol string) (port string) {
	t.Helper()
	interpreter, err := filepath.Abs("../../.deps/venv/bin/python")
	require.NoError(t, err)
	require.FileExists(t, interpreter, "run `make test`, or scripts/testenv.sh first")
	cmd := exec.Command(interpreter, filepath.Join("testdata", "policy_servers.py"), protocol)
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = stdin.Close()
		require.NoError(t, cmd.Wait())
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(line)
}

// Our client asks servers that are made of openpi's and OpenVLA's own encoders, and
// declare nothing.
func TestWeDriveForeignServers(t *testing.T) {
	o := testSight().observation
	for protocol, c := range map[string]remote.Contract{
		"openpi": {},
		"rest":   {Image: remote.Image{Resize: picture.Lanczos, Width: 256, Height: 256}, Extra: map[string]string{"unnorm_key": "bridge_orig"}},
	} {
		t.Run(protocol, func(t *testing.T) {
			c.Space, c.RateHz, c.Horizon, c.Execute = policy.BridgeDelta, 5, 2, 1
			at := map[string]string{"openpi": "openpi+ws://127.0.0.1:", "rest": "rest+http://127.0.0.1:"}[protocol] + foreignServer(t, protocol)
			p, err := remote.Open(t.Context(), at, c, sim.NewKinematics())
			require.NoError(t, err)
			defer p.Close()
			for range 2 { // a second trial
				require.NoError(t, p.Reset(t.Context()))
				chunk, err := p.Act(t.Context(), &o)
				require.NoError(t, err)
				require.Len(t, chunk, 2)
				a := chunk[1]
				// Thirds of the picture have each channel, 155 on average; padding takes
				// a quarter of it.
				want := 155.0 / 3 / 10000
				if protocol == "openpi" {
					want *= 0.75
					require.InDelta(t, sim.NewKinematics().Forward(mirror.NeutralPose).P[0]/100, a[3], 1e-7)
				}
				for k := range 3 {
					require.InDelta(t, want, a[k], 1e-4)
				}
				require.InDelta(t, 0.75, a[twinrig.GripAxis], 0)
			}
			// What it cannot answer is its own word, in one line.
			o := o
			o.Instruction = "go"
			_, err = p.Act(t.Context(), &o)
			require.Error(t, err)
			require.NotContains(t, err.Error(), "\n")
			if protocol == "openpi" {
				require.ErrorContains(t, err, "AssertionError: go")
			}
		})
	}
}

// A study names policies by URL, beside built-in ones, and the served expert does
// the task like the built-in one.
func TestStudyOfAServedPolicy(t *testing.T) {
	for _, protocol := range []string{"openpi", "rest"} {
		t.Run(protocol, func(t *testing.T) {
			d := small(t, "hold", "served="+serveFor(t, "expert", protocol, "").URL)
			d.Study.Placements, d.Study.Trials = 1, 2
			dir, _ := runDemo(t, d, true)
			got := map[string][]eval.Termination{}
			for _, r := range resultsOf(t, dir) {
				got[r.Trial.Policy] = append(got[r.Trial.Policy], r.Termination)
			}
			require.Equal(t, map[string][]eval.Termination{
				"hold": {eval.Timeout, eval.Timeout}, "served": {eval.Success, eval.Success},
			}, got)
		})
	}
}

// A server that is not there ends a study before it begins; one that dies in a trial
// makes it the policy's fault, and the study stops after three.
func TestStudyOfADeadServer(t *testing.T) {
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, gone.Close())
	d := small(t, "openpi+ws://"+gone.Addr().String())
	err = demo(t.Context(), d, demoFlags{lockstep: true, asJSON: true, out: filepath.Join(t.TempDir(), "s")}, &strings.Builder{}, &strings.Builder{})
	require.ErrorContains(t, err, "connection refused")

	// It greets whoever comes, and hangs up at the first question.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	go greetAndLeave(l)
	d = small(t, "openpi+ws://"+l.Addr().String())
	d.Rig.Remote = remote.Contract{Space: policy.BridgeDelta, RateHz: 5, Horizon: 4, Execute: 4}
	dir := filepath.Join(t.TempDir(), "study")
	err = demo(t.Context(), d, demoFlags{lockstep: true, asJSON: true, out: dir}, &strings.Builder{}, &strings.Builder{})
	require.ErrorContains(t, err, "fault 3 times in a row, last policy fault")
	results := resultsOf(t, dir)
	require.Len(t, results, 3)
	for _, r := range results {
		require.Equal(t, eval.PolicyFault, r.Termination)
		require.Nil(t, r.Verdict)
		require.Contains(t, r.Note, "5 chunks refused in a row")
		require.Contains(t, r.Note, l.Addr().String())
	}
}

// greetAndLeave is an openpi server that hangs up at the first question.
func greetAndLeave(l net.Listener) {
	up := websocket.Upgrader{}
	server := http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := up.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		_ = conn.WriteMessage(websocket.BinaryMessage, []byte{0x80}) // an empty map
		_, _, _ = conn.ReadMessage()
		_ = conn.Close()
	})}
	_ = server.Serve(l)
}

// writeFile writes a file of the test's own.
func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// checksOf runs `policy check --json`.
func checksOf(t *testing.T, args ...string) (map[string]doctor.Result, bool) {
	t.Helper()
	out, err := twinrigCommand(append([]string{"policy", "check", "--json"}, args...)...)
	var r doctor.Report
	require.NoError(t, json.Unmarshal([]byte(out), &r), "%v", err)
	require.Equal(t, r.MayStart, err == nil)
	all := map[string]doctor.Result{}
	for _, c := range r.Checks {
		all[c.Name] = c
		require.Equal(t, c.Verdict == doctor.OK, c.Fix == "", c.Name)
	}
	require.Len(t, all, 7)
	return all, r.MayStart
}

func TestPolicyCheck(t *testing.T) {
	rig := writeFile(t, "rig.yaml", "name: bench\n")
	for _, protocol := range []string{"openpi", "rest"} {
		at := serveFor(t, "expert", protocol, "").URL
		checks, ok := checksOf(t, at, "--rig", rig)
		require.True(t, ok)
		require.Equal(t, "bridge_delta at 5 Hz, 4 actions an answer, 4 executed; state joints; numbers are m and rad by the server's word, not normalised here", checks["contract"].Value)
		require.Equal(t, doctor.OK, checks["probes"].Verdict, checks["probes"].Value)
		require.Contains(t, checks["probes"].Value, "nothing else")
		require.Equal(t, doctor.Warn, checks["actions"].Verdict)
		require.Contains(t, checks["actions"].Value, "test picture")
	}
	// With a recorded trial the answers mean something.
	d := small(t, "expert")
	d.Study.Placements = 1
	dir, _ := runDemo(t, d, true)
	at := serveFor(t, "expert", "openpi", "").URL
	checks, ok := checksOf(t, at, "--rig", rig, "--log", trialFiles(t, dir)[0])
	require.True(t, ok)
	require.Equal(t, doctor.OK, checks["actions"].Verdict, checks["actions"].Value)
	require.Contains(t, checks["actions"].Value, "recorded moments shown")
}

func TestPolicyCheckFindsWhatDoesNotFit(t *testing.T) {
	at := serveFor(t, "expert", "openpi", "").URL
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	go greetAndLeave(l)
	leaves := "openpi+ws://" + l.Addr().String()
	slow := serveFlags{protocol: "openpi", listen: "127.0.0.1:0", scene: "red_cube_blue_bowl", seed: 1, latency: 250 * time.Millisecond}
	for name, tc := range map[string]struct {
		url, rig, check string
		verdict         doctor.Verdict
		says            string
	}{
		"no mean":           {leaves, "policy: {chunking: ensemble}\nremote: {space: ee_pose, rate_hz: 5, horizon: 4, execute: 4}\n", "contract", doctor.Fail, "no mean of the rotations of ee_pose: use realtime"},
		"nothing declared":  {leaves, "", "server", doctor.Fail, "contract: nobody declares space"},
		"nobody there":      {"openpi+ws://127.0.0.1:1", "", "server", doctor.Fail, "connection refused"},
		"skipped":           {"openpi+ws://127.0.0.1:1", "", "latency", doctor.Fail, "needs server"},
		"other contract":    {at, "remote: {space: bridge_delta_continuous}\n", "server", doctor.Fail, "the rig file says that the policy's space is bridge_delta_continuous"},
		"loop too slow":     {leaves, "loop: {rate_hz: 100}\nremote: {space: bridge_delta, rate_hz: 50, horizon: 4, execute: 4}\n", "contract", doctor.Fail, "four of the loop's cycles"},
		"hangs up":          {leaves, "remote: {space: bridge_delta, rate_hz: 5, horizon: 4, execute: 4}\n", "answers", doctor.Fail, "10 of 10 refused: "},
		"actions too large": {at, "policy: {max_translation_m: 0.01}\n", "answers", doctor.Fail, "must be -0.01 to 0.01"},
		"slow":              {serveWith(t, "expert", &slow).URL, "", "latency", doctor.Warn, "the arm would stand"},
		"not there at all":  {serveWith(t, "hold", &slow).URL, "policy: {timeout: 100ms}\n", "latency", doctor.Fail, "policy.timeout is 100ms"},
	} {
		t.Run(name, func(t *testing.T) {
			checks, ok := checksOf(t, tc.url, "--rig", writeFile(t, "rig.yaml", "name: bench\n"+tc.rig))
			c := checks[tc.check]
			require.Equal(t, tc.verdict, c.Verdict, c.Value)
			require.Contains(t, c.Value, tc.says)
			if strings.Contains(c.Value, ": contract: ") {
				require.Contains(t, c.Fix, "correct remote in the rig file")
			}
			require.Equal(t, tc.verdict != doctor.Fail, ok)
		})
	}
}

func TestPolicyUsage(t *testing.T) {
	rig := writeFile(t, "rig.yaml", "name: bench\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"check"}, "--rig"},
		{[]string{"check", "--rig", rig}, "no server: name its URL, or policy_server"},
		{[]string{"check", "ws://gpu", "--rig", rig}, "openpi+ws"},
		{[]string{"check", "openpi+ws://gpu", "--rig", rig, "--log", "/nowhere.mcap"}, "/nowhere.mcap"},
		{[]string{"check", "openpi+ws://gpu", "--rig", rig, "--warm-up", "0s"}, "--warm-up is 0s, must be above 0"},
		{[]string{"serve"}, "hold, expert, clumsy or replay:FILE"},
		{[]string{"serve", "oracle"}, `"oracle" is none of expert, clumsy, hold`},
		{[]string{"serve", "openpi+ws://gpu"}, "on a server already"},
		{[]string{"serve", "hold", "--protocol", "grpc"}, "neither openpi nor rest"},
		{[]string{"serve", "hold", "--listen", "0.0.0.0:0"}, "reaches beyond this machine"},
		{[]string{"serve", "hold", "--listen", "127.0.0.1"}, "--listen: address 127.0.0.1: missing port"},
		{[]string{"serve", "hold", "--api-key-env", "TWINRIG_NO_SUCH"}, "TWINRIG_NO_SUCH, which is not set"},
		{[]string{"serve", "hold", "--latency", "2m"}, "must be 0 to 1m"},
		{[]string{"serve", "expert", "--scene", "/nowhere.yaml"}, "/nowhere.yaml"},
	} {
		_, err := twinrigCommand(append([]string{"policy"}, c.args...)...)
		require.ErrorContains(t, err, c.want)
		require.ErrorAs(t, err, &usageError{}, c.want)
	}
}
