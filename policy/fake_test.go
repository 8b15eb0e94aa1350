package policy_test

import (
	"context"
	"errors"
	"time"

	"twinrig"
	"twinrig/policy"
)

// gantry is a kinematics whose joints are the Bridge state itself: x y z roll
// pitch yaw. Its reach ends at half a metre in x.
type gantry struct{}

func (gantry) Forward(q twinrig.Joints) twinrig.Pose {
	x, _ := policy.PoseFromState(policy.BridgeState{q[0], q[1], q[2], q[3], q[4], q[5]})
	return x
}

func (gantry) Inverse(x twinrig.Pose, _ twinrig.Joints) (twinrig.Joints, error) {
	if x.P[0] > 0.5 {
		return twinrig.Joints{}, errors.New("too far")
	}
	s := policy.StateFromPose(x, 0)
	return twinrig.Joints(s[:6]), nil
}

// script is a policy that answers with what a test put in.
type script struct {
	spec   policy.Spec
	act    func(n int, o *twinrig.Observation) (policy.Chunk, error)
	asked  int
	states []twinrig.State
}

func (p *script) Spec() policy.Spec           { return p.spec }
func (p *script) Reset(context.Context) error { return nil }

func (p *script) Act(_ context.Context, o *twinrig.Observation) (policy.Chunk, error) {
	p.asked++
	p.states = append(p.states, o.State)
	return p.act(p.asked, o)
}

// steps makes a chunk that moves x by dx in each of n actions, gripper open.
func steps(n int, dx float64) policy.Chunk {
	c := make(policy.Chunk, n)
	for i := range c {
		c[i] = twinrig.Action{dx, 0, 0, 0, 0, 0, 1}
	}
	return c
}

var errLine = errors.New("left of the line")

func fixed(d time.Duration) func() time.Duration { return func() time.Duration { return d } }
