package policy

import (
	"errors"
	"fmt"

	"twinrig"
)

// errFlip is the cause when the inverse kinematics left the branch it was on.
var errFlip = errors.New("the joints would jump to another solution")

// Composer turns actions into joint goals, each relative to the target before
// it. A target that cannot be reached, or is not allowed, does not advance: the
// goal stays where it was, and only the gripper follows. It is a value: a copy
// is an independent continuation. One goroutine uses it at a time.
type Composer struct {
	space   Space
	kin     Kinematics
	allow   func(xBE twinrig.Pose) error
	maxStep float64

	target twinrig.Pose
	goal   twinrig.Goal
}

// NewComposer composes actions of a space. allow may refuse a target pose with
// a reason (nil allows all); maxStep is the most that a joint may turn in one
// action, rad.
func NewComposer(space Space, kin Kinematics, allow func(twinrig.Pose) error, maxStep float64) Composer {
	return Composer{space: space, kin: kin, allow: allow, maxStep: maxStep, target: twinrig.IdentityPose}
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
	next := MoveByAction(c.target, a)
	if c.allow != nil {
		if err := c.allow(next); err != nil {
			return c.goal, fmt.Errorf("policy: target not allowed: %w", err)
		}
	}
	q, err := c.kin.Inverse(next, c.goal.Joints)
	if err == nil {
		err = twinrig.PositionLimits.Check(q)
	}
	if err == nil && q.Sub(c.goal.Joints).MaxAbs() > c.maxStep {
		err = errFlip
	}
	if err != nil {
		return c.goal, fmt.Errorf("policy: unreachable target: %w", err)
	}
	c.target, c.goal.Joints = next, q
	return c.goal, nil
}

// grip reads the action's gripper number as the space declares it.
func (c *Composer) grip(v float64) twinrig.Grip {
	if c.space == BridgeDeltaContinuous {
		return twinrig.Grip(min(max(v, 0), 1))
	}
	if v < 0.5 {
		return 0
	}
	return 1
}
