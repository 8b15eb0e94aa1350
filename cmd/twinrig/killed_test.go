package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/agent/record"
	"twinrig/eval"
)

// In `make bench` 200 kills in a study of 40 trials.
var (
	studyKills  = flag.Int("study-kills", 10, "how often a running study is killed")
	studyRounds = flag.Int("study-rounds", 2, "rounds of the killed study: four trials each")
)

// childStudy is the folder of the study that this process shall run.
const childStudy = "TWINRIG_TEST_STUDY"

// TestStudyChild is the process that TestKilledStudy kills.
func TestStudyChild(t *testing.T) {
	dir := os.Getenv(childStudy)
	if dir == "" {
		t.Skip("it is TestKilledStudy's child")
	}
	require.NoError(t, command(t, os.Stderr, "eval", "run", dir, "--lockstep"))
}

// command runs a command of this program.
func command(t *testing.T, stderr io.Writer, args ...string) error {
	t.Helper()
	c := root()
	c.SetArgs(args)
	c.SetOut(io.Discard)
	c.SetErr(stderr)
	return c.ExecuteContext(t.Context())
}

// A study that is killed (SIGKILL) at random instants, in a trial or between two,
// and run again each time, ends as one that was not: no finished trial is lost,
// none repeated, none has two verdicts, every number is the same, and of every
// log that was cut off the whole records can be had.
func TestKilledStudy(t *testing.T) {
	root := t.TempDir()
	plan := filepath.Join(root, "plan")
	d := small(t, "expert", "clumsy")
	d.Study.Scenes = []string{"red_cube_blue_bowl", "07_red_knife_cutting_board"}
	d.Study.Trials, d.Study.Placements, d.Study.FrameEvery = *studyRounds, *studyRounds, 1000
	d.Study.Timeout = 12 * time.Second
	d.Design.Blind = true
	require.NoError(t, planStudy(&d, false, plan, true, io.Discard))
	copyOf := func(name string) string {
		dir := filepath.Join(root, name)
		require.NoError(t, os.CopyFS(dir, os.DirFS(plan)))
		return dir
	}
	whole := copyOf("whole")
	require.NoError(t, command(t, io.Discard, "eval", "run", whole, "--lockstep"))

	rng := rand.New(rand.NewPCG(uint64(*studyKills), 200))
	kills, cut, studies := 0, 0, 0
	for ; kills < *studyKills; studies++ {
		dir := copyOf("killed" + string(rune('a'+studies)))
		finished := map[string]string{}
		for kills < *studyKills && !studyDone(t, dir) {
			if runAndKill(t, dir, time.Duration(rng.Int64N(int64(time.Second))), finished) {
				kills++
			}
		}
		require.NoError(t, command(t, io.Discard, "eval", "run", dir, "--lockstep"))
		cut += requireSameStudy(t, whole, dir, finished)
	}
	t.Logf("virtual: %d kills in %d studies of %d trials, %d logs cut off in them; each study ended as the uninterrupted one",
		kills, studies, 4**studyRounds, cut)
}

// runAndKill runs the study in a process of its own and kills it after a while. It
// notes the trials that the process said were finished, and tells whether the kill
// came before the end.
func runAndKill(t *testing.T, dir string, after time.Duration, finished map[string]string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), after) // exec kills with SIGKILL
	defer cancel()
	child := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestStudyChild$")
	child.Env = append(os.Environ(), childStudy+"="+dir)
	said, err := child.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	line := regexp.MustCompile(`^trial \d+/\d+ (\S+): (.*)$`)
	for lines := bufio.NewScanner(said); lines.Scan(); {
		if m := line.FindStringSubmatch(lines.Text()); m != nil {
			require.NotContains(t, finished, m[1], "a finished trial was run again")
			finished[m[1]] = m[2]
		}
	}
	return child.Wait() != nil
}

func studyDone(t *testing.T, dir string) bool {
	t.Helper()
	s, l, err := openStudy(dir)
	require.NoError(t, err)
	defer l.Close()
	at, err := l.Progress(s)
	require.NoError(t, err)
	return at.Next == nil
}

// requireSameStudy compares a study that was killed with one that was not, and
// returns how many of its logs are cut off.
func requireSameStudy(t *testing.T, whole, killed string, finished map[string]string) (cut int) {
	t.Helper()
	want, got := resultsOf(t, whole), resultsOf(t, killed)
	require.Len(t, got, len(want), "none lost, none repeated")
	for i := range want {
		w, g := want[i], got[i]
		if said, ok := finished[g.Trial.ID]; ok {
			require.Equal(t, said, outcome(&g), "what was said to be finished was kept")
			delete(finished, g.Trial.ID)
		}
		// Only the attempt differs, and with it the log's place.
		require.Equal(t, w.Trial.Order, g.Trial.Order)
		g.Trial.ID, g.Trial.Attempt = w.Trial.ID, w.Trial.Attempt
		require.Equal(t, w, g)
	}
	require.Empty(t, finished, "a finished trial was lost")
	require.JSONEq(t, reportOf(t, whole), reportOf(t, killed))

	require.NoError(t, command(t, io.Discard, "eval", "recover", killed))
	logs, err := filepath.Glob(filepath.Join(killed, eval.TrialsDir, "*", "*.mcap"))
	require.NoError(t, err)
	for _, path := range logs {
		info, err := record.Read(path, record.Visitor{})
		if filepath.Base(path) != logName {
			require.NoError(t, err)
			require.NoError(t, info.Damage, "a recovered log is whole")
			cut++
		}
	}
	return cut
}

// reportOf is a study's report but for the digest, which covers the logs' names.
func reportOf(t *testing.T, dir string) string {
	t.Helper()
	rep, err := loadReport(dir)
	require.NoError(t, err)
	j := rep.StudyJSON()
	require.NotEmpty(t, j.Digest)
	j.Digest = ""
	text, err := json.Marshal(&j)
	require.NoError(t, err)
	return string(text)
}
