package remote

import (
	"context"
	"fmt"
	"slices"
	"time"

	"twinrig"
	"twinrig/policy"
	"twinrig/policy/npwire"
	"twinrig/policy/picture"
)

// Served offers an in-process policy to either protocol's server, which calls it
// with one question at a time.
type Served struct {
	policy   policy.Policy
	contract Contract
	latency  time.Duration
}

// Serve offers p, which sees no pictures, under a protocol ("openpi" or "rest"). It
// takes joints for its state, and answers latency after the question at the
// earliest.
func Serve(p policy.Policy, protocol string, latency time.Duration) (*Served, error) {
	s := p.Spec()
	c := Contract{
		Space: s.Space, RateHz: s.RateHz, Horizon: s.Horizon, Execute: s.Execute,
		Image: Image{Key: off, Resize: picture.None}, State: State{Layout: JointState},
	}
	switch protocol {
	case "openpi":
		c.defaults(&openpiDefaults)
	case "rest":
		c.defaults(&restDefaults)
	default:
		return nil, fmt.Errorf("remote: protocol %q is neither openpi nor rest", protocol)
	}
	c.Image.Width, c.Image.Height = 0, 0
	if s.Space.Relative() {
		c.ProbeKey = probeKey
	}
	return &Served{policy: p, contract: c, latency: latency}, nil
}

// Metadata is what clients are told first.
func (s *Served) Metadata() npwire.Object { return s.contract.Metadata() }

// Reset forgets the past.
func (s *Served) Reset(ctx context.Context) error { return s.policy.Reset(ctx) }

// Answer answers an observation.
func (s *Served) Answer(ctx context.Context, observation map[string]any) (npwire.Object, error) {
	begun := time.Now()
	o, err := s.observation(observation)
	if err != nil {
		return nil, err
	}
	chunk, err := s.act(ctx, &o, observation[s.contract.ProbeKey])
	if err != nil {
		return nil, err
	}
	flat := make([]float64, 0, len(chunk)*twinrig.NumAxes)
	for _, a := range chunk {
		flat = append(flat, a[:]...)
	}
	select {
	case <-time.After(s.latency - time.Since(begun)):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return npwire.Object{{Key: s.contract.ActionsKey, Value: npwire.Float64s([]int{len(chunk), twinrig.NumAxes}, flat...)}}, nil
}

const (
	// probeKey is where Served is asked for a known action.
	probeKey = "twinrig/probe"
	// ProbeStep is that action's one number that is not zero, m or rad.
	ProbeStep = 0.01
)

// act asks the policy, or answers a probe.
func (s *Served) act(ctx context.Context, o *twinrig.Observation, probe any) (policy.Chunk, error) {
	if s.contract.ProbeKey == "" || probe == nil {
		return s.policy.Act(ctx, o)
	}
	name, _ := probe.(string)
	names := s.contract.Space.Names()
	axis := slices.Index(names[:], name)
	if axis < 0 {
		return nil, fmt.Errorf("%q is %v, must be one of %v", probeKey, probe, names)
	}
	var a twinrig.Action
	a[twinrig.GripAxis] = 1
	a[axis] = ProbeStep
	return slices.Repeat(policy.Chunk{a}, s.contract.Horizon), nil
}

// observation makes ours of a client's.
func (s *Served) observation(m map[string]any) (o twinrig.Observation, err error) {
	o.Instruction, _ = m[s.contract.PromptKey].(string)
	v, ok := m[s.contract.State.Key]
	if !ok {
		return o, fmt.Errorf("observation has no %q: the state, six joints in rad and the gripper, 0 to 1", s.contract.State.Key)
	}
	rows, err := npwire.Matrix(v)
	if err != nil {
		return o, fmt.Errorf("%q: %w", s.contract.State.Key, err)
	}
	if len(rows) != 1 || len(rows[0]) != twinrig.NumAxes {
		return o, fmt.Errorf("%q has %d rows, must be one of %d numbers: six joints in rad and the gripper, 0 to 1", s.contract.State.Key, len(rows), twinrig.NumAxes)
	}
	for i := range o.State.Measured {
		o.State.Measured[i] = rows[0][i]
	}
	o.State.Grip = twinrig.Grip(rows[0][twinrig.GripAxis])
	if !o.State.Measured.Finite() {
		return o, fmt.Errorf("%q is not finite", s.contract.State.Key)
	}
	return o, nil
}
