package sim

import (
	"fmt"
	"slices"
	"time"
)

// Snapshot is all of a world that changes: enough to draw it and to go on from
// it exactly. The zero Snapshot is ready to be filled, and filling it again
// reuses its memory. Snapshots fit every world, and every renderer, of equal
// Bodies.
type Snapshot struct {
	state []float64
	time  time.Duration
}

// Time is the world's time in the snapshot.
func (s *Snapshot) Time() time.Duration { return s.time }

// Snapshot fills s.
func (w *World) Snapshot(s *Snapshot) error {
	s.state = slices.Grow(s.state[:0], w.model.StateSize())[:w.model.StateSize()]
	s.time = w.time
	return w.data.State(s.state)
}

// Restore goes back to s. What follows is equal to what followed the first
// time, bit by bit.
func (w *World) Restore(s *Snapshot) error {
	if err := w.data.SetState(s.state); err != nil {
		return fmt.Errorf("sim: restore: %w", err)
	}
	// Forward brings contacts up to date; it also writes the solver's warm
	// start, which is part of the state.
	if err := w.data.Forward(); err != nil {
		return fmt.Errorf("sim: restore: %w", err)
	}
	w.time, w.touch.fresh = s.time, false
	return w.data.SetState(s.state)
}

// CopyFrom makes s equal to t, in its own memory.
func (s *Snapshot) CopyFrom(t *Snapshot) {
	s.state, s.time = append(s.state[:0], t.state...), t.time
}
