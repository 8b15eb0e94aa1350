package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"twinrig/agent/record"
	"twinrig/configs"
	"twinrig/eval"
)

// say runs a command of this program and returns what it prints.
func say(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	c := root()
	c.SetArgs(args)
	c.SetOut(&out)
	c.SetErr(io.Discard)
	err := c.ExecuteContext(t.Context())
	return out.String(), err
}

// planFile writes a plan of short trials in one scene.
func planFile(t *testing.T) string {
	t.Helper()
	d, err := configs.LoadPlan("")
	require.NoError(t, err)
	d.Study.Scenes = []string{"07_red_knife_cutting_board"}
	d.Study.Trials, d.Study.Placements, d.Study.Timeout = 1, 1, 20*time.Second
	text, err := yaml.Marshal(&d)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "plan.yaml")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	return path
}

// A study from its plan to its report, as a lab goes through it.
func TestStudyFromPlanToReport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "week12")
	out, err := say(t, "eval", "plan", dir, "--file", planFile(t), "--policies", "expert,hold", "--guess", ".9,.1", "--json")
	require.NoError(t, err)
	var plan planJSON
	require.NoError(t, json.Unmarshal([]byte(out), &plan))
	require.Equal(t, []string{"A", "B"}, plan.Policies)
	require.Equal(t, 2, plan.Trials)
	require.Contains(t, plan.Power, "with true rates 0.9 and 0.1")
	text, err := os.ReadFile(filepath.Join(dir, eval.StudyFile))
	require.NoError(t, err)
	require.Equal(t, eval.Digest(string(text)), plan.Digest)
	require.Contains(t, string(text), plan.Commitment)
	_, err = say(t, "eval", "plan", dir)
	require.ErrorIs(t, err, eval.ErrExists)

	_, err = say(t, "eval", "close", dir)
	require.ErrorContains(t, err, "0 of 2 trials are done")
	_, err = say(t, "eval", "amend", dir, "--timeout", "18s")
	require.ErrorContains(t, err, "without a reason")
	_, err = say(t, "eval", "amend", dir, "--who", "ann", "--timeout", "18s", "--reason", "the lamp is hot")
	require.NoError(t, err)
	out, err = say(t, "eval", "run", dir, "--lockstep", "--json")
	require.NoError(t, err)
	var ran runJSON
	require.NoError(t, json.Unmarshal([]byte(out), &ran))
	require.Equal(t, 2, ran.Done)
	require.Greater(t, ran.Speedup, 1.0)

	// The operator has seen something else.
	results := resultsOf(t, dir)
	held := results[0]
	if held.Verdict.Success {
		held = results[1]
	}
	require.InDelta(t, 18, held.Trial.Timeout, 0, "the plan as amended")
	_, err = say(t, "eval", "label", dir, held.Trial.ID, "--failure", "unfinished", "--who", "ann")
	require.ErrorContains(t, err, "wants --reason")
	_, err = say(t, "eval", "label", dir, held.Trial.ID, "--failure", "no_attempts", "--who", "ann")
	require.ErrorContains(t, err, `"no_attempts" is unknown`)
	_, err = say(t, "eval", "label", dir, held.Trial.ID, "--failure", "unfinished", "--who", "ann", "--reason", "it moved a little", "--json")
	require.NoError(t, err)
	out, err = say(t, "eval", "label", dir)
	require.NoError(t, err)
	require.Equal(t, "every trial has its verdict\n", out)

	out, err = say(t, "eval", "report", dir)
	require.NoError(t, err)
	require.NotContains(t, out, "expert", "who is who is not known yet")
	out, err = say(t, "eval", "close", dir, "--who", "ann")
	require.NoError(t, err)
	letter := held.Trial.Policy
	require.Contains(t, out, letter+" was hold")
	sealed, _, _ := strings.Cut(out[strings.Index(out, "these lines:\n")+len("these lines:\n"):], "\n\n")
	require.Equal(t, plan.Commitment, eval.Digest(sealed+"\n"), "the lines can be checked by anybody")

	out, err = say(t, "eval", "report", dir, "--json")
	require.NoError(t, err)
	var rep struct {
		Policies map[string]struct{ SR struct{ K, N int } }
		Plan     struct {
			Letters map[string]string
			Changes []eval.Change
			Closed  *eval.Closing
		}
		Amendments []struct{ Trial, Reason string }
	}
	require.NoError(t, json.Unmarshal([]byte(out), &rep))
	require.Equal(t, 1, rep.Policies["expert"].SR.K)
	require.Equal(t, 0, rep.Policies["hold"].SR.K)
	require.Equal(t, "hold", rep.Plan.Letters[letter])
	require.Equal(t, "ann", rep.Plan.Closed.Who)
	require.Equal(t, "the lamp is hot", rep.Plan.Changes[0].Reason)
	require.Equal(t, "it moved a little", rep.Amendments[0].Reason)
	page, err := os.ReadFile(filepath.Join(dir, "report", "report.html"))
	require.NoError(t, err)
	require.Contains(t, string(page), "The plan was amended after 0 trials by ann")
	require.Contains(t, string(page), letter+" was hold")

	_, err = say(t, "eval", "run", dir, "--lockstep")
	require.ErrorContains(t, err, "the study is closed, by ann")
}

// The flags change what the file says, and what cannot be is refused before
// anything is written.
func TestPlanFlags(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "race")
	_, err := say(t, "eval", "plan", dir, "--policies", "expert,clumsy,hold", "--stop", "e-process", "--between", "clumsy,expert",
		"--trials", "3", "--placements", "2", "--timeout", "33s", "--alpha", ".1", "--seed", "5", "--blind=false")
	require.NoError(t, err)
	s, err := eval.Load(dir)
	require.NoError(t, err)
	require.Len(t, s.Scenes, 12)
	require.Len(t, s.Scenes[11].Placements, 2)
	require.Equal(t, 108, s.Total())
	require.Equal(t, 33*time.Second, s.Timeout)
	require.Empty(t, s.Commitment)
	require.Equal(t, &eval.StopRule{Test: "paired", Alpha: 0.1, Between: [2]string{"clumsy", "expert"}}, s.Stop)
	require.Contains(t, s.Power, "At most 36 pairs")
	for _, sc := range s.Scenes {
		require.NotContains(t, sc.Instruction, "(", "what is unspoken stays so")
	}

	for want, flags := range map[string][]string{
		"scenes":                {"--scenes", "nowhere"},
		"trials: 0":             {"--trials", "0", "--placements", "1"},
		"timeout: 1ms":          {"--timeout", "1ms"},
		"design: stop: rule":    {"--stop", "sometimes"},
		"design: stop: alpha":   {"--alpha", "0"},
		"design: stop: between": {"--stop", "e-process", "--policies", "expert,clumsy,hold"},
		"design: guess":         {"--guess", ".9"},
		"nowhere.yaml":          {"--file", "nowhere.yaml"},
	} {
		bad := filepath.Join(t.TempDir(), "bad")
		_, err := say(t, append([]string{"eval", "plan", bad}, flags...)...)
		require.ErrorAs(t, err, &usageError{}, want)
		if want != "scenes" {
			require.ErrorContains(t, err, want)
		}
		require.NoDirExists(t, bad)
	}
}

// A disk without room for a trial stops the study before it, and the study goes on
// once there is room.
func TestFullDiskStopsBeforeTheTrial(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "full")
	_, err := say(t, "eval", "plan", dir, "--file", planFile(t), "--policies", "hold")
	require.NoError(t, err)
	s, l, err := openStudy(dir)
	require.NoError(t, err)
	defer l.Close()
	ses, err := sessionOf(s, l, dir, true, func(string) {})
	require.NoError(t, err)
	room := uint64(100 << 20)
	ses.free = func(string) (uint64, error) { return room, nil }
	err = ses.run(t.Context(), l, nil)
	require.ErrorContains(t, err, "before trial 0000-07_red_knife_cutting_board-p0-A: 100 MiB are free in "+dir)
	require.ErrorContains(t, err, "a trial wants 256")
	require.Empty(t, resultsOf(t, dir))
	logs, err := filepath.Glob(filepath.Join(dir, "trials", "*"))
	require.NoError(t, err)
	require.Empty(t, logs)
	room = 1 << 30
	require.NoError(t, ses.run(t.Context(), l, nil))
	require.Len(t, resultsOf(t, dir), 1)
}

// recover makes whole logs of cut ones, once, and leaves whole ones alone.
func TestRecover(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cut")
	_, err := say(t, "eval", "plan", dir, "--file", planFile(t), "--policies", "hold")
	require.NoError(t, err)
	_, err = say(t, "eval", "run", dir, "--lockstep")
	require.NoError(t, err)
	out, err := say(t, "eval", "recover", dir)
	require.NoError(t, err)
	require.Equal(t, "1 logs, 0 of them cut off\n", out)

	path := trialFiles(t, dir)[0]
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, whole[:len(whole)/2], 0o600))
	for range 2 { // the second time changes nothing
		out, err = say(t, "eval", "recover", dir, "--json")
		require.NoError(t, err)
		var all []recoveredJSON
		require.NoError(t, json.Unmarshal([]byte(out), &all))
		require.Len(t, all, 1)
		require.Contains(t, all[0].Damage, "cut off after")
		require.Positive(t, all[0].Ticks)
		info, err := record.Read(all[0].Recovered, record.Visitor{})
		require.NoError(t, err)
		require.NoError(t, info.Damage)
		require.Equal(t, all[0].Ticks, info.Read.Ticks)
		require.Equal(t, all[0].Gaps, info.Read.Gaps)
	}
	require.NoError(t, os.WriteFile(path, whole[:3], 0o600))
	out, err = say(t, "eval", "recover", path)
	require.NoError(t, err)
	require.Contains(t, out, "nothing to recover")
	_, err = say(t, "eval", "recover", t.TempDir())
	require.ErrorContains(t, err, "has no logs")
}
