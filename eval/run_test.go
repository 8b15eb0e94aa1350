package eval

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// runnerFunc is a Runner.
type runnerFunc func(ctx context.Context, t Trial) (Result, error)

func (f runnerFunc) RunTrial(ctx context.Context, t Trial) (Result, error) { return f(ctx, t) }

// succeed succeeds at every trial.
func succeed(_ context.Context, t Trial) (Result, error) {
	return outcome(t, truth(true, true), 3), nil
}

func TestRunRepeatsWhatDoesNotCount(t *testing.T) {
	s := sampleStudy(2, 2, 2)
	l, _ := openSample(t, s)
	// Order 1 has a fault, then succeeds at the start (no trial), then counts;
	// order 3 is always invalid.
	var ran []string
	err := Run(t.Context(), s, l, runnerFunc(func(ctx context.Context, tr Trial) (Result, error) {
		ran = append(ran, fmt.Sprintf("%d.%d", tr.Order, tr.Attempt))
		r, err := succeed(ctx, tr)
		switch {
		case tr.Order == 1 && tr.Attempt == 0:
			r.Termination, r.Verdict, r.TSuccess = HardwareFault, nil, nil
		case tr.Order == 1 && tr.Attempt == 1:
			r.TSuccess = ptr(0.0)
		case tr.Order == 3:
			r.Termination, r.Verdict, r.TSuccess = Invalid, nil, nil
		}
		return r, err
	}), nil)
	require.NoError(t, err)
	require.Equal(t, []string{"0.0", "1.0", "1.1", "1.2", "2.0", "3.0", "3.1", "3.2", "4.0", "5.0", "6.0", "7.0"}, ran)

	p, err := l.Progress(s)
	require.NoError(t, err)
	require.Equal(t, Progress{Done: 7, Total: 8, GivenUp: 1}, p)
	results, err := l.Results()
	require.NoError(t, err)
	a, err := Analyse(s, results, nil)
	require.NoError(t, err)
	require.Len(t, a.Counted, 7)
	require.Len(t, a.Excluded, 5)
	require.Equal(t, results[1].Trial.Placement, results[3].Trial.Placement, "the same placement again")
}

func TestRunStopsAtABrokenRig(t *testing.T) {
	s := sampleStudy(1, 1, 2)
	l, _ := openSample(t, s)
	broken := true
	runner := runnerFunc(func(ctx context.Context, tr Trial) (Result, error) {
		if broken {
			return Result{Termination: HardwareFault, Note: "servo 5 overheated"}, nil
		}
		return succeed(ctx, tr)
	})
	require.ErrorContains(t, Run(t.Context(), s, l, runner, nil), "fault 3 times in a row, last hardware fault: servo 5 overheated")
	broken = false
	require.NoError(t, Run(t.Context(), s, l, runner, nil), "a repaired rig goes on")
	p, err := l.Progress(s)
	require.NoError(t, err)
	require.Equal(t, Progress{Done: 2, Total: 2}, p)
}

func TestRunGoesOnAfterAnInterruption(t *testing.T) {
	s := sampleStudy(1, 1, 3)
	l, _ := openSample(t, s)
	gone := errors.New("policy server is gone")
	err := Run(t.Context(), s, l, runnerFunc(func(ctx context.Context, tr Trial) (Result, error) {
		if tr.Order == 1 {
			return Result{}, gone
		}
		return succeed(ctx, tr)
	}), nil)
	require.ErrorIs(t, err, gone)

	var steps []string
	err = Run(t.Context(), s, l, runnerFunc(succeed), func(st Step) {
		what := "begins"
		if st.Result != nil {
			what = string(st.Result.Termination)
		}
		steps = append(steps, fmt.Sprintf("%d.%d %s %d/%d", st.Trial.Order, st.Trial.Attempt, what, st.Done, st.Total))
	})
	require.NoError(t, err)
	require.Equal(t, []string{
		"1.1 begins 1/3", "1.1 success 2/3", "2.0 begins 2/3", "2.0 success 3/3",
	}, steps, "the interrupted attempt left no result and keeps its id")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, Run(ctx, s, l, runnerFunc(succeed), nil), context.Canceled)
}

func TestOnlyOneRunAtATime(t *testing.T) {
	s := sampleStudy(1, 1, 1)
	l, _ := openSample(t, s)
	err := Run(t.Context(), s, l, runnerFunc(func(ctx context.Context, tr Trial) (Result, error) {
		return Result{}, Run(ctx, s, l, runnerFunc(succeed), nil)
	}), nil)
	require.ErrorContains(t, err, "run by another process")
}

// killedDir is the study's folder for the child of TestKilled.
const killedDir = "EVAL_TEST_KILLED_DIR"

// runTable2 runs the golden study in folder dir, printing each finished trial.
func runTable2(t *testing.T, dir string) (*Study, []Result) {
	t.Helper()
	_, outcomes := table2(t)
	s, err := Load(dir)
	require.NoError(t, err)
	l, err := OpenLedger(dir)
	require.NoError(t, err)
	defer l.Close()
	require.NoError(t, Run(t.Context(), s, l, scripted(outcomes), func(st Step) {
		if st.Result != nil {
			fmt.Println(st.Trial.ID)
		}
	}))
	results, err := l.Results()
	require.NoError(t, err)
	return s, results
}

// TestKilled kills a process (SIGKILL) that runs the golden study after its
// 117th trial, goes on with it, and expects the printed table.
func TestKilled(t *testing.T) {
	if dir := os.Getenv(killedDir); dir != "" {
		runTable2(t, dir)
		return
	}
	s, _ := table2(t)
	dir, err := Create(t.TempDir(), s)
	require.NoError(t, err)
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilled$")
	child.Env = append(os.Environ(), killedDir+"="+dir)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	lines := bufio.NewScanner(out)
	var finished []string
	for len(finished) < 117 && lines.Scan() {
		finished = append(finished, lines.Text())
	}
	require.NoError(t, child.Process.Kill())
	require.Error(t, child.Wait(), "killed")
	require.Len(t, finished, 117)

	_, results := runTable2(t, dir)
	require.Len(t, results, 240, "none lost, none repeated")
	for i, id := range finished {
		require.Equal(t, id, results[i].Trial.ID, "what was finished before the kill was kept")
	}
	requireTable2(t, s, results)
}
