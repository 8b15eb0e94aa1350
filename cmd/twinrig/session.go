package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"twinrig/cmd/twinrig/doctor"
	"twinrig/configs"
	"twinrig/eval"
	"twinrig/sim/scene"
)

// session runs a study, from wherever it stands.
type session struct {
	demo   *configs.Demo
	study  *eval.Study // as planned
	scenes []scene.Scene
	dir    string
	// sources are what the policies of the plan stand for, which their names
	// hide in a blinded study.
	sources  map[string]eval.Policy
	lockstep bool
	person   *person // the operator of a real arm
	say      func(string)
	free     func(dir string) (uint64, error) // on the disk, bytes
	servers  servers

	// What the trials left.
	pictures pictures
	wireHz   float64
	rigTime  time.Duration // how far the rig's clock came
	wallTime time.Duration
}

func newSession(d *configs.Demo, study *eval.Study, scenes []scene.Scene, dir string, lockstep bool, say func(string)) *session {
	d.Rig.Record.Synchronous = lockstep
	return &session{
		demo: d, study: study, scenes: scenes, dir: dir, lockstep: lockstep, say: say, free: doctor.FreeBytes,
	}
}

// speedup is how many times faster than real time the trials ran.
func (s *session) speedup() float64 {
	if s.wallTime <= 0 {
		return 0
	}
	return s.rigTime.Seconds() / s.wallTime.Seconds()
}

// run runs the open trials.
func (s *session) run(ctx context.Context, l *eval.Ledger, step func(eval.Step)) (err error) {
	began := time.Now()
	defer func() { s.wallTime = time.Since(began) }()
	s.servers = servers{}
	defer s.servers.close()
	if err := s.greet(ctx); err != nil {
		return err
	}
	// A rig that faults shall befall at its times must live through them.
	if s.lockstep && len(s.demo.Virtual.Faults) == 0 {
		return eval.Run(ctx, s.study, l, s, step)
	}
	r, closeAll, err := s.open(ctx, s.scenes)
	if err != nil {
		return err
	}
	began = time.Now()
	from := r.cell.clock()
	if err = r.tellResults(s.study, l); err == nil {
		err = eval.Run(ctx, s.study, l, &kept{s, r}, r.tellSteps(s.study, step))
	}
	s.rigTime = r.cell.clock() - from
	if closeErr := closeAll(); closeErr != nil {
		err = errors.Join(err, errNotParked, closeErr)
	}
	return err
}

// errNotParked marks a rig that could not be closed as it should.
var errNotParked = errors.New("the rig was not closed in order")

// parked tells whether a run that was interrupted left the arm parked.
func parked(ctx context.Context, err error) bool {
	return ctx.Err() != nil && !errors.Is(err, errNotParked)
}

// policies are those of the plan, with what they stand for.
func (s *session) policies() []eval.Policy {
	open := slices.Clone(s.study.Policies)
	for i := range open {
		if p, ok := s.sources[open[i].Name]; ok {
			open[i].Source = p.Source
		}
	}
	return open
}

// greet connects to every policy server, so that one that is not there is known before
// the first trial. What a server is then, it is for all of the study.
func (s *session) greet(ctx context.Context) error {
	for _, p := range s.policies() {
		if err := s.servers.open(ctx, p.Source, &s.demo.Rig); err != nil {
			return err
		}
	}
	return nil
}

// open assembles the rig.
func (s *session) open(ctx context.Context, scenes []scene.Scene) (*runner, func() error, error) {
	r, closeAll, err := openDemo(ctx, s.demo, s.lockstep, s.dir, s.study, scenes, s.say)
	if err != nil {
		return nil, nil, err
	}
	if s.person != nil {
		r.person, r.operator = s.person, s.person
	}
	r.servers, r.pictures, r.blinded, s.wireHz = s.servers, &s.pictures, s.sources != nil, r.cell.wireHz
	return r, closeAll, nil
}

// RunTrial implements eval.Runner in lockstep: each trial has a rig of its own,
// that was just switched on. So a trial is the same whatever ran before it, and a
// study that was cut short ends as one that was not.
func (s *session) RunTrial(ctx context.Context, t eval.Trial) (res eval.Result, err error) {
	var only []scene.Scene
	for _, sc := range s.scenes {
		if sc.Name == t.Scene {
			only = append(only, sc)
		}
	}
	t = s.unblinded(t)
	r, closeAll, err := s.open(ctx, only)
	if err != nil {
		return res, err
	}
	defer func() {
		s.rigTime += r.cell.clock()
		if closeErr := closeAll(); closeErr != nil {
			err = errors.Join(err, errNotParked, closeErr)
		}
	}()
	return r.RunTrial(ctx, t)
}

// kept is a session's Runner on a rig that stays open.
type kept struct {
	*session
	rig *runner
}

// RunTrial implements eval.Runner.
func (k *kept) RunTrial(ctx context.Context, t eval.Trial) (eval.Result, error) {
	return k.rig.RunTrial(ctx, k.unblinded(t))
}

// unblinded is the trial as the rig must know it.
func (s *session) unblinded(t eval.Trial) eval.Trial {
	if p, ok := s.sources[t.Policy]; ok {
		t.Source, t.Checkpoint = p.Source, p.Checkpoint
	}
	return t
}

// leastFree is how much of the disk must be free before a trial, in bytes: a long
// trial with every frame takes a fifth of it.
const leastFree = 256 << 20

// MayBegin implements eval.Gate: a disk that is full stops a study before a
// trial, not in it.
func (s *session) MayBegin(eval.Trial) error {
	free, err := s.free(s.dir)
	if err != nil {
		return err
	}
	if free < leastFree {
		return fmt.Errorf("%d MiB are free in %s, a trial wants %d: make room, then run the study again, it goes on where it is",
			free>>20, s.dir, leastFree>>20)
	}
	return nil
}
