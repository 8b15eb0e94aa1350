// Package hold is the null policy: it never moves. A study that scores it above
// zero has a broken judge.
package hold

import (
	"context"

	"twinrig"
	"twinrig/policy"
)

// Policy asks for no motion and keeps the gripper as it was when it was first
// asked.
type Policy struct {
	asked bool
	chunk policy.Chunk
}

// New makes a null policy.
func New() *Policy { return &Policy{chunk: make(policy.Chunk, 4)} }

// Spec implements policy.Policy.
func (p *Policy) Spec() policy.Spec {
	return policy.Spec{Space: policy.BridgeDeltaContinuous, RateHz: 5, Horizon: 4, Execute: 4}
}

// Reset implements policy.Policy.
func (p *Policy) Reset(context.Context) error {
	p.asked = false
	return nil
}

// Act implements policy.Policy.
func (p *Policy) Act(_ context.Context, o *twinrig.Observation) (policy.Chunk, error) {
	if !p.asked {
		p.asked = true
		grip := min(max(float64(o.State.Grip), 0), 1)
		for i := range p.chunk {
			p.chunk[i] = twinrig.Action{twinrig.GripAxis: grip}
		}
	}
	return p.chunk, nil
}
