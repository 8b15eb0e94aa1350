// Package policy turns what a policy says into goals for the arm.
//
// A Policy answers an observation with a chunk of actions in a declared space;
// a Composer turns each action into a joint goal; a Broker asks ahead, checks
// every chunk whole, and has one ready goal for each control step. Policy space
// ends here: nothing outside this package tree interprets an action.
package policy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"twinrig"
)

// ErrFault marks what is a policy's fault: neither the arm's, nor the task's that
// was not done.
var ErrFault = errors.New("policy fault")

// Spec is what a policy promises: the space of its actions, the control steps
// per second it was made for, how many actions a chunk holds, and how many of
// them are executed before the next chunk takes over.
type Spec struct {
	Space   Space
	RateHz  float64
	Horizon int
	Execute int
}

// Period is the duration of one control step.
func (s Spec) Period() time.Duration {
	return time.Duration(float64(time.Second) / s.RateHz)
}

// Validate names what is wrong with a Spec.
func (s Spec) Validate() error {
	if err := s.Space.validate(); err != nil {
		return err
	}
	switch {
	case !(s.RateHz >= 0.1 && s.RateHz <= 100):
		return fmt.Errorf("policy: rate_hz is %g, must be 0.1 to 100", s.RateHz)
	case s.Horizon < 1 || s.Horizon > 256:
		return fmt.Errorf("policy: horizon is %d, must be 1 to 256", s.Horizon)
	case s.Execute < 1 || s.Execute > s.Horizon:
		return fmt.Errorf("policy: execute is %d, must be 1 to the horizon %d", s.Execute, s.Horizon)
	}
	return nil
}

// Chunk is one answer of a policy: Spec.Horizon actions, the next one first.
type Chunk []twinrig.Action

// Policy is a source of actions. Its methods are called one at a time, but not
// always from the same goroutine.
type Policy interface {
	// Spec never changes.
	Spec() Spec
	// Reset forgets the past; it is called before each trial.
	Reset(ctx context.Context) error
	// Act answers one observation. It returns early when ctx is done. The
	// observation is the caller's and valid during the call only; the chunk
	// is the policy's and valid until the next call.
	Act(ctx context.Context, o *twinrig.Observation) (Chunk, error)
}

// Kinematics is the arm's geometry: the pose of E in B for joints in rad, and
// back from a seed. Inverse errs when the pose cannot be reached. One goroutine
// uses it at a time.
type Kinematics interface {
	Forward(q twinrig.Joints) (xBE twinrig.Pose)
	Inverse(xBE twinrig.Pose, seed twinrig.Joints) (twinrig.Joints, error)
}
