package scripted_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/policy"
	"twinrig/policy/scripted"
)

// place draws a task for a 40 mm cube and the world that goes with it.
func place(r *rand.Rand) (scripted.Task, *toy) {
	src := scripted.Source{
		X: 0.22 + 0.15*r.Float64(), Y: -0.15 + 0.2*r.Float64(), Yaw: math.Pi * (r.Float64() - 0.5),
		Height: 0.04, Width: 0.04, Symmetry: 4,
	}
	task := scripted.Task{Source: src, Target: scripted.Target{X: 0.25, Y: 0.2, Rim: 0.04}}
	w := &toy{thing: twinrig.Vec3{src.X, src.Y, 0.02}, yaw: src.Yaw}
	for i := range 3 {
		w.offset[i] = 0.008 * (r.Float64() - 0.5)
	}
	return task, w
}

// rate is the number of successes in n trials.
func rate(skill scripted.Skill, n int) int {
	wins := 0
	for seed := range uint64(n) {
		task, w := place(rand.New(rand.NewPCG(seed, 9)))
		if _, _, ok := w.trial(task, skill, seed); ok {
			wins++
		}
	}
	return wins
}

func TestExpertPicksAndPlaces(t *testing.T) {
	for seed := range uint64(20) {
		task, w := place(rand.New(rand.NewPCG(seed, 7)))
		p, st, ok := w.trial(task, scripted.Expert(), seed)
		require.True(t, ok, "seed %d ended in %s", seed, p.Phase())
		require.Equal(t, "done", p.Phase(), "14 s are enough")
		require.Equal(t, 1, w.opened)
		require.LessOrEqual(t, w.placed, 12*time.Second, "60 control steps are enough to place")
		require.Greater(t, w.minZ, 0.01, "the fingertips stay off the table")
		require.Zero(t, st.RefusedTotal(), st.LastRefusal)
		require.Zero(t, st.Unreachable)
	}
}

func TestClumsyIsWorseButNotHopeless(t *testing.T) {
	const n = 60
	expert, clumsy := rate(scripted.Expert(), n), rate(scripted.Clumsy(), n)
	t.Logf("successes of %d: expert %d, clumsy %d", n, expert, clumsy)
	require.Equal(t, n, expert)
	require.Greater(t, clumsy, n/4)
	require.Less(t, clumsy, n*8/10)
}

func TestRetriesOnceWhenItClosedOnNothing(t *testing.T) {
	task, _ := place(rand.New(rand.NewPCG(1, 7)))
	e, err := scripted.New(scripted.Config{Task: task, Skill: scripted.Expert()}, gantry{})
	require.NoError(t, err)
	seen := phases(t, e)
	require.Equal(t, []string{"above", "descend", "grasp", "above", "descend", "grasp", "done"}, seen)
}

// phases acts with perfect obedience and an empty table, the measured pose and
// opening being the asked ones, and lists the phases that chunks end in.
func phases(t *testing.T, e *scripted.Policy) []string {
	t.Helper()
	c := policy.NewComposer(policy.BridgeDelta, gantry{}, nil, policy.Limits{JointStep: 1})
	c.Start(twinrig.Joints{0.3, 0, 0.15}, 1)
	o := twinrig.Observation{State: twinrig.State{Measured: twinrig.Joints{0.3, 0, 0.15}, Grip: 1}}
	var seen []string
	for range 40 {
		chunk, err := e.Act(context.Background(), &o)
		require.NoError(t, err)
		for _, a := range chunk {
			g, err := c.Compose(a)
			require.NoError(t, err)
			o.State.Measured, o.State.Grip = g.Joints, g.Grip
		}
		if len(seen) == 0 || seen[len(seen)-1] != e.Phase() {
			seen = append(seen, e.Phase())
		}
	}
	return seen
}

func TestGraspTurnsTheHandLeast(t *testing.T) {
	for _, c := range []struct {
		yaw      float64
		symmetry int
		want     float64
	}{
		{0.3, 4, 0.3},
		{math.Pi/2 + 0.3, 4, 0.3},
		{1.2, 4, 1.2 - math.Pi/2},
		{1.2, 2, 1.2},
		{3, 2, 3 - math.Pi},
		{-2.9, 1, -2.9},
		{1.2, 0, 0},
	} {
		task, _ := place(rand.New(rand.NewPCG(2, 7)))
		task.Source.Yaw, task.Source.Symmetry = c.yaw, c.symmetry
		e, err := scripted.New(scripted.Config{Task: task, Skill: scripted.Expert()}, gantry{})
		require.NoError(t, err)
		cmp := policy.NewComposer(policy.BridgeDelta, gantry{}, nil, policy.Limits{JointStep: 1})
		cmp.Start(twinrig.Joints{0.3, 0, 0.15}, 1)
		o := twinrig.Observation{State: twinrig.State{Measured: twinrig.Joints{0.3, 0, 0.15}, Grip: 1}}
		for e.Phase() != "descend" {
			chunk, err := e.Act(context.Background(), &o)
			require.NoError(t, err)
			for _, a := range chunk {
				g, err := cmp.Compose(a)
				require.NoError(t, err)
				o.State.Measured = g.Joints
			}
		}
		require.InDelta(t, c.want, policy.StateFromPose(cmp.Target(), 0)[5], 1e-6, "yaw %g symmetry %d", c.yaw, c.symmetry)
	}
}

func TestSameSeedSameActions(t *testing.T) {
	task, _ := place(rand.New(rand.NewPCG(3, 7)))
	o := twinrig.Observation{State: twinrig.State{Measured: twinrig.Joints{0.3, 0, 0.15}, Grip: 1}}
	first := func(seed uint64) policy.Chunk {
		e, err := scripted.New(scripted.Config{Task: task, Skill: scripted.Clumsy(), Seed: seed}, gantry{})
		require.NoError(t, err)
		a, err := e.Act(context.Background(), &o)
		require.NoError(t, err)
		a = append(policy.Chunk(nil), a...)
		require.NoError(t, e.Reset(context.Background()))
		b, err := e.Act(context.Background(), &o)
		require.NoError(t, err)
		require.Equal(t, a, b, "Reset starts over")
		return a
	}
	a, again, other := first(5), first(5), first(6)
	require.Equal(t, a, again)
	require.NotEqual(t, a, other)
}

func TestValidateNamesTheKey(t *testing.T) {
	require.NoError(t, scripted.Expert().Validate())
	require.NoError(t, scripted.Clumsy().Validate())
	s := scripted.Expert()
	s.Travel = 0.06
	require.ErrorContains(t, s.Validate(), "scripted: travel_m is 0.06, must be 0.001 to 0.05")
	task, _ := place(rand.New(rand.NewPCG(3, 7)))
	task.Source.Width = math.NaN()
	_, err := scripted.New(scripted.Config{Task: task, Skill: scripted.Expert()}, gantry{})
	require.ErrorContains(t, err, "source width")
}
