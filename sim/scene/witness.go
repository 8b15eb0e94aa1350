package scene

import (
	"time"

	"twinrig"
	"twinrig/sim"
)

// Witness lets a Judge watch a simulated trial, such as the mirror's, and tells
// of what begins and ends. Read the Judge's outcome when the trial is over.
type Witness struct {
	Judge *Judge
	// Seen, when set, is called in each control step whose events differ from
	// those of the step before, on the goroutine that steps the world.
	Seen func(now time.Duration, began, ended Event)

	last Event
}

// Begin starts a trial.
func (w *Witness) Begin(world *sim.World) error {
	w.last = 0
	return w.Judge.Start(world)
}

// Watch judges one control step.
func (w *Witness) Watch(now time.Duration, world *sim.World, s *twinrig.State, goal twinrig.Grip) error {
	ev, err := w.Judge.Step(Tick{Now: now, Grip: s.Grip, GripGoal: goal}, world)
	if err != nil {
		return err
	}
	if ev != w.last && w.Seen != nil {
		w.Seen(now, ev&^w.last, w.last&^ev)
	}
	w.last = ev
	return nil
}
