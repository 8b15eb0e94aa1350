package mirror

import (
	"fmt"
	"time"

	"twinrig"
)

// simulated is the simulated arm among the simulated objects.
type simulated interface {
	// Start puts arm and objects (poses in B) where they were measured, at
	// rest, holding; its time becomes s.Stamp.
	Start(s *twinrig.State, objects map[string]twinrig.Pose) error
	// Read steps the simulation to now and reads it.
	Read(now time.Duration, s *twinrig.State) error
	Write(now time.Duration, c twinrig.Command) (twinrig.Command, error)
	// Watch lets the watcher look at the world.
	Watch(now time.Duration, s *twinrig.State, goal twinrig.Grip) error
}

// follower is the mirror without its goroutine: the same reports give the same
// gaps.
type follower struct {
	cfg  Config
	law  law
	twin simulated
	kin  kinematics

	start, last        time.Duration
	nextGap, nextWatch time.Duration
	state              twinrig.State
	gaps               []twinrig.Gap
	reports, stale     int
	begun              bool
}

// Start begins a trial at a measured state.
func (f *follower) Start(s *twinrig.State, objects map[string]twinrig.Pose) error {
	f.begun = false
	if !s.Measured.Finite() {
		return fmt.Errorf("mirror: start: measured joints %v are not finite", s.Measured)
	}
	if err := f.twin.Start(s, objects); err != nil {
		return fmt.Errorf("mirror: start: %w", err)
	}
	f.start, f.last = s.Stamp, s.Stamp
	f.nextGap, f.nextWatch = s.Stamp+f.cfg.Every, s.Stamp+f.cfg.Control
	f.gaps, f.reports, f.stale = f.gaps[:0], 0, 0
	f.begun = true
	return nil
}

// Follow steps the twin to the report's reading, compares if a comparison is
// due, and gives the twin what was sent. It tells whether it compared; the gap
// is then the last of f.gaps.
func (f *follower) Follow(r *twinrig.Report) (compared bool, err error) {
	f.reports++
	now := r.State.Stamp
	// A tick without a new reading moves nothing: its goal is the next tick's
	// to repeat.
	if now < f.last || now == f.last && f.reports > 1 {
		f.stale++
		return false, nil
	}
	f.last = now
	if err := f.twin.Read(now, &f.state); err != nil {
		return false, fmt.Errorf("mirror: step to %v: %w", now, err)
	}
	if now >= f.nextWatch {
		f.nextWatch = after(f.nextWatch, f.cfg.Control, now)
		if err := f.twin.Watch(now, &f.state, r.Sent.Grip); err != nil {
			return false, fmt.Errorf("mirror: watch: %w", err)
		}
	}
	if now >= f.nextGap {
		if fresh(&r.State) {
			f.nextGap = after(f.nextGap, f.cfg.Every, now)
			f.gaps = append(f.gaps, f.gap(r))
			compared = true
		} else {
			f.stale++
		}
	}
	// As long as nothing was sent the arm holds.
	if r.Sent == (twinrig.Command{}) {
		return compared, nil
	}
	// In ModePosition what was sent has the host's gravity offset in it.
	c := twinrig.Command{Goal: r.Sent.Goal}
	f.law.effort(&c, &f.state, f.kin)
	if _, err := f.twin.Write(now, c); err != nil {
		return compared, fmt.Errorf("mirror: at %v: %w", now, err)
	}
	return compared, nil
}

// gap is the twin's state less the measured one.
func (f *follower) gap(r *twinrig.Report) twinrig.Gap {
	g := twinrig.Gap{
		Stamp:    r.State.Stamp,
		Step:     r.Step,
		Joints:   f.state.Measured.Sub(r.State.Measured),
		Velocity: f.state.Velocity.Sub(r.State.Velocity),
		Grip:     f.state.Grip - r.State.Grip,
	}
	xBE := f.kin.Forward(r.State.Measured)
	g.Translation, g.Rotation = xBE.Gap(f.kin.Forward(f.state.Measured))
	return g
}

// after is the first time past now on the grid of period through due.
func after(due, period, now time.Duration) time.Duration {
	if period <= 0 {
		return now
	}
	return due + period*((now-due)/period+1)
}

// fresh tells whether every axis was read this cycle.
func fresh(s *twinrig.State) bool { return s.Age == [twinrig.NumAxes]time.Duration{} }

func (f *follower) summary() Summary {
	s := Summarize(f.gaps, f.start, f.cfg.Diverged)
	s.Reports, s.Stale = f.reports, f.stale
	return s
}
