// Package replay is a policy that does again what was done before, whatever it sees:
// the control of a study that wants to know how far luck or the placement alone
// would get.
package replay

import (
	"context"
	"errors"
	"fmt"

	"twinrig"
	"twinrig/policy"
)

// Motion is what was done: one action for each control step.
type Motion struct {
	Space   policy.Space
	RateHz  float64
	Actions []twinrig.Action
}

// horizon is how many actions one answer holds.
const horizon = 4

// Policy does a motion again, then stays.
type Policy struct {
	motion Motion
	next   int
	chunk  policy.Chunk
}

// New makes a policy of a motion.
func New(m Motion) (*Policy, error) {
	p := &Policy{motion: m, chunk: make(policy.Chunk, horizon)}
	if len(m.Actions) == 0 {
		return nil, errors.New("replay: the motion has no action")
	}
	if err := p.Spec().Validate(); err != nil {
		return nil, fmt.Errorf("replay: %w", err)
	}
	return p, nil
}

// Spec implements policy.Policy.
func (p *Policy) Spec() policy.Spec {
	return policy.Spec{Space: p.motion.Space, RateHz: p.motion.RateHz, Horizon: horizon, Execute: horizon}
}

// Reset implements policy.Policy.
func (p *Policy) Reset(context.Context) error {
	p.next = 0
	return nil
}

// Act implements policy.Policy.
func (p *Policy) Act(context.Context, *twinrig.Observation) (policy.Chunk, error) {
	for i := range p.chunk {
		p.chunk[i] = p.at(p.next + i)
	}
	p.next = min(p.next+horizon, len(p.motion.Actions))
	return p.chunk, nil
}

// at is the i-th action; after the last one, what stays there.
func (p *Policy) at(i int) twinrig.Action {
	if i < len(p.motion.Actions) {
		return p.motion.Actions[i]
	}
	last := p.motion.Actions[len(p.motion.Actions)-1]
	if p.motion.Space.Relative() {
		return twinrig.Action{twinrig.GripAxis: last[twinrig.GripAxis]}
	}
	return last
}
