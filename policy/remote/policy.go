package remote

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"twinrig"
	"twinrig/policy"
	"twinrig/policy/npwire"
	"twinrig/policy/picture"
)

// Wire is a connection to a server. One goroutine uses it at a time.
type Wire interface {
	// Infer sends an observation and returns the value of the answer's actions.
	// After an error that wraps neither context.DeadlineExceeded nor
	// context.Canceled the connection may be of no use.
	Infer(ctx context.Context, observation npwire.Object) (actions any, err error)
	// Reset begins a trial; errNewConnection means that a new connection does.
	Reset(ctx context.Context) error
	Close()
}

// errNewConnection is a Wire's answer to Reset that cannot say it to its server.
var errNewConnection = errors.New("a new connection begins a trial")

// ServerError is what a server said or did, or did not do. Its text names the server.
type ServerError struct{ Err error }

// Error implements error.
func (e *ServerError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *ServerError) Unwrap() error { return e.Err }

// serverError wraps an error; nil stays nil.
func serverError(err error) error {
	if err == nil {
		return nil
	}
	return &ServerError{err}
}

// Policy is a policy on a server. It is policy.Policy; a connection that was lost
// is made anew at the next question. Close it. Errors of Reset, Act and Probe wrap a
// ServerError, where the server is to blame.
type Policy struct {
	// contract is what rig, the rig file's part of it, the server's metadata and the
	// protocol's common keys come to.
	contract Contract
	rig      Contract
	common   Contract
	kin      policy.Kinematics
	dial     func(ctx context.Context) (Wire, map[string]any, error)
	wire     Wire
	chunk    policy.Chunk
	// units take actions and states to and from physical units; nil does nothing.
	units units
}

// Contract is what the two sides agreed on; it never changes.
func (p *Policy) Contract() *Contract { return &p.contract }

// Spec implements policy.Policy.
func (p *Policy) Spec() policy.Spec { return p.contract.Spec() }

// Reset implements policy.Policy.
func (p *Policy) Reset(ctx context.Context) error { return serverError(p.reset(ctx)) }

func (p *Policy) reset(ctx context.Context) error {
	if err := p.connect(ctx); err != nil {
		return err
	}
	err := p.wire.Reset(ctx)
	if errors.Is(err, errNewConnection) {
		p.Close()
		return p.connect(ctx)
	}
	if err != nil {
		p.drop(err)
		return err
	}
	return nil
}

// Act implements policy.Policy.
func (p *Policy) Act(ctx context.Context, o *twinrig.Observation) (policy.Chunk, error) {
	return p.ask(ctx, o, "")
}

// Probe asks the server for a chunk in which only the number of that name (of
// the space) is not zero, if its contract has a ProbeKey.
func (p *Policy) Probe(ctx context.Context, o *twinrig.Observation, name string) (policy.Chunk, error) {
	return p.ask(ctx, o, name)
}

func (p *Policy) ask(ctx context.Context, o *twinrig.Observation, probe string) (policy.Chunk, error) {
	msg, err := p.message(o)
	if err != nil {
		return nil, fmt.Errorf("remote: %w", err)
	}
	if probe != "" {
		msg = append(msg, npwire.Field{Key: p.contract.ProbeKey, Value: probe})
	}
	if err := p.infer(ctx, msg); err != nil {
		return nil, serverError(err)
	}
	return p.chunk, nil
}

// infer asks the server and takes its answer.
func (p *Policy) infer(ctx context.Context, msg npwire.Object) error {
	if err := p.connect(ctx); err != nil {
		return err
	}
	v, err := p.wire.Infer(ctx, msg)
	if err != nil {
		p.drop(err)
		return err
	}
	if err := p.take(v); err != nil {
		return fmt.Errorf("remote: answer: %w", err)
	}
	return nil
}

// drop gives a connection up after an error, unless the answer only was too slow.
func (p *Policy) drop(err error) {
	if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
		p.Close()
	}
}

// connect makes a connection if there is none. A server that came back must be the
// policy that it was.
func (p *Policy) connect(ctx context.Context) error {
	if p.wire != nil {
		return nil
	}
	wire, metadata, err := p.dial(ctx)
	if err != nil {
		return trust(err)
	}
	now, err := p.rig.agree(metadata, &p.common)
	if err == nil {
		err = p.contract.differs(&now)
	}
	if err != nil {
		wire.Close()
		return fmt.Errorf("remote: the server came back as another policy: %w", err)
	}
	p.wire = wire
	return nil
}

// Close ends the connection.
func (p *Policy) Close() {
	if p.wire != nil {
		p.wire.Close()
		p.wire = nil
	}
}

// message makes a server's observation of ours.
func (p *Policy) message(o *twinrig.Observation) (npwire.Object, error) {
	c := &p.contract
	var msg npwire.Object
	add := func(key string, v any) { msg = append(msg, npwire.Field{Key: key, Value: v}) }
	if c.WantsPicture() {
		if len(o.Frames) == 0 {
			return nil, errors.New("the policy wants a picture, and there is no camera")
		}
		f := &o.Frames[0]
		w, h := c.Image.Width, c.Image.Height
		if w == 0 {
			w, h = f.W, f.H
		}
		rgb, err := picture.To(f, c.Image.Resize, w, h)
		if err != nil {
			return nil, err
		}
		add(c.Image.Key, npwire.Uint8s([]int{h, w, 3}, rgb))
	}
	if s := p.state(&o.State); s != nil {
		p.units.model(s)
		add(c.State.Key, npwire.Float32s([]int{len(s)}, s...))
	}
	if c.PromptKey != off {
		add(c.PromptKey, o.Instruction)
	}
	if planned := p.planned(o); planned != nil {
		add(c.LeftKey, planned)
		if c.DelayKey != "" {
			add(c.DelayKey, int64(len(o.Prefix)))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(c.Extra)) {
		add(k, c.Extra[k])
	}
	return msg, nil
}

// planned are the actions under way in the model's units, nil if the server is not told.
func (p *Policy) planned(o *twinrig.Observation) *npwire.Array {
	n := len(o.Prefix) + len(o.Left)
	if p.contract.LeftKey == "" || n == 0 {
		return nil
	}
	flat := make([]float64, 0, n*twinrig.NumAxes)
	for _, part := range [][]twinrig.Action{o.Prefix, o.Left} {
		for _, row := range part { // a copy
			p.units.planned(row[:])
			flat = append(flat, row[:]...)
		}
	}
	return npwire.Float32s([]int{n, twinrig.NumAxes}, flat...)
}

func (p *Policy) state(s *twinrig.State) []float64 {
	switch p.contract.State.Layout {
	case BridgeState:
		b := policy.StateFromPose(p.kin.Forward(s.Measured), s.Grip)
		return b[:]
	case JointState:
		return append(slices.Clone(s.Measured[:]), float64(s.Grip))
	default:
		return nil
	}
}

// take makes a chunk of an answer. How long it is, and whether its numbers can be
// right, the broker judges.
func (p *Policy) take(v any) error {
	rows, err := npwire.Matrix(v)
	if err != nil {
		return err
	}
	p.chunk = p.chunk[:0]
	for i, row := range rows {
		if len(row) != twinrig.NumAxes {
			return fmt.Errorf("action %d has %d numbers, not the %d of %s", i, len(row), twinrig.NumAxes, p.contract.Space)
		}
		p.units.physical(row)
		p.chunk = append(p.chunk, twinrig.Action(row))
	}
	return nil
}
