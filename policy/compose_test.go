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
				c := policy.NewComposer(policy.BridgeDelta, gantry{}, nil, policy.Limits{JointStep: math.Inf(1)})
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

// One motion, said in each space, is one and the same goal; each continues from the
// target before.
func TestSpacesAgree(t *testing.T) {
	from := twinrig.Joints{0.25, -0.1, 0.15, 0.3, -0.2, 0.1}
	way := []twinrig.Joints{
		{0.26, -0.12, 0.17, 0.3, -0.2, 0.1},
		{0.27, -0.13, 0.18, 0.35, -0.25, 0.18},
	}
	for _, space := range policy.Spaces() {
		t.Run(string(space), func(t *testing.T) {
			c := policy.NewComposer(space, gantry{}, nil, policy.Limits{Translation: 0.05, Rotation: 0.25, JointStep: 0.2})
			c.Start(from, 0.4)
			before := from
			for i, q := range way {
				var a twinrig.Action
				switch space {
				case policy.EEPose, policy.JointPosition: // the gantry's joints are its pose
					copy(a[:], q[:])
				case policy.JointDelta:
					d := q.Sub(before)
					copy(a[:], d[:])
				default:
					a = policy.ActionBetween(gantry{}.Forward(before), gantry{}.Forward(q), 0)
				}
				a[twinrig.GripAxis] = 0.7
				goal, err := c.Compose(a)
				require.NoError(t, err)
				require.InDeltaSlice(t, q[:], goal.Joints[:], 1e-9, "step %d", i)
				dist, angle := c.Target().Gap(gantry{}.Forward(q))
				require.InDelta(t, 0, dist, 1e-9)
				require.InDelta(t, 0, angle, 1e-7)
				if space == policy.BridgeDelta {
					require.InDelta(t, 1, float64(goal.Grip), 0)
				} else {
					require.InDelta(t, 0.7, float64(goal.Grip), 0)
				}
				before = q
			}
		})
	}
}

// A place far from the one before is refused, and what it names is the way there.
func TestPlacesDoNotJump(t *testing.T) {
	for _, c := range []struct {
		space  policy.Space
		action twinrig.Action
		want   string
	}{
		{policy.EEPose, twinrig.Action{0.3, -0.1, 0.15, 0.3, -0.2, 0.1}, "it is 50 mm and 0.00 rad from the one before, must be at most 40 mm"},
		{policy.EEPose, twinrig.Action{0.25, -0.1, 0.15, 0.3, -0.2, 0.5}, "must be at most 40 mm and 0.25 rad"},
		{policy.JointPosition, twinrig.Action{0.25, -0.1, 0.15, 0.3, -0.2, 0.5}, "a joint would turn 0.40 rad in one step, must be at most 0.30"},
		{policy.JointDelta, twinrig.Action{5: -0.31}, "a joint would turn 0.31 rad in one step, must be at most 0.30"},
		{policy.JointDelta, twinrig.Action{1: 0.2}, "left of the line"},
		{policy.JointPosition, twinrig.Action{0.25, 0.1, 0.15, 0.3, -0.2, 0.1}, "left of the line"},
		{policy.EEPose, twinrig.Action{0.25, -0.05, 0.15, 0.3, -0.2, 0.1}, "must be at most 40 mm"},
	} {
		allow := func(_ twinrig.Goal, x twinrig.Pose) error {
			if x.P[1] > 0 {
				return errLine
			}
			return nil
		}
		cmp := policy.NewComposer(c.space, gantry{}, allow, policy.Limits{Translation: 0.04, Rotation: 0.25, JointStep: 0.3})
		start := twinrig.Joints{0.25, -0.1, 0.15, 0.3, -0.2, 0.1}
		cmp.Start(start, 1)
		goal, err := cmp.Compose(c.action)
		require.ErrorContains(t, err, c.want, "%s %v", c.space, c.action)
		require.Equal(t, start, goal.Joints)
	}
}

// Deltas add up on the target, so a hundred small steps end exactly where one
// would, however the inverse kinematics rounds.
func TestDeltasAddUpOnTheTarget(t *testing.T) {
	c := policy.NewComposer(policy.BridgeDelta, gantry{}, nil, policy.Limits{JointStep: 1})
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
		{"another branch", twinrig.Action{5: 1.2}, "a joint would turn 1.20 rad in one step, must be at most 1.00: the joints would jump to another solution"},
		{"not allowed", twinrig.Action{1: 0.05}, "left of the line"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var asked twinrig.Goal
			allow := func(goal twinrig.Goal, x twinrig.Pose) error {
				asked = goal
				if x.P[1] > 0.02 {
					return errLine
				}
				return nil
			}
			cmp := policy.NewComposer(policy.BridgeDelta, gantry{}, allow, policy.Limits{JointStep: 1})
			start := twinrig.Joints{0.48, 0, 0.1, 0.1, 0.2, 0.3}
			cmp.Start(start, 1)
			before := cmp.Target()
			goal, err := cmp.Compose(c.action)
			require.ErrorContains(t, err, c.want)
			require.Equal(t, before, cmp.Target())
			require.Equal(t, start, goal.Joints)
			require.Zero(t, goal.Grip, "the gripper follows all the same")
			next, err := cmp.Compose(twinrig.Action{0: -0.03, twinrig.GripAxis: 1})
			require.NoError(t, err)
			require.InDelta(t, 0.45, cmp.Target().P[0], 1e-12)
			require.Equal(t, next, asked, "the joints and the opening are asked about too")
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
		{policy.JointDelta, 0.499, 0.499},
	} {
		cmp := policy.NewComposer(c.space, gantry{}, nil, policy.Limits{JointStep: 1})
		cmp.Start(twinrig.Joints{0.2}, 0.7)
		goal, err := cmp.Compose(twinrig.Action{twinrig.GripAxis: c.in})
		require.NoError(t, err)
		require.InDelta(t, float64(c.want), float64(goal.Grip), 0, "%s %g", c.space, c.in)
	}
}
