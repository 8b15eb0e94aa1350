package policy_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/policy"
)

// How fast a policy answers is told by its answers: not by errors, which come at once,
// nor by those that did not come in time. And the time until the first goal is that of
// all that went wrong before it, too.
func TestLatencyIsOfAnswers(t *testing.T) {
	const errs, late = 2, 3
	p := &script{spec: spec4}
	p.act = func(n int, _ *twinrig.Observation) (policy.Chunk, error) {
		if n <= errs {
			return nil, errors.New("connection refused")
		}
		return steps(4, 0.001), nil
	}
	cfg := policy.DefaultConfig()
	asked := 0
	k := newBench(t, cfg, p, policy.NewInline(func() time.Duration {
		asked++
		switch {
		case asked <= errs:
			return 0
		case asked == late:
			return cfg.Timeout + 100*time.Millisecond
		case asked == late+1:
			return 700 * time.Millisecond // the first that answers
		}
		return 50 * time.Millisecond
	}))
	k.run(8 * time.Second)
	st := k.b.Stats()
	require.Equal(t, errs, st.Refused[policy.ReasonError])
	require.Equal(t, 1, st.Refused[policy.ReasonLate])
	require.Equal(t, 700*time.Millisecond, st.WarmUp)
	require.Len(t, st.Latencies, st.Accepted-1)
	for _, d := range st.Latencies {
		require.Equal(t, 50*time.Millisecond, d)
	}
	require.Equal(t, k.taken[0].at, st.Waited)
	require.Greater(t, st.Waited, cfg.Timeout)
}
