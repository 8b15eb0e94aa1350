package policy_test

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/policy"
)

const tick = 10 * time.Millisecond

var spec4 = policy.Spec{Space: policy.BridgeDelta, RateHz: 5, Horizon: 4, Execute: 4}

// bench drives a Broker tick by tick, the arm always being where its goal is.
type bench struct {
	b     *policy.Broker
	now   time.Duration
	at    twinrig.Goal
	state twinrig.State
	taken []taken
}

type taken struct {
	at   time.Duration
	goal twinrig.Goal
}

func newBench(t *testing.T, cfg policy.Config, p policy.Policy, exec policy.Executor) *bench {
	t.Helper()
	b, err := policy.NewBroker(context.Background(), cfg, policy.Deps{Policy: p, Kin: gantry{}, Executor: exec})
	require.NoError(t, err)
	return &bench{b: b, at: twinrig.Goal{Joints: twinrig.Joints{0.2, 0.01, 0.1}, Grip: 1}}
}

func (k *bench) tick() {
	k.state.Stamp, k.state.Measured = k.now, k.at.Joints
	if g, ok := k.b.Next(k.now, &k.at, &k.state); ok {
		k.at = g
		k.taken = append(k.taken, taken{k.now, g})
	}
	k.now += tick
}

func (k *bench) run(d time.Duration) {
	for end := k.now + d; k.now < end; {
		k.tick()
	}
}

func TestBrokerExecutesCOfHAtTheRate(t *testing.T) {
	p := &script{spec: policy.Spec{Space: policy.BridgeDelta, RateHz: 5, Horizon: 4, Execute: 3}}
	p.act = func(n int, _ *twinrig.Observation) (policy.Chunk, error) {
		c := steps(4, 0.001*float64(n))
		c[3][0] = 0.05 // never executed
		return c, nil
	}
	k := newBench(t, policy.DefaultConfig(), p, policy.NewInline(fixed(50*time.Millisecond)))
	k.run(2 * time.Second)

	x, want := 0.2, []float64{1, 1, 1, 2, 2, 2, 3, 3, 3, 4}
	require.Len(t, k.taken, len(want))
	for i, mm := range want {
		x += 0.001 * mm
		require.Equal(t, 50*time.Millisecond+time.Duration(i)*200*time.Millisecond, k.taken[i].at)
		require.InDelta(t, x, k.taken[i].goal.Joints[0], 1e-12)
	}
	// Asked when the last waiting goal begins, with the state of that moment.
	require.Equal(t, 450*time.Millisecond, p.states[1].Stamp)
	require.Equal(t, 9, k.b.Step())
	st := k.b.Stats()
	require.Zero(t, st.Idle)
	require.Equal(t, 50*time.Millisecond, st.WarmUp)
	require.Equal(t, 50*time.Millisecond, st.Latency(0.5))
}

func TestBrokerAsksAheadToHideSlowInference(t *testing.T) {
	for _, c := range []struct {
		ahead, idle int
	}{{0, 3}, {1, 3}, {2, 0}} {
		p := &script{spec: spec4}
		p.act = func(int, *twinrig.Observation) (policy.Chunk, error) { return steps(4, 0), nil }
		cfg := policy.DefaultConfig()
		cfg.Ahead = c.ahead
		k := newBench(t, cfg, p, policy.NewInline(fixed(450*time.Millisecond)))
		k.run(4 * time.Second)
		st := k.b.Stats()
		if c.idle == 0 {
			require.Zero(t, st.Idle)
			continue
		}
		require.NotEmpty(t, st.Gaps)
		// A gap is whole control steps: the first that the answer missed.
		missed := time.Duration(2-c.ahead) * 200 * time.Millisecond
		require.Equal(t, missed, st.Gaps[0].Length)
		require.Equal(t, st.IdleTotal(), missed*time.Duration(len(st.Gaps)))
	}
}

func TestBrokerRefusesChunksWhole(t *testing.T) {
	bad := func(k int, v float64) policy.Chunk {
		c := steps(4, 0.01)
		c[3][k] = v
		return c
	}
	for _, c := range []struct {
		name   string
		chunk  policy.Chunk
		err    error
		reason policy.Reason
		cause  string
	}{
		{"error", nil, errors.New("out of memory"), policy.ReasonError, "policy: act: out of memory"},
		{"empty", nil, nil, policy.ReasonShort, "chunk has 0 actions, the horizon is 4"},
		{"short", steps(3, 0.01), nil, policy.ReasonShort, "chunk has 3 actions"},
		{"long", steps(5, 0.01), nil, policy.ReasonLong, "chunk has 5 actions"},
		{"nan", bad(1, math.NaN()), nil, policy.ReasonNaN, "action 3: dy is NaN"},
		{"inf", bad(6, math.Inf(-1)), nil, policy.ReasonNaN, "gripper is -Inf"},
		{"far", bad(2, -0.051), nil, policy.ReasonRange, "dz is -0.051, must be -0.05 to 0.05"},
		{"turned", bad(4, 0.26), nil, policy.ReasonRange, "dpitch is 0.26"},
		{"gripper", bad(6, 1.2), nil, policy.ReasonRange, "gripper is 1.2, must be 0 to 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &script{spec: spec4}
			p.act = func(n int, _ *twinrig.Observation) (policy.Chunk, error) {
				if n == 2 {
					return c.chunk, c.err
				}
				return steps(4, 0.001), nil
			}
			k := newBench(t, policy.DefaultConfig(), p, policy.NewInline(fixed(0)))
			k.run(1600 * time.Millisecond)
			st := k.b.Stats()
			require.Equal(t, 1, st.Refused[c.reason])
			require.Equal(t, 1, st.RefusedTotal())
			require.ErrorContains(t, errors.New(st.LastRefusal), c.cause)
			// None of the refused chunk was executed, and it asked again.
			require.InDelta(t, 0.2+0.001*float64(len(k.taken)), k.at.Joints[0], 1e-12)
			require.Equal(t, 2, st.Accepted)
			require.NoError(t, k.b.Err())
		})
	}
}

func TestLimitsThemselvesPass(t *testing.T) {
	p := &script{spec: spec4}
	limit := float64(float32(0.05)) // a shade over 0.05
	p.act = func(int, *twinrig.Observation) (policy.Chunk, error) {
		return policy.Chunk{{limit}, {-limit}, {3: 0.25}, {3: -0.25, 6: 1}}, nil
	}
	k := newBench(t, policy.DefaultConfig(), p, policy.NewInline(fixed(0)))
	k.run(time.Second)
	st := k.b.Stats()
	require.Zero(t, st.RefusedTotal(), st.LastRefusal)
}

func TestRefusalsInARowAreAFault(t *testing.T) {
	p := &script{spec: spec4}
	p.act = func(int, *twinrig.Observation) (policy.Chunk, error) { return nil, nil }
	k := newBench(t, policy.DefaultConfig(), p, policy.NewInline(fixed(0)))
	k.run(10 * time.Second)
	require.ErrorContains(t, k.b.Err(), "5 chunks refused in a row: policy: chunk has 0 actions")
	require.Equal(t, 5, p.asked, "once faulted it asks no more")
	require.Empty(t, k.taken)
}

func TestRefusedPolicyIsAskedAgainOnceAStep(t *testing.T) {
	p := &script{spec: spec4}
	p.act = func(int, *twinrig.Observation) (policy.Chunk, error) { return nil, nil }
	cfg := policy.DefaultConfig()
	cfg.MaxRefused = 1000
	k := newBench(t, cfg, p, policy.NewInline(fixed(0)))
	k.run(2 * time.Second)
	require.Equal(t, 10, p.asked)
}

func TestPanickingPolicyIsARefusal(t *testing.T) {
	p := &script{spec: spec4}
	p.act = func(int, *twinrig.Observation) (policy.Chunk, error) { panic("index out of range") }
	k := newBench(t, policy.DefaultConfig(), p, policy.NewInline(fixed(0)))
	k.run(time.Second)
	st := k.b.Stats()
	require.Positive(t, st.Refused[policy.ReasonError])
	require.Contains(t, st.LastRefusal, "index out of range")
}

func TestLateAnswerIsNeverUsed(t *testing.T) {
	delays := []time.Duration{0, 3 * time.Second, 0}
	n := 0
	delay := func() time.Duration {
		n++
		return delays[min(n, len(delays))-1]
	}
	p := &script{spec: spec4}
	p.act = func(n int, _ *twinrig.Observation) (policy.Chunk, error) {
		return steps(4, []float64{0, 0.001, 0.05, 0.002}[min(n, 3)]), nil
	}
	k := newBench(t, policy.DefaultConfig(), p, policy.NewInline(delay))
	k.run(5 * time.Second)
	st := k.b.Stats()
	require.Equal(t, 1, st.Refused[policy.ReasonLate])
	for i, tk := range k.taken {
		prev := 0.2
		if i > 0 {
			prev = k.taken[i-1].goal.Joints[0]
		}
		want := 0.001
		if i >= 4 {
			want = 0.002 // the third answer's; the second's was late
		}
		require.InDelta(t, want, tk.goal.Joints[0]-prev, 1e-9)
		if i == 5 {
			break
		}
	}
	require.Equal(t, 3810*time.Millisecond, k.taken[4].at)
	require.Len(t, st.Gaps, 1)
}

func TestUnreachableStepsInARowAreAFault(t *testing.T) {
	p := &script{spec: spec4}
	p.act = func(int, *twinrig.Observation) (policy.Chunk, error) { return steps(4, 0.05), nil }
	cfg := policy.DefaultConfig()
	cfg.MaxUnreachable = 6
	k := newBench(t, cfg, p, policy.NewInline(fixed(0)))
	k.run(5 * time.Second)
	require.ErrorContains(t, k.b.Err(), "6 control steps in a row did not advance: policy: unreachable target: too far")
	require.Equal(t, 6, k.b.Stats().Unreachable)
	require.InDelta(t, 0.5, k.at.Joints[0], 1e-9, "it stops at the last that could be reached")
	require.Len(t, k.taken, 12)
}

// A tick that comes late moves the grid; no step is made up for.
func TestLateTicksAreNotDoubled(t *testing.T) {
	p := &script{spec: spec4}
	p.act = func(int, *twinrig.Observation) (policy.Chunk, error) { return steps(4, 0.001), nil }
	k := newBench(t, policy.DefaultConfig(), p, policy.NewInline(fixed(0)))
	k.run(450 * time.Millisecond)
	n := len(k.taken)
	k.now += 700 * time.Millisecond
	k.tick()
	require.Len(t, k.taken, n+1)
	k.run(190 * time.Millisecond)
	require.Len(t, k.taken, n+1)
	k.run(20 * time.Millisecond)
	require.Len(t, k.taken, n+2)
}

// The asynchronous executor gives the tick its answer when it is there, stops
// waiting at the timeout, and never runs two requests at once.
func TestAsyncBroker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &slow{script: script{spec: spec4}, delays: []time.Duration{300 * time.Millisecond, time.Hour, 100 * time.Millisecond}}
		p.act = func(int, *twinrig.Observation) (policy.Chunk, error) { return steps(4, 0.001), nil }
		k := newBench(t, policy.DefaultConfig(), p, policy.NewAsync())
		for range 500 {
			k.tick()
			time.Sleep(tick) // virtual: the bubble's clock
			synctest.Wait()
		}
		k.b.Close()
		st := k.b.Stats()
		require.Equal(t, 300*time.Millisecond, st.WarmUp)
		require.Equal(t, 1, st.Refused[policy.ReasonLate])
		require.NotEmpty(t, st.Latencies)
		require.Equal(t, 100*time.Millisecond, st.Latency(1))
		require.Equal(t, 1, p.cancelled)
	})
}

type slow struct {
	script
	delays    []time.Duration
	cancelled int
	silent    bool // it says nothing at all when it is given up
}

func (p *slow) Act(ctx context.Context, o *twinrig.Observation) (policy.Chunk, error) {
	select {
	case <-time.After(p.delays[min(p.asked, len(p.delays)-1)]):
	case <-ctx.Done():
		p.asked++
		p.cancelled++
		if p.silent {
			return nil, ctx.Err()
		}
		return steps(4, 0.05), nil // too late, and not even an error
	}
	return p.script.Act(ctx, o)
}

func TestNextDoesNotAllocateBetweenAnswers(t *testing.T) {
	p := &script{spec: spec4}
	p.act = func(int, *twinrig.Observation) (policy.Chunk, error) { return steps(4, 0), nil }
	k := newBench(t, policy.DefaultConfig(), p, policy.NewInline(fixed(0)))
	k.run(time.Second)
	// The clock stands still, so that only the tick itself is measured.
	require.Zero(t, testing.AllocsPerRun(100, func() { k.b.Next(k.now, &k.at, &k.state) }))
}

func TestValidateNamesTheKey(t *testing.T) {
	require.NoError(t, policy.DefaultConfig().Validate())
	for key, spoil := range map[string]func(*policy.Config){
		"ahead":              func(c *policy.Config) { c.Ahead = -1 },
		"timeout":            func(c *policy.Config) { c.Timeout = 0 },
		"max_translation_m":  func(c *policy.Config) { c.MaxTranslation = math.NaN() },
		"max_rotation_rad":   func(c *policy.Config) { c.MaxRotation = 2 },
		"max_joint_step_rad": func(c *policy.Config) { c.MaxJointStep = 0 },
		"max_unreachable":    func(c *policy.Config) { c.MaxUnreachable = 0 },
		"max_refused":        func(c *policy.Config) { c.MaxRefused = 0 },
	} {
		c := policy.DefaultConfig()
		spoil(&c)
		require.ErrorContains(t, c.Validate(), "policy: "+key)
	}
	for _, s := range []policy.Spec{
		{Space: "joints", RateHz: 5, Horizon: 4, Execute: 4},
		{Space: policy.BridgeDelta, Horizon: 4, Execute: 4},
		{Space: policy.BridgeDelta, RateHz: 5, Execute: 1},
		{Space: policy.BridgeDelta, RateHz: 5, Horizon: 4, Execute: 5},
	} {
		require.Error(t, s.Validate())
	}
}

// Where time is virtual it does not pass while a policy thinks: one that is silent is
// given up by the machine's clock, and the run ends as with any other that is late.
func TestSilentPolicyInLockstep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := policy.DefaultConfig()
		p := &slow{script: script{spec: spec4}, delays: []time.Duration{time.Hour}, silent: true}
		k := newBench(t, cfg, p, policy.NewInline(fixed(60*time.Millisecond)))
		begun := time.Now()
		k.run(10 * time.Second)
		require.Equal(t, time.Duration(cfg.MaxRefused)*cfg.Timeout, time.Since(begun))
		require.Equal(t, cfg.MaxRefused, k.b.Stats().Refused[policy.ReasonLate])
		require.ErrorIs(t, k.b.Err(), policy.ErrFault)
		require.ErrorContains(t, k.b.Err(), "no answer in 2s")
		require.Empty(t, k.taken)
	})
}
