package policy_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/policy"
)

func TestStateFromPoseIsBridgesDefaultRotation(t *testing.T) {
	// bridge_data_robot: DEFAULT_ROT rows [0 0 1] [0 1 0] [-1 0 0] is rpy 0.
	down := twinrig.QuatFromMatrix([3][3]float64{{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}})
	s := policy.StateFromPose(twinrig.Pose{R: down, P: twinrig.Vec3{0.3, -0.1, 0.2}}, 0.5)
	// Half open is a finger at 26 mm.
	require.InDeltaSlice(t, []float64{0.3, -0.1, 0.2, 0, 0, 0, 0.64}, s[:], 1e-12)

	// The neutral pose's transform by the product of exponentials, and Bridge's
	// published rpy for it.
	neutral := twinrig.QuatFromRPY(-0.0399, -0.1272, 0.0252).Mul(down)
	s = policy.StateFromPose(twinrig.Pose{R: neutral}, 0)
	require.InDeltaSlice(t, []float64{-0.0399, -0.1272, 0.0252}, s[3:6], 1e-12)
	require.Less(t, neutral.Rotate(twinrig.Vec3{1, 0, 0})[2], -0.98, "the fingers point down")
}

func TestStateRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	for range 500 {
		x := twinrig.Pose{
			R: twinrig.Quat{r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}.Normalized(),
			P: twinrig.Vec3{r.Float64(), r.Float64(), r.Float64()},
		}
		y, grip := policy.PoseFromState(policy.StateFromPose(x, 0.3))
		dist, angle := x.Gap(y)
		require.InDelta(t, 0, dist, 1e-12)
		require.InDelta(t, 0, angle, 1e-7)
		require.InDelta(t, 0.3, float64(grip), 1e-12)
	}
}

func TestActionBetweenUndoesMoveByAction(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 0))
	for range 200 {
		x := twinrig.Pose{
			R: twinrig.Quat{r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}.Normalized(),
			P: twinrig.Vec3{0.3, 0.1, 0.2},
		}
		a := twinrig.Action{0.01, -0.02, 0.03, 0.2 * r.Float64(), -0.2 * r.Float64(), 0.2 * r.Float64(), 1}
		got := policy.ActionBetween(x, policy.MoveByAction(x, a), 1)
		require.InDeltaSlice(t, a[:], got[:], 1e-9)
	}
}

// A probe along one world axis must move the target along that axis alone, from
// any attitude: a roll command rolls, and does not yaw.
func TestProbesMoveOneWorldAxis(t *testing.T) {
	for _, probe := range []struct {
		name   string
		action twinrig.Action
		move   twinrig.Vec3
		turn   twinrig.Vec3 // rotation vector in B
	}{
		{"+x", twinrig.Action{0: 0.01}, twinrig.Vec3{0.01, 0, 0}, twinrig.Vec3{}},
		{"+y", twinrig.Action{1: 0.02}, twinrig.Vec3{0, 0.02, 0}, twinrig.Vec3{}},
		{"+z", twinrig.Action{2: 0.03}, twinrig.Vec3{0, 0, 0.03}, twinrig.Vec3{}},
		{"roll", twinrig.Action{3: 0.1}, twinrig.Vec3{}, twinrig.Vec3{0.1, 0, 0}},
		{"pitch", twinrig.Action{4: 0.15}, twinrig.Vec3{}, twinrig.Vec3{0, 0.15, 0}},
		{"yaw", twinrig.Action{5: 0.2}, twinrig.Vec3{}, twinrig.Vec3{0, 0, 0.2}},
	} {
		t.Run(probe.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(5, 0))
			for i := range 100 {
				q := twinrig.Joints{0.25, -0.1, 0.15, r.Float64() - 0.5, r.Float64() - 0.5, r.Float64() - 0.5}
				if i == 0 {
					q = twinrig.Joints{0.25, -0.1, 0.15, 0, 1.4, 0} // hand almost level: near the pole of Euler angles
				}
				c := policy.NewComposer(policy.BridgeDelta, gantry{}, nil, math.Inf(1))
				c.Start(q, 1)
				from := c.Target()
				goal, err := c.Compose(probe.action)
				require.NoError(t, err)
				for _, to := range []twinrig.Pose{c.Target(), gantry{}.Forward(goal.Joints)} {
					move, turn := to.P.Sub(from.P), to.R.Mul(from.R.Inv()).RotVec()
					require.InDeltaSlice(t, probe.move[:], move[:], 1e-6)
					require.InDeltaSlice(t, probe.turn[:], turn[:], 1e-6)
				}
			}
		})
	}
}

// Deltas add up on the target, so a hundred small steps end exactly where one
// would, however the inverse kinematics rounds.
func TestDeltasAddUpOnTheTarget(t *testing.T) {
	c := policy.NewComposer(policy.BridgeDelta, gantry{}, nil, 1)
	c.Start(twinrig.Joints{0.2, 0, 0.1}, 1)
	for range 100 {
		_, err := c.Compose(twinrig.Action{0.001, 0.002, -0.0005, 0, 0, 0.01, 0})
		require.NoError(t, err)
	}
	s := policy.StateFromPose(c.Target(), 0)
	require.InDeltaSlice(t, []float64{0.3, 0.2, 0.05, 0, 0, 1}, s[:6], 1e-9)
}

func TestUnreachableTargetDoesNotAdvance(t *testing.T) {
	for _, c := range []struct {
		name   string
		action twinrig.Action
		want   string
	}{
		{"out of reach", twinrig.Action{0: 0.05}, "too far"},
		{"past a joint's limit", twinrig.Action{2: 5}, "elbow"},
		{"another branch", twinrig.Action{5: 1.2}, "another solution"},
		{"not allowed", twinrig.Action{1: 0.05}, "left of the line"},
	} {
		t.Run(c.name, func(t *testing.T) {
			allow := func(x twinrig.Pose) error {
				if x.P[1] > 0.02 {
					return errLine
				}
				return nil
			}
			cmp := policy.NewComposer(policy.BridgeDelta, gantry{}, allow, 1)
			start := twinrig.Joints{0.48, 0, 0.1, 0.1, 0.2, 0.3}
			cmp.Start(start, 1)
			before := cmp.Target()
			goal, err := cmp.Compose(c.action)
			require.ErrorContains(t, err, c.want)
			require.Equal(t, before, cmp.Target())
			require.Equal(t, start, goal.Joints)
			require.Zero(t, goal.Grip, "the gripper follows all the same")
			_, err = cmp.Compose(twinrig.Action{0: -0.03})
			require.NoError(t, err)
			require.InDelta(t, 0.45, cmp.Target().P[0], 1e-12)
		})
	}
}

func TestGripperBySpace(t *testing.T) {
	for _, c := range []struct {
		space policy.Space
		in    float64
		want  twinrig.Grip
	}{
		{policy.BridgeDelta, 0, 0},
		{policy.BridgeDelta, 0.499, 0},
		{policy.BridgeDelta, 0.5, 1},
		{policy.BridgeDelta, 1, 1},
		{policy.BridgeDeltaContinuous, 0.499, 0.499},
		{policy.BridgeDeltaContinuous, 1, 1},
	} {
		cmp := policy.NewComposer(c.space, gantry{}, nil, 1)
		cmp.Start(twinrig.Joints{0.2}, 0.7)
		goal, err := cmp.Compose(twinrig.Action{twinrig.GripAxis: c.in})
		require.NoError(t, err)
		require.InDelta(t, float64(c.want), float64(goal.Grip), 0, "%s %g", c.space, c.in)
	}
}
