package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"twinrig"
	"twinrig/agent"
	"twinrig/agent/record"
	"twinrig/agent/telemetry/mqtt"
	"twinrig/configs"
	"twinrig/eval"
	"twinrig/sim/scene"
)

// telemetry is what a study tells the world; it never waits for the network.
type telemetry interface {
	agent.Sink
	PutEvent(e *twinrig.Event)
	PutGap(g *twinrig.Gap)
	PutProgress(at mqtt.Progress)
	PutResult(key string, result json.RawMessage)
}

// operator sets the scene up for a trial and judges it. On the virtual rig one
// with privileged knowledge does both, and says so.
type operator interface {
	// Stage puts the objects where the trial wants them.
	Stage(ctx context.Context, s *scene.Scene, p scene.Placement, seed uint64) error
	// See gives the judge a view of what is really there.
	See(func(scene.View) error) error
	// Source names the origin of the verdicts.
	Source() string
}

// runner runs the trials of a study on a cell. It is eval.Runner.
type runner struct {
	cell     *cell
	study    configs.Study
	operator operator
	person   *person // the operator of a real arm, who also judges; else nil
	stages   map[string]*stage
	servers  servers
	dir      string // of the study
	lockstep bool
	virtual  bool
	blinded  bool   // nothing that is written may tell which policy it is
	digest   string // of the resolved configuration
	config   []byte
	calib    []byte    // the calibration record, yaml
	tell     telemetry // may be nil
	watch    *watch    // likewise
	pictures *pictures
	say      func(string) // to the operator
	weighed  bool         // the arm bears what the model says
	// recording is the present trial's, for the mirror's goroutine.
	recording atomic.Pointer[record.Writer]
}

// RunTrial implements eval.Runner.
func (r *runner) RunTrial(ctx context.Context, t eval.Trial) (eval.Result, error) {
	if err := r.cell.runner.Recover(ctx, r.sayRecovery); err != nil {
		return eval.Result{}, fmt.Errorf("the arm is not fit for a trial: %w", err)
	}
	st := r.stages[t.Scene]
	if st == nil {
		return eval.Result{}, fmt.Errorf("scene %q is not staged", t.Scene)
	}
	tr := &trial{runner: r, spec: t, stage: st, placement: make(scene.Placement, len(t.Placement))}
	for name, s := range t.Placement {
		tr.placement[name] = scene.Spot(s)
	}
	return tr.run(ctx)
}

// weigh checks once, before the first trial, that the joints carry what they should:
// a joint that turns the wrong way round looks right otherwise.
func (r *runner) weigh(ctx context.Context) error {
	if r.weighed {
		return nil
	}
	c, err := r.cell.runner.Weigh(ctx)
	if err == nil {
		err = c.Check()
	}
	r.weighed = err == nil
	return err
}

// sayRecovery tells the operator and the world what is done about a fault.
func (r *runner) sayRecovery(what string) {
	r.say(what)
	if r.tell != nil {
		r.tell.PutEvent(&twinrig.Event{Stamp: r.cell.clock(), Kind: "recovery", Detail: what})
	}
}
