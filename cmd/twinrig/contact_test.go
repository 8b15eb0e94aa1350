package main

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/agent"
	"twinrig/policy"
	"twinrig/policy/replay"
	"twinrig/sim"
)

// waysIntoContact draws poses to which the way from middle ends in contact before it
// leaves the workspace, one for each pair of bodies that n draws come upon.
func waysIntoContact(g *agent.GuardConfig, n int) []twinrig.Joints {
	rng, kin, k := rand.New(rand.NewPCG(3, 0x70)), sim.NewKinematics(), contacts(g)
	seen := map[[2]string]bool{}
	var ways []twinrig.Joints
	for range n {
		var q twinrig.Joints
		for i := range q {
			l := &twinrig.PositionLimits
			q[i] = l.Lower[i] + rng.Float64()*(l.Upper[i]-l.Lower[i])
		}
		for s := 0.0; s <= 1; s += 0.01 {
			at := middle.Add(q.Sub(middle).Scale(s))
			if g.Workspace.Outside(kin.Forward(at)) > 0 {
				break
			}
			if c := k.Deepest(at, 0.5); c.Over > 0 {
				if !seen[c.Bodies] {
					ways = append(ways, q)
				}
				seen[c.Bodies] = true
				break
			}
		}
	}
	return ways
}

// The virtual arm, sent into the table and into itself as fast as it may go, stops
// before it gets there, says which two bodies it was about, and can go back.
func TestVirtualArmStopsBeforeContact(t *testing.T) {
	b := newBench(t, 1, sim.NewKinematics())
	defer b.close(t)
	cfg := &b.cell.cfg.Loop
	// What the guard overlooks, and an allowance: the arm follows its goal with an error.
	const allowance = 0.002
	c := &cfg.Guard.Contact
	space, err := sim.NewClearance(sim.NominalParams(), c.SelfOverlap+allowance)
	require.NoError(t, err)
	defer space.Close()
	table := sim.NewEnvelope(sim.EnvelopeLimits{Self: 1, Links: 0, Fingers: allowance + c.FingerOverlap})
	ways := waysIntoContact(&cfg.Guard, 2000)
	require.Greater(t, len(ways), 8)
	for _, into := range ways {
		for _, speed := range []agent.Speed{cfg.Motion.Move, cfg.Motion.Policy} {
			b.stand(t, middle)
			held := [2]string{}
			_, err := b.cell.runner.Run(context.Background(), agent.NewMove(into, 0.5, speed), func(r *twinrig.Report) bool {
				if r.Contact.Over > 0 {
					held = r.Contact.Bodies
				}
				require.NoError(t, space.Clear(r.State.Measured, r.State.Grip), "on the way to %.2f", into)
				require.Zero(t, table.Deepest(r.State.Measured, r.State.Grip), "on the way to %.2f", into)
				return r.Asked.Joints == into && r.State.Velocity.MaxAbs() < 0.05
			}, 6*time.Second)
			require.NoError(t, err)
			require.NotZero(t, held, "on the way to %.2f", into)
			require.Less(t, b.stand(t, middle).MaxAbs(), 0.01, "the way back is open")
		}
	}
	t.Logf("virtual: %d pairs of bodies, each approached at %.1f and %.1f rad/s: no link at the table, nothing more than %.0f mm deeper than is overlooked",
		len(ways), cfg.Motion.Move.Velocity, cfg.Motion.Policy.Velocity, 1000*allowance)
}

// A policy that goes down through the table is refused step by step, each with its
// reason, before the arm is asked for anything: its target stays over the table.
func TestPolicyIsNotLetIntoTheTable(t *testing.T) {
	b := newBench(t, 1, sim.NewKinematics())
	defer b.close(t)
	down := twinrig.Action{2: -0.02, twinrig.GripAxis: 1}
	p, err := replay.New(replay.Motion{Space: policy.BridgeDelta, RateHz: 5, Actions: slices.Repeat([]twinrig.Action{down}, 60)})
	require.NoError(t, err)
	// The hand leans forward: a finger's corner is far lower than its tip.
	start := twinrig.Joints{0, -0.35, 0.75, 0, 0.4, 0}
	kin := sim.NewKinematics()
	lowest := kin.Forward(start).P[2]
	end, err := b.cell.runner.RunTrial(context.Background(), agent.Trial{
		Start: start, StartTol: startTolerance, Broker: b.cell.cfg.Policy,
		Deps: policy.Deps{
			Policy: p, Kin: sim.NewKinematics(), Allow: b.cell.allow(),
			Executor: policy.NewInline(func() time.Duration { return 0 }),
		},
		Judge: func(r *twinrig.Report) bool {
			lowest = min(lowest, kin.Forward(r.Asked.Joints).P[2])
			require.Zero(t, r.Guard&twinrig.RefusedContact)
			return false
		},
		Limit: 15 * time.Second,
	})
	require.ErrorIs(t, err, policy.ErrFault)
	require.ErrorContains(t, err, "finger would be")
	require.ErrorContains(t, err, "in table")
	require.Equal(t, b.cell.cfg.Policy.MaxUnreachable, end.Policy.Unreachable)
	require.Less(t, lowest, 0.05, "it went as far as it may")
}
