package main

import (
	"context"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/agent"
	"twinrig/policy"
	"twinrig/policy/replay"
	"twinrig/sim"
	"twinrig/sim/mirror"
)

// sinkFunc is an agent.Sink.
type sinkFunc func(*twinrig.Report)

func (f sinkFunc) Put(r *twinrig.Report) { f(r) }

// chunkEnds drives a segment's actions from its first state and returns how far, in m,
// the virtual arm's hand is from where it should be at the end of every chunk of four
// actions.
func chunkEnds(t *testing.T, b *bench, seg *mirror.BridgeSegment) []float64 {
	t.Helper()
	m := motionOf(seg)
	p, err := replay.New(m)
	require.NoError(t, err)
	kin := sim.NewKinematics()
	from, _ := policy.PoseFromState(policy.BridgeState(seg.State[0]))
	start, err := kin.Solve(from, mirror.NeutralPose)
	require.NoError(t, err, seg.ID)
	chunk, n := p.Spec().Execute, len(m.Actions)/p.Spec().Execute
	var last twinrig.Report
	var off []float64
	b.cell.watch(sinkFunc(func(r *twinrig.Report) {
		if r.Step != last.Step && r.Step%chunk == 0 {
			dist, _ := kin.Forward(last.Asked.Joints).Gap(kin.Forward(last.State.Measured))
			off = append(off, dist)
		}
		last = *r
	}))
	defer b.cell.watch()
	_, err = b.cell.runner.RunTrial(context.Background(), agent.Trial{
		Start: start, StartTol: startTolerance,
		Broker: b.cell.cfg.Policy,
		Deps: policy.Deps{
			Policy: p, Kin: sim.NewKinematics(), Allow: b.cell.allow(),
			Executor: policy.NewInline(func() time.Duration { return 0 }),
		},
		Judge: func(*twinrig.Report) bool { return len(off) >= n },
		Limit: time.Minute,
	})
	require.NoError(t, err)
	return off
}

// The recorded motion of real arms, driven by the virtual one in torque mode.
func TestChunkEndsOfRecordedMotion(t *testing.T) {
	const path = "../../../shared/data/bridge_segments.jsonl"
	if _, err := os.Stat(path); err != nil {
		require.Empty(t, os.Getenv("CI"), "%v", err)
		t.Skipf("no recorded segments beside the checkout: %v", err)
	}
	segments, err := mirror.ReadBridge(path)
	require.NoError(t, err)
	b := newBench(t, 1, sim.NewKinematics())
	defer b.close(t)
	var all []float64
	for i := range segments {
		all = append(all, chunkEnds(t, b, &segments[i])...)
	}
	slices.Sort(all)
	median, p95 := all[len(all)/2], all[int(math.Ceil(0.95*float64(len(all))))-1]
	t.Logf("virtual: hand at the ends of %d chunks of recorded motion: median %.2f mm, p95 %.2f mm off", len(all), 1000*median, 1000*p95)
	require.Less(t, median, 0.005)
	require.Less(t, p95, 0.010)
}
