package policy

import (
	"fmt"

	"twinrig"
)

// Composer turns actions into joint goals, each from the target before it. A target
// that cannot be reached, or is not allowed, does not advance: the goal stays where it
// was, and only the gripper follows. It is a value: a copy is an independent
// continuation. One goroutine uses it at a time.
type Composer struct {
	space  Space
	kin    Kinematics
	allow  Allow
	limits Limits

	target twinrig.Pose
	goal   twinrig.Goal
}

// Allow refuses a target with a reason: the joints and the gripper's opening, and
// the pose of E in B that they make.
type Allow func(goal twinrig.Goal, xBE twinrig.Pose) error

// NewComposer composes actions of a space. allow may refuse a target (nil allows
// all).
func NewComposer(space Space, kin Kinematics, allow Allow, limits Limits) Composer {
	return Composer{space: space, kin: kin, allow: allow, limits: limits, target: twinrig.IdentityPose}
}

// Start makes the pose of the joints q the target that the first action moves.
func (c *Composer) Start(q twinrig.Joints, grip twinrig.Grip) {
	c.goal = twinrig.Goal{Joints: q, Grip: grip}
	c.target = c.kin.Forward(q)
}

// Target is the pose of E in B that the last reachable action asked for.
func (c *Composer) Target() twinrig.Pose { return c.target }

// Compose applies one action. The error says why the target did not advance;
// the goal is valid all the same.
func (c *Composer) Compose(a twinrig.Action) (twinrig.Goal, error) {
	c.goal.Grip = c.grip(a[twinrig.GripAxis])
	next, q, err := c.next(a)
	if err == nil {
		err = twinrig.PositionLimits.Check(q)
	}
	if err == nil {
		if err = c.limits.turn(c.goal.Joints, q); err != nil && c.space != JointPosition && c.space != JointDelta {
			// The inverse kinematics made it: it left the branch that it was on.
			err = fmt.Errorf("%w: the joints would jump to another solution", err)
		}
	}
	if err != nil {
		return c.goal, fmt.Errorf("policy: unreachable target: %w", err)
	}
	if c.allow != nil {
		if err := c.allow(twinrig.Goal{Joints: q, Grip: c.goal.Grip}, next); err != nil {
			return c.goal, fmt.Errorf("policy: target not allowed: %w", err)
		}
	}
	c.target, c.goal.Joints = next, q
	return c.goal, nil
}

// next is the pose and the joints that an action asks for.
func (c *Composer) next(a twinrig.Action) (xBE twinrig.Pose, q twinrig.Joints, err error) {
	switch c.space {
	case JointPosition, JointDelta:
		q = joints(a)
		if c.space == JointDelta {
			q = q.Add(c.goal.Joints)
		}
		return c.kin.Forward(q), q, nil
	case EEPose:
		xBE, _ = PoseFromState(BridgeState(a))
		if err := c.limits.way(c.target, xBE); err != nil {
			return xBE, q, err
		}
	default:
		xBE = MoveByAction(c.target, a)
	}
	q, err = c.kin.Inverse(xBE, c.goal.Joints)
	return xBE, q, err
}

// joints are the six of an action that has joints.
func joints(a twinrig.Action) (q twinrig.Joints) {
	copy(q[:], a[:])
	return q
}

// grip reads the action's gripper number as the space declares it.
func (c *Composer) grip(v float64) twinrig.Grip {
	if c.space != BridgeDelta {
		return twinrig.Grip(min(max(v, 0), 1))
	}
	if v < 0.5 {
		return 0
	}
	return 1
}
