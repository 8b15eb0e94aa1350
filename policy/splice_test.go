package policy_test

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/policy"
)

const period = 200 * time.Millisecond

// numbered is a policy that knows the number of each action, counted from 0, and says
// it: dx is (number+1) tenths of a millimetre. It remembers what it was told.
type numbered struct {
	script
	bases  []int
	prefix [][]twinrig.Action
	left   [][]twinrig.Action
}

func newNumbered(horizon, execute int) *numbered {
	p := &numbered{script: script{spec: policy.Spec{Space: policy.BridgeDelta, RateHz: 5, Horizon: horizon, Execute: execute}}}
	next := 0 // where nothing waits, all that was said is done
	p.act = func(_ int, o *twinrig.Observation) (policy.Chunk, error) {
		base := next
		if waits := append(slices.Clone(o.Prefix), o.Left...); len(waits) > 0 {
			base = int(math.Round(waits[0][0]/0.0001)) - 1
		}
		next = base + horizon
		p.bases = append(p.bases, base)
		p.prefix = append(p.prefix, slices.Clone(o.Prefix))
		p.left = append(p.left, slices.Clone(o.Left))
		c := make(policy.Chunk, horizon)
		for i := range c {
			c[i] = twinrig.Action{0: number(base + i), 6: 1}
		}
		return c, nil
	}
	return p
}

func number(n int) float64 { return 0.0001 * float64(n+1) }

// moved is what each goal added.
func moved(k *bench) []float64 {
	var d []float64
	x := 0.2
	for _, t := range k.taken {
		d = append(d, t.goal.Joints[0]-x)
		x = t.goal.Joints[0]
	}
	return d
}

func realTime() policy.Config {
	cfg := policy.DefaultConfig()
	cfg.Chunking = policy.RealTime
	return cfg
}

// Inference that takes longer than a step neither stops the arm nor repeats or skips an
// action: the new answer takes over where the actions it was told of end.
func TestRealTimeHidesInference(t *testing.T) {
	for _, delay := range []time.Duration{50 * time.Millisecond, 190 * time.Millisecond, 450 * time.Millisecond, 790 * time.Millisecond} {
		p := newNumbered(10, 4)
		k := newBench(t, realTime(), p, policy.NewInline(fixed(delay)))
		k.run(12 * time.Second)
		st := k.b.Stats()
		require.Zero(t, st.Idle, "%v: %+v", delay, st.Gaps)
		require.Zero(t, st.RefusedTotal())
		require.Greater(t, len(k.taken), 50)
		for i, d := range moved(k) {
			require.InDelta(t, number(i), d, 1e-12, "%v: action %d", delay, i)
		}
		// Asked every four actions, or when inference is that long, as soon as it is over.
		require.Greater(t, st.Asked, 12)
		require.Len(t, st.Seams, st.Accepted-1)
		for i := 2; i < len(p.prefix); i++ { // the second is asked before anything is known
			want := int(math.Ceil(float64(delay) / float64(period)))
			require.InDelta(t, want, len(p.prefix[i]), 1, "%v", delay)
			for j, a := range append(slices.Clone(p.prefix[i]), p.left[i]...) {
				require.InDelta(t, number(p.bases[i]+j), a[0], 1e-12, "what will be begun, in order")
			}
		}
	}
}

// An answer that is slower than the ones before loses the actions that were due, and the
// old answer goes on for as long as it lasts.
func TestRealTimeLateAnswer(t *testing.T) {
	p := newNumbered(8, 4)
	asked := 0
	k := newBench(t, realTime(), p, policy.NewInline(func() time.Duration {
		if asked++; asked == 4 {
			return 790 * time.Millisecond
		}
		return 150 * time.Millisecond
	}))
	k.run(8 * time.Second)
	st := k.b.Stats()
	require.Zero(t, st.Idle)
	require.Zero(t, st.RefusedTotal())
	for i, d := range moved(k) {
		require.InDelta(t, number(i), d, 1e-12, "action %d", i)
	}
}

// A late answer that begins far from where the arm meanwhile is, is refused: the arm
// goes on with the old one.
func TestRealTimeRefusesAJump(t *testing.T) {
	p := &script{spec: policy.Spec{Space: policy.BridgeDelta, RateHz: 5, Horizon: 8, Execute: 4}}
	p.act = func(n int, _ *twinrig.Observation) (policy.Chunk, error) {
		if n == 4 {
			return steps(8, -0.02), nil
		}
		return steps(8, 0.004), nil
	}
	cfg := realTime()
	cfg.MaxJointStep = 0.03
	asked := 0
	k := newBench(t, cfg, p, policy.NewInline(func() time.Duration {
		if asked++; asked == 4 {
			return 650 * time.Millisecond
		}
		return 50 * time.Millisecond
	}))
	k.run(5 * time.Second)
	st := k.b.Stats()
	require.Equal(t, 1, st.Refused[policy.ReasonSeam], "%+v", st)
	require.Equal(t, 1, st.RefusedTotal())
	require.NoError(t, k.b.Err())
	for _, d := range moved(k) {
		require.InDelta(t, 0.004, d, 1e-12)
	}
}

// An arm that ran out of actions is asked for, and goes on where it stands.
func TestRealTimeAfterAGap(t *testing.T) {
	p := newNumbered(8, 4)
	asked := 0
	k := newBench(t, realTime(), p, policy.NewInline(func() time.Duration {
		if asked++; asked == 4 {
			return 1900 * time.Millisecond
		}
		return 150 * time.Millisecond
	}))
	k.run(9 * time.Second)
	st := k.b.Stats()
	require.Len(t, st.Gaps, 1)
	require.Zero(t, st.RefusedTotal())
	for i, d := range moved(k) {
		require.InDelta(t, number(i), d, 1e-12, "action %d", i)
	}
}

// Each action is the weighted mean of all that was predicted for it, the oldest
// prediction with the greatest weight.
func TestEnsemble(t *testing.T) {
	const horizon, decay = 3, 0.5
	cfg := policy.DefaultConfig()
	cfg.Chunking, cfg.EnsembleDecay = policy.Ensemble, decay
	p := &script{spec: policy.Spec{Space: policy.BridgeDelta, RateHz: 5, Horizon: horizon, Execute: 1}}
	// Answer n predicts 1 mm * n for its first action, then 0.1 mm more for each.
	value := func(n, i int) float64 { return 0.001*float64(n) + 0.0001*float64(i) }
	p.act = func(n int, _ *twinrig.Observation) (policy.Chunk, error) {
		c := make(policy.Chunk, horizon)
		for i := range c {
			c[i] = twinrig.Action{0: value(n, i), 6: 1}
		}
		return c, nil
	}
	k := newBench(t, cfg, p, policy.NewInline(fixed(50*time.Millisecond)))
	k.run(1600 * time.Millisecond)
	require.Zero(t, k.b.Stats().Idle)
	got := moved(k)
	require.Len(t, got, 8)
	// Answer 1 is for actions 0 to 2. Answer 2, asked when action 0 begins, is for
	// 1 to 3, answer 3 for 2 to 4, and so on: action a has answers a-1, a, a+1. While
	// nothing is known of the policy's speed, what waits is done first: action 1.
	require.InDelta(t, value(1, 1), got[1], 1e-12)
	for a, d := range got {
		if a == 1 {
			continue
		}
		sum, total, rank := 0.0, 0.0, 0
		for n := max(1, a-1); n <= a+1; n++ {
			w := math.Exp(-decay * float64(rank))
			rank++
			sum += w * value(n, a-(n-1))
			total += w
		}
		require.InDelta(t, sum/total, d, 1e-12, "action %d", a)
	}
	require.Equal(t, 9, k.b.Stats().Asked, "once a step")
}

func TestChunkingRefused(t *testing.T) {
	cfg := policy.DefaultConfig()
	cfg.Chunking = "async"
	require.ErrorContains(t, cfg.Validate(), `chunking is "async"`)
	cfg = policy.DefaultConfig()
	cfg.EnsembleDecay = -1
	require.ErrorContains(t, cfg.Validate(), "ensemble_decay is -1")
	cfg = policy.DefaultConfig()
	cfg.Chunking = policy.Ensemble
	p := &script{spec: policy.Spec{Space: policy.EEPose, RateHz: 5, Horizon: 4, Execute: 4}}
	_, err := policy.NewBroker(context.Background(), cfg, policy.Deps{Policy: p, Kin: gantry{}, Executor: policy.NewInline(fixed(0))})
	require.ErrorContains(t, err, "no mean of the rotations of ee_pose: use realtime")
}
