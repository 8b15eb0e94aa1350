package agent

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"twinrig"
)

// End is how a motion ended without a fault.
type End uint8

// The ends.
const (
	EndDone    End = iota // until said so
	EndTimeout            // its time was up
)

// String returns the word used in files.
func (e End) String() string {
	if e == EndTimeout {
		return "timeout"
	}
	return "done"
}

// ErrStopped is returned when the loop was stopped for good during a motion.
var ErrStopped = errors.New("agent: stopped")

// Runner runs motions on a Loop, one at a time. Live, a goroutine in Serve ticks
// the loop all the time and the arm is held between motions. In lockstep, Run
// ticks the loop itself, and between motions time stands still.
type Runner struct {
	loop     *Loop
	pacer    Pacer
	lockstep bool

	running sync.Mutex // held by Run and Recover
	asking  sync.Mutex // held by do

	mu       sync.Mutex
	next     Source   // wanted by Run, not yet taken by Serve
	asked    *request // wanted by do, likewise
	ordered  uint64   // counts the sources ordered
	taken    uint64   // the order that the loop is at
	slot     slot
	lateness Lateness
	resting  bool // the halt sequence has the loop

	wake     chan struct{} // a newer slot is there
	stopping chan struct{} // closed once resting
}

// request is something to be done to the loop between two ticks.
type request struct {
	f    func(*Loop) error
	done chan error
}

// slot is the newest tick, and which order it belongs to.
type slot struct {
	report    twinrig.Report
	order     uint64
	sourceErr error
	fault     error
	guard     [NumInterventions]uint64
}

// NewRunner makes a live runner; a goroutine must Serve.
func NewRunner(l *Loop, p Pacer) *Runner {
	return &Runner{loop: l, pacer: p, wake: make(chan struct{}, 1), stopping: make(chan struct{})}
}

// NewLockstepRunner makes a runner whose Run and Stop tick the loop themselves.
func NewLockstepRunner(l *Loop, p Pacer) *Runner {
	r := NewRunner(l, p)
	r.lockstep = true
	return r
}

// Run lets src drive until the function until says so, or for a time limit of
// the loop's clock, and then holds. until sees reports in order, each at most
// once: in lockstep all of them, live the newest whenever it is ready for it; it
// may take its time and does not delay the loop. Run returns the fault, the
// source's error, or ctx's if one of them ended it. A second Run waits for the
// first.
func (r *Runner) Run(ctx context.Context, src Source, until func(*twinrig.Report) bool, limit time.Duration) (End, error) {
	r.running.Lock()
	defer r.running.Unlock()
	m := motion{until: until, limit: limit, start: -1}
	if r.lockstep {
		return r.runLockstep(ctx, src, &m)
	}
	return r.runLive(ctx, src, &m)
}

// motion is the judge of one Run.
type motion struct {
	until func(*twinrig.Report) bool
	limit time.Duration
	start time.Duration
}

// over judges one tick.
func (m *motion) over(s *slot) (End, bool, error) {
	if m.start < 0 {
		m.start = s.report.Now
	}
	switch {
	case s.fault != nil:
		return 0, true, s.fault
	case s.sourceErr != nil:
		return 0, true, s.sourceErr
	case m.until(&s.report):
		return EndDone, true, nil
	case s.report.Now-m.start >= m.limit:
		return EndTimeout, true, nil
	}
	return 0, false, nil
}

func (r *Runner) runLockstep(ctx context.Context, src Source, m *motion) (End, error) {
	r.loop.SetSource(src)
	defer r.loop.SetSource(Hold{})
	for {
		if err := ctx.Err(); err != nil {
			return 0, fmt.Errorf("agent: motion: %w", err)
		}
		r.step()
		if end, over, err := m.over(&r.slot); over {
			return end, err
		}
	}
}

func (r *Runner) runLive(ctx context.Context, src Source, m *motion) (End, error) {
	order := r.order(src)
	end, err := r.await(ctx, func(s *slot) (End, bool, error) {
		if s.order != order {
			return 0, false, nil
		}
		return m.over(s)
	})
	// The loop must have let go of the source before it is the caller's again.
	held := r.order(Hold{})
	_, stopErr := r.await(context.Background(), func(s *slot) (End, bool, error) {
		return 0, s.order >= held, nil
	})
	if err == nil {
		err = stopErr
	}
	return end, err
}

// await shows each newest tick to look, none twice, until that is satisfied.
func (r *Runner) await(ctx context.Context, look func(*slot) (End, bool, error)) (End, error) {
	var s slot
	seen := uint64(math.MaxUint64)
	for {
		select {
		case <-r.stopping:
			return 0, ErrStopped
		case <-ctx.Done():
			return 0, fmt.Errorf("agent: motion: %w", ctx.Err())
		case <-r.wake:
		}
		r.mu.Lock()
		s = r.slot
		r.mu.Unlock()
		if s.report.Tick == seen {
			continue
		}
		seen = s.report.Tick
		if end, over, err := look(&s); over {
			return end, err
		}
	}
}

// order asks Serve to switch to src.
func (r *Runner) order(src Source) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.resting {
		r.next = src
		r.ordered++
	}
	return r.ordered
}

// step is one tick and its publication.
func (r *Runner) step() {
	now := r.pacer.WaitUntil(r.loop.Due())
	r.mu.Lock()
	if r.next != nil {
		r.loop.SetSource(r.next)
		r.next, r.taken = nil, r.ordered
	}
	asked := r.asked
	r.asked = nil
	r.mu.Unlock()
	if asked != nil {
		asked.done <- asked.f(r.loop)
	}

	rep := r.loop.Tick(now)

	r.mu.Lock()
	r.slot.report, r.slot.order = *rep, r.taken
	r.slot.sourceErr = r.loop.source.Err()
	r.slot.fault = nil
	if f := r.loop.fault; f != nil {
		r.slot.fault = f
	}
	r.slot.guard = r.loop.guard.counts
	r.lateness.Add(rep.Late)
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Latest copies the newest report. It may be called from any goroutine.
func (r *Runner) Latest(rep *twinrig.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	*rep = r.slot.report
}

// Fault is what the newest tick had for a fault, nil for none. It may be called
// from any goroutine.
func (r *Runner) Fault() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.slot.fault
}

// Lateness is how late the ticks so far began. It may be called from any
// goroutine.
func (r *Runner) Lateness() Lateness {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lateness
}

// Interventions is how often the guard stepped in so far, in the order of the
// bits of twinrig.Intervention. It may be called from any goroutine.
func (r *Runner) Interventions() [NumInterventions]uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.slot.guard
}

// Rearm takes torque on again after a fault; the arm then holds where it is.
func (r *Runner) Rearm(ctx context.Context) error { return r.do(ctx, (*Loop).Rearm) }

// do has f done between two ticks.
func (r *Runner) do(ctx context.Context, f func(*Loop) error) error {
	if r.lockstep {
		return f(r.loop)
	}
	r.asking.Lock()
	defer r.asking.Unlock()
	q := &request{f, make(chan error, 1)}
	r.mu.Lock()
	r.asked = q
	r.mu.Unlock()
	select {
	case err := <-q.done:
		return err
	case <-r.stopping:
		return ErrStopped
	case <-ctx.Done():
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.asked == q {
			r.asked = nil // not any more
		}
		return fmt.Errorf("agent: %w", ctx.Err())
	}
}

// now is the time of the newest tick.
func (r *Runner) now() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.slot.report.Now
}

// wait lets d of the loop's time pass, one tick at least, whatever the fault.
func (r *Runner) wait(ctx context.Context, d time.Duration) error {
	end := r.now() + d
	if r.lockstep {
		for {
			r.step()
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("agent: %w", err)
			}
			if r.now() >= end {
				return nil
			}
		}
	}
	first := true
	_, err := r.await(ctx, func(s *slot) (End, bool, error) {
		over := !first && s.report.Now >= end
		first = false
		return 0, over, nil
	})
	return err
}
