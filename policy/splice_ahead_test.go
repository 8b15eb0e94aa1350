package policy_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/policy"
)

// However many goals may wait, however long an answer has and takes: no action is
// skipped that was not late, none is done twice, and the broker never stumbles over an
// answer of which nothing is left.
func TestAnyAheadHorizonAndLatency(t *testing.T) {
	for _, chunking := range []policy.Chunking{policy.Sequential, policy.RealTime, policy.Ensemble} {
		for _, horizon := range []int{1, 2, 4} {
			for _, ahead := range []int{0, 1, 3, 9} {
				t.Run(fmt.Sprintf("%s horizon %d ahead %d", chunking, horizon, ahead), func(t *testing.T) {
					cfg := policy.DefaultConfig()
					cfg.Chunking, cfg.Ahead = chunking, ahead
					for seed := range uint64(30) {
						p := newNumbered(horizon, horizon)
						r := rand.New(rand.NewPCG(1, seed))
						k := newBench(t, cfg, p, policy.NewInline(func() time.Duration {
							return time.Duration(r.IntN(1500)) * time.Millisecond
						}))
						k.run(12 * time.Second)
						st := k.b.Stats()
						require.NoError(t, k.b.Err())
						require.Zero(t, st.RefusedTotal(), st.LastRefusal)
						require.Greater(t, st.Accepted, 5)
						if chunking == policy.Ensemble {
							continue // a mean has no number
						}
						for i, d := range moved(k) {
							require.InDelta(t, number(i), d, 1e-12, "seed %d: action %d", seed, i)
						}
					}
				})
			}
		}
	}
}

// An answer that was too late is in no mean, now or later, though its predictions reach
// far.
func TestEnsembleForgetsALateAnswer(t *testing.T) {
	const horizon, late = 40, 4
	cfg := policy.DefaultConfig()
	cfg.Chunking = policy.Ensemble
	p := &script{spec: policy.Spec{Space: policy.BridgeDelta, RateHz: 5, Horizon: horizon, Execute: 1}}
	p.act = func(n int, _ *twinrig.Observation) (policy.Chunk, error) {
		if n == late {
			return steps(horizon, 0.004), nil
		}
		return steps(horizon, 0.001), nil
	}
	asked := 0
	k := newBench(t, cfg, p, policy.NewInline(func() time.Duration {
		if asked++; asked == late {
			return cfg.Timeout + 500*time.Millisecond
		}
		return 50 * time.Millisecond
	}))
	k.run(8 * time.Second)
	st := k.b.Stats()
	require.Equal(t, 1, st.Refused[policy.ReasonLate])
	require.Equal(t, 1, st.RefusedTotal())
	for i, d := range moved(k) {
		require.InDelta(t, 0.001, d, 1e-12, "action %d", i)
	}
}
