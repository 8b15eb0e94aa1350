package main

import (
	"context"
	"math"
	"strings"
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

// probeRun has one action driven through the whole stack (broker, composer, inverse
// kinematics, loop, guard, driver, emulated servos, hidden world) from the start pose,
// and returns how the goal and the measured hand moved.
func probeRun(t *testing.T, b *bench, space policy.Space, a twinrig.Action) (goal, hand twinrig.Action) {
	t.Helper()
	kin := sim.NewKinematics()
	p, err := replay.New(replay.Motion{Space: space, RateHz: 5, Actions: []twinrig.Action{a}})
	require.NoError(t, err)
	var first, last twinrig.Report
	seen := 0
	_, err = b.cell.runner.RunTrial(context.Background(), agent.Trial{
		Start: mirror.NeutralPose, StartTol: startTolerance,
		Broker: b.cell.cfg.Policy,
		Deps: policy.Deps{
			Policy: p, Kin: sim.NewKinematics(), Allow: b.cell.allow(),
			Executor: policy.NewInline(func() time.Duration { return 0 }),
		},
		Ready: func(r *twinrig.Report) error { first = *r; return nil },
		Judge: func(r *twinrig.Report) bool { last = *r; seen++; return seen == 10 },
		Limit: 5 * time.Second,
	})
	require.NoError(t, err)
	require.Zero(t, last.Guard, "%v", last.Guard.Names())
	return policy.ActionBetween(kin.Forward(first.Asked.Joints), kin.Forward(last.Asked.Joints), 0),
		policy.ActionBetween(kin.Forward(first.State.Measured), kin.Forward(last.State.Measured), 0)
}

// A probe of one number turns what it names and nothing else: the goal to 1e-6 m and
// rad, the arm itself as exactly as it holds. Adding Euler angles number by number,
// the classic fault, would turn yaw with roll here.
func TestProbesThroughTheWholeStack(t *testing.T) {
	b := newBench(t, 1, sim.NewKinematics())
	defer b.close(t)
	kin := sim.NewKinematics()
	start := kin.Forward(mirror.NeutralPose)
	for axis, step := range []float64{0.02, -0.025, 0.03, 0.12, -0.14, 0.16} {
		var delta twinrig.Action
		delta[axis], delta[twinrig.GripAxis] = step, 1
		to := policy.MoveByAction(start, delta)
		q, err := kin.Inverse(to, mirror.NeutralPose)
		require.NoError(t, err)
		pose := twinrig.Action(policy.StateFromPose(to, 1))
		pose[twinrig.GripAxis] = 1
		place, turn := delta, delta
		copy(place[:], q[:])
		d := q.Sub(mirror.NeutralPose)
		copy(turn[:], d[:])
		for space, a := range map[policy.Space]twinrig.Action{
			policy.BridgeDelta: delta, policy.BridgeDeltaContinuous: delta,
			policy.EEPose: pose, policy.JointPosition: place, policy.JointDelta: turn,
		} {
			goal, hand := probeRun(t, b, space, a)
			for k := range twinrig.GripAxis {
				want := 0.0
				if k == axis {
					want = step
				}
				require.InDelta(t, want, goal[k], 1e-6, "%s: %d of probe %d", space, k, axis)
				// Six joints held to some tenths of a degree, in two poses.
				tol := 0.006 // m
				if k >= 3 {
					tol = 1.5 * math.Pi / 180
				}
				require.InDelta(t, want, hand[k], tol, "virtual arm, %s: %d of probe %d", space, k, axis)
			}
		}
	}
}

// A recorded trial, replayed, has the arm do the same again.
func TestReplayOfATrial(t *testing.T) {
	d := small(t, "expert")
	d.Study.Placements, d.Virtual.Hidden = 1, false
	dir, _ := runDemo(t, d, true)
	log := trialFiles(t, dir)[0]
	m, err := readMotion(log)
	require.NoError(t, err)
	require.Equal(t, policy.JointPosition, m.Space)
	require.InDelta(t, 5, m.RateHz, 0.05)

	again := small(t, "again=replay:"+log)
	again.Study.Placements, again.Virtual.Hidden = 1, false
	second, _ := runDemo(t, again, true)
	results := resultsOf(t, second)
	require.Len(t, results, 1)
	require.Equal(t, "again", results[0].Trial.Policy)
	require.Contains(t, results[0].Trial.Checkpoint, "sha256:")
	require.True(t, results[0].Verdict.Success, "the same placement, the same motion: %+v", results[0])
}

func TestReadMotionOfSegments(t *testing.T) {
	const line = `{"id":"%","instruction":"x","hz":5,"state":[[0.2,0,0.1,0,0,0,1],[0.21,0,0.1,0,0,0,1]],"action":[[0.01,0,0,0,0,0,1],[0,0,0,0,0,0,-0.4]]}`
	file := writeFile(t, "s.jsonl", strings.ReplaceAll(line, "%", "a")+"\n"+strings.ReplaceAll(line, "%", "b")+"\n")
	for name, ok := range map[string]bool{file: true, file + "#b": true, file + "#c": false, "/nowhere.jsonl": false} {
		m, err := readMotion(name)
		if !ok {
			require.Error(t, err, name)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, policy.BridgeDeltaContinuous, m.Space)
		require.Len(t, m.Actions, 2)
		require.InDelta(t, 0.01, m.Actions[0][0], 0)
		require.InDelta(t, 0.909, m.Actions[0][twinrig.GripAxis], 1e-3, "a finger at 35 of 15 to 37 mm")
		require.InDelta(t, 0, m.Actions[1][twinrig.GripAxis], 0, "never beyond its travel")
	}
}
