package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"twinrig"
	"twinrig/configs"
	"twinrig/policy"
	"twinrig/policy/hold"
	"twinrig/policy/remote"
	"twinrig/policy/replay"
	"twinrig/policy/scripted"
	"twinrig/sim"
)

// builtIn makes a policy that is part of this program, for a task that it is told.
func builtIn(source string, task scripted.Task, seed uint64) (policy.Policy, error) {
	switch source {
	case configs.Hold:
		return hold.New(), nil
	case configs.Expert:
		return scripted.New(scripted.Config{Task: task, Skill: scripted.Expert(), Seed: seed}, sim.NewKinematics())
	case configs.Clumsy:
		return scripted.New(scripted.Config{Task: task, Skill: scripted.Clumsy(), Seed: seed}, sim.NewKinematics())
	}
	if file, ok := strings.CutPrefix(source, configs.Replay); ok {
		m, err := readMotion(file)
		if err != nil {
			return nil, err
		}
		return replay.New(m)
	}
	return nil, fmt.Errorf("policy source %q is not built in", source)
}

// servers are connections to the policy servers of a study, by their URL.
type servers map[string]*remote.Policy

// open connects to the server of a source, if it is one: who does not answer, promises
// something else than the rig file, or cannot be driven as the rig file wants it, is
// known before anything moves.
func (s servers) open(ctx context.Context, source string, rig *configs.Rig) error {
	if s[source] != nil || !remote.IsURL(source) {
		return nil
	}
	p, err := remote.Open(ctx, source, rig.Remote, sim.NewKinematics())
	if err != nil {
		return err
	}
	s[source] = p
	if err := rig.Policy.Suits(p.Spec()); err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	return nil
}

func (s servers) close() {
	for _, p := range s {
		p.Close()
	}
}

// errCamera marks a picture that is missing or too old: the rig's fault, not the
// policy's that was to act on it.
var errCamera = errors.New("camera fault")

// eye completes a policy's observations.
type eye struct {
	instruction string
	camera      twinrig.Camera // nil where the policy wants no picture
	frame       twinrig.Frame
}

// Observe implements policy.Observer.
func (e *eye) Observe(_ time.Duration, o *twinrig.Observation) error {
	o.Instruction, o.Frames = e.instruction, o.Frames[:0]
	if e.camera == nil {
		return nil
	}
	if err := e.camera.Latest(&e.frame); err != nil {
		return fmt.Errorf("%w: %w", errCamera, err)
	}
	o.Frames = append(o.Frames, e.frame)
	return nil
}
