package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig/agent/record"
	"twinrig/calib"
	"twinrig/eval"
)

// serveApart runs `twinrig virtual` as a process of its own, as hardware would be.
func serveApart(t *testing.T) virtualReady {
	t.Helper()
	c := exec.Command(os.Args[0], "virtual", "--json")
	c.Env = append(os.Environ(), mainEnv+"=1")
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		_ = c.Wait() // stopped by a signal
	})
	var ready virtualReady
	require.NoError(t, json.NewDecoder(out).Decode(&ready))
	return ready
}

// realStudy plans a study for a rig file that describes the virtual servos and
// camera as if they were real: nothing on this way knows better.
func realStudy(t *testing.T, rig virtualReady) (dir, calibration string) {
	t.Helper()
	root := t.TempDir()
	calibration = filepath.Join(root, "arm.yaml")
	require.NoError(t, calib.Nominal().Save(calibration))
	file := filepath.Join(root, "rig.yaml")
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, `name: bench
serial: {port: %s}
bus: {allowance: 150ms, retries: 2}
arm: {mode: torque, watchdog: 1s, position_p_xl430: 1280, write_eeprom: true}
loop: {rate_hz: 100, max_misses: 100, guard: {max_age: 1s}}
camera: {source: %q, rate_hz: 10, stale_after: 5s}
calib: arm.yaml
`, rig.Serial, rig.Camera), 0o600))
	dir = filepath.Join(root, "bench")
	_, err := say(t, "eval", "plan", dir, "--rig", file, "--scenes", "03_spoon_napkin", "--policies", "hold", "--trials", "3", "--timeout", "2s")
	require.NoError(t, err)
	return dir, calibration
}

// sitting is a person before `twinrig eval run`.
type sitting struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines *bufio.Scanner
	hand  io.Writer
	seen  []string
}

func sit(t *testing.T, dir string) *sitting {
	t.Helper()
	c := exec.Command(os.Args[0], "eval", "run", dir, "--who", "ann")
	c.Env = append(os.Environ(), mainEnv+"=1")
	hand, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() { _ = c.Process.Kill() }) // in case the test failed before it ended
	return &sitting{t: t, cmd: c, lines: bufio.NewScanner(out), hand: hand}
}

func (s *sitting) press(keys string) {
	_, err := io.WriteString(s.hand, keys+"\n")
	require.NoError(s.t, err)
}

// trial has one trial run, calling out a key in it, until its verdict is asked
// for. A busy machine's arm may have a fault, after which the trial comes again.
func (s *sitting) trial(key string) {
	s.t.Helper()
	for s.lines.Scan() {
		line := s.lines.Text()
		s.seen = append(s.seen, line)
		switch {
		case strings.HasPrefix(line, "Enter starts the trial"):
			s.press("")
		case strings.HasPrefix(line, "Policy A is driving, 2 s at most") && key != "":
			s.press(key)
		case strings.HasPrefix(line, "  Enter accepts the proposal"):
			return
		}
	}
	require.Fail(s.t, "no verdict was asked for", strings.Join(s.seen, "\n"))
}

// A study on an arm that is real for all that the program knows: a person places
// the objects, ends trials and judges them; is interrupted, and goes on.
func TestPersonRunsAStudy(t *testing.T) {
	dir, calibration := realStudy(t, serveApart(t))
	s, err := eval.Load(dir)
	require.NoError(t, err)
	require.False(t, s.Virtual)
	require.Equal(t, "operator", s.VerdictSource)
	_, err = say(t, "eval", "run", dir, "--lockstep")
	require.ErrorContains(t, err, "run it without --lockstep")

	ann := sit(t, dir)
	ann.trial("")
	ann.press("f no")
	ann.trial("s")
	ann.press("q")
	awaitLine(t, ann.lines, `"q" is none of s, f LABELS, p LABELS, i WHY, l; again, please`)
	ann.press("")
	awaitLine(t, ann.lines, "Enter starts")
	require.NoError(t, ann.cmd.Process.Signal(syscall.SIGINT))
	awaitLine(t, ann.lines, "arm parked, torque off")
	require.Error(t, ann.cmd.Wait())
	require.Equal(t, exitInterrupted, ann.cmd.ProcessState.ExitCode())
	said := strings.Join(ann.seen, "\n")
	require.Contains(t, said, `"put the spoon on the napkin."`)
	require.Contains(t, said, "  spoon              x ")

	results := counted(resultsOf(t, dir))
	require.Len(t, results, 2)
	require.Equal(t, eval.Timeout, results[0].Termination)
	require.Equal(t, &eval.Verdict{Labels: []eval.Label{eval.NoAttempt}, Source: "operator", Who: "ann"}, results[0].Verdict)
	require.Equal(t, eval.Success, results[1].Termination)
	require.True(t, results[1].Verdict.Success && results[1].Verdict.Partial)
	require.Positive(t, *results[1].TSuccess)
	require.LessOrEqual(t, *results[1].TSuccess, 2.2)
	info, err := record.Read(filepath.Join(dir, "trials", results[0].Trial.ID, logName), record.Visitor{})
	require.NoError(t, err)
	require.Equal(t, "real", info.Kind)
	require.Positive(t, info.Read.Ticks)

	// A record that was made anew is another arm.
	cal, err := calib.Load(calibration)
	require.NoError(t, err)
	cal.Camera.FxPx++
	require.NoError(t, os.Remove(calibration))
	require.NoError(t, cal.Save(calibration))
	_, err = say(t, "eval", "run", dir)
	require.ErrorContains(t, err, "eval amend STUDY --recalibrated")
	_, err = say(t, "eval", "amend", dir, "--recalibrated", "--reason", "the camera was pushed", "--who", "ann")
	require.NoError(t, err)

	ann = sit(t, dir)
	ann.trial("x")
	ann.press("l")
	for ann.lines.Scan() { // until it has parked
	}
	require.NoError(t, ann.cmd.Wait())
	results = counted(resultsOf(t, dir))
	require.Len(t, results, 3)
	require.Equal(t, eval.OperatorStop, results[2].Termination)
	out, err := say(t, "eval", "label", dir)
	require.NoError(t, err)
	require.Equal(t, results[2].Trial.ID+"\n", out)
	_, err = say(t, "eval", "close", dir)
	require.ErrorContains(t, err, "1 unlabelled")
	_, err = say(t, "eval", "label", dir, results[2].Trial.ID, "--failure", "collision")
	require.NoError(t, err)
	_, err = say(t, "eval", "close", dir)
	require.NoError(t, err)
	out, err = say(t, "eval", "report", dir)
	require.NoError(t, err)
	require.NotContains(t, strings.ToLower(out), "virtual")
	require.Contains(t, out, "The plan was amended after 2 trials by ann")
	require.Contains(t, out, "calibration ")
}

func counted(results []eval.Result) []eval.Result {
	return slices.DeleteFunc(results, func(r eval.Result) bool { return !r.Termination.Counted() })
}

func TestReadVerdict(t *testing.T) {
	for line, want := range map[string]string{
		"s": "s", "S": "s",
		"f dropped": "f dropped", "F dropped": "f dropped",
		"p dr,wrong_o":        "p dropped wrong_object",
		"f missed_grasp coll": "f missed_grasp collision",
		"f  unf ":             "f unfinished",
	} {
		v, invalid, err := readVerdict(line)
		require.NoError(t, err, line)
		require.Empty(t, invalid)
		require.Equal(t, want, verdictLine(v), line)
	}
	v, invalid, err := readVerdict("i the spoon rolled off")
	require.NoError(t, err)
	require.Nil(t, v)
	require.Equal(t, "the spoon rolled off", invalid)
	v, invalid, err = readVerdict("l")
	require.NoError(t, err)
	require.Nil(t, v)
	require.Empty(t, invalid)
	for line, want := range map[string]string{
		"":                  "is none of s, f LABELS",
		"yes":               "is none of",
		"f":                 "at least one label",
		"i":                 "i wants the reason",
		"f o":               `label "o" may be any of [out_of_reach other_execution other_understanding]`,
		"f nonsense":        `label "nonsense" may be any of []`,
		"f dropped dropped": "is there twice",
	} {
		_, _, err := readVerdict(line)
		require.ErrorContains(t, err, want, line)
	}
}

// What the mirror saw is a proposal, and a success that was called out another.
func TestProposal(t *testing.T) {
	require.Nil(t, proposal(&eval.Result{Termination: eval.Timeout}, nil))
	require.Equal(t, "s", verdictLine(proposal(&eval.Result{Termination: eval.Success}, nil)))
}
