package eval

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A change of the plan holds from the next trial on, and the plan's file stays.
func TestChangeHoldsFromTheNextTrial(t *testing.T) {
	s := sampleStudy(1, 1, 4)
	l, dir := openSample(t, s)
	l.Now = func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
	var timeouts []float64
	require.NoError(t, Run(t.Context(), s, l, runnerFunc(func(ctx context.Context, tr Trial) (Result, error) {
		timeouts = append(timeouts, tr.Timeout)
		if tr.Order == 1 {
			require.NoError(t, l.Change(s, Change{Who: "ann", Reason: "the arm is slow in the cold", Timeout: 45}))
		}
		return succeed(ctx, tr)
	}), nil))
	require.Equal(t, []float64{20, 20, 45, 45}, timeouts)
	changes, err := l.Changes()
	require.NoError(t, err)
	require.Equal(t, []Change{{
		Who: "ann", Reason: "the arm is slow in the cold", At: "2026-03-01T12:00:00Z", Done: 1, Timeout: 45,
	}}, changes)
	back, err := Load(dir)
	require.NoError(t, err)
	require.Equal(t, s, back)
	require.Equal(t, 45*time.Second, s.With(changes).Timeout)
	require.Equal(t, 20*time.Second, s.Timeout)

	require.NoError(t, l.Conclude(s, "ann"))
	require.ErrorIs(t, l.Change(s, Change{Who: "ann", Reason: "late", Note: "x"}), ErrClosed)
}

func TestChangeSaysWhoAndWhy(t *testing.T) {
	s := sampleStudy(1, 1, 1)
	l, _ := openSample(t, s)
	for want, c := range map[string]Change{
		"without who":      {Reason: "r", Note: "n"},
		"without a reason": {Who: "w", Note: "n"},
		"changes nothing":  {Who: "w", Reason: "r"},
		"timeout_s is -1":  {Who: "w", Reason: "r", Timeout: -1},
		"max_attempts":     {Who: "w", Reason: "r", MaxAttempts: -1},
	} {
		require.ErrorContains(t, l.Change(s, c), want)
	}
	changes, err := l.Changes()
	require.NoError(t, err)
	require.Empty(t, changes)
}

// full is a runner on a disk that is full for a while.
type full struct {
	runnerFunc
	err error
}

func (f *full) MayBegin(Trial) error { return f.err }

// What the gate refuses leaves no trace: it is not even an attempt.
func TestGateStopsBeforeTheTrial(t *testing.T) {
	s := sampleStudy(1, 1, 2)
	l, _ := openSample(t, s)
	f := &full{succeed, errors.New("0 MiB are free")}
	require.ErrorContains(t, Run(t.Context(), s, l, f, nil), "before trial 0000-scene0-p")
	events, err := l.Events()
	require.NoError(t, err)
	require.Empty(t, events)
	f.err = nil
	require.NoError(t, Run(t.Context(), s, l, f, nil))
	results, err := l.Results()
	require.NoError(t, err)
	require.Len(t, results, 2)
	require.Zero(t, results[0].Trial.Attempt)
}

// A trial that was cut short is run again as it would have been; one that ended
// without counting with another seed.
func TestSeedsOfRepeatedTrials(t *testing.T) {
	s := sampleStudy(1, 1, 1)
	l, _ := openSample(t, s)
	first := s.Plan()[0]
	require.NoError(t, l.Begin(first)) // and the power went
	p, err := l.Progress(s)
	require.NoError(t, err)
	require.Equal(t, first.ID+"-again1", p.Next.ID)
	require.Equal(t, first.Seed, p.Next.Seed)

	require.NoError(t, l.Begin(*p.Next))
	require.NoError(t, l.Finish(&Result{Trial: *p.Next, Termination: HardwareFault}))
	p, err = l.Progress(s)
	require.NoError(t, err)
	require.Equal(t, first.ID+"-again2", p.Next.ID)
	require.NotEqual(t, first.Seed, p.Next.Seed)
}

// A ledger of the first schema is brought up to the second.
func TestLedgerOfTheFirstSchema(t *testing.T) {
	s := sampleStudy(1, 1, 1)
	l, dir := openSample(t, s)
	for _, undo := range []string{
		`DROP TABLE changes`, `DROP TABLE sealed`, `PRAGMA user_version = 1`,
	} {
		_, err := l.db.Exec(undo)
		require.NoError(t, err)
	}
	again, err := OpenLedger(dir)
	require.NoError(t, err)
	defer again.Close()
	require.NoError(t, again.Change(s, Change{Who: "ann", Reason: "r", Note: "n"}))
	require.NoError(t, Run(t.Context(), s, again, runnerFunc(succeed), nil))
}
