package mirror

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"twinrig"
)

// ErrClosed is returned by a mirror after Close.
var ErrClosed = errors.New("mirror: closed")

// Hooks let others follow the mirror. Each may be nil.
type Hooks struct {
	// Gap is called for each comparison, on the mirror's goroutine; it must
	// not call the mirror.
	Gap func(twinrig.Gap)
	// Clock is the rig's: with it, gaps say how far behind they are. In
	// lockstep there is none.
	Clock func() time.Duration
}

// Mirror runs a follower on a goroutine of its own, fed by a bounded queue. Put
// and Feed are called by one goroutine; the other methods by any.
type Mirror struct {
	f     *follower
	hooks Hooks
	queue chan message

	dropped atomic.Int64
	closing sync.Once
	quit    chan struct{}
	gone    chan struct{}
	free    func()

	err error // owned by the goroutine; the trial's first
}

// message is a report, or a call to run between reports.
type message struct {
	report twinrig.Report
	call   func()
}

func newMirror(f *follower, hooks Hooks, free func()) *Mirror {
	m := &Mirror{
		f: f, hooks: hooks, free: free,
		queue: make(chan message, f.cfg.Queue), quit: make(chan struct{}), gone: make(chan struct{}),
	}
	go m.run()
	return m
}

// Start begins a trial: the simulated arm stands where s measured it, and the
// objects, by name, at their poses in B. It waits for the reports before it.
func (m *Mirror) Start(s twinrig.State, objects map[string]twinrig.Pose) error {
	var err error
	if doErr := m.do(func() {
		m.err = nil
		m.dropped.Store(0)
		err = m.f.Start(&s, objects)
	}); doErr != nil {
		return doErr
	}
	return err
}

// Put hands a copy of r to the mirror, which ignores it outside a trial. It
// never waits and allocates nothing: when the queue is full the report is
// dropped, and Summary says so.
func (m *Mirror) Put(r *twinrig.Report) {
	select {
	case m.queue <- message{report: *r}:
	default:
		m.dropped.Add(1)
	}
}

// Feed is Put for lockstep: it waits for room, so that every report is
// mirrored and the gaps do not depend on scheduling.
func (m *Mirror) Feed(r *twinrig.Report) error {
	select {
	case m.queue <- message{report: *r}:
		return nil
	case <-m.quit:
		return ErrClosed
	}
}

// Lockstep is a Mirror whose Put feeds: no report is lost, and the caller waits
// for the mirror instead.
type Lockstep struct{ *Mirror }

// Put feeds r. A closed mirror ignores it.
func (l Lockstep) Put(r *twinrig.Report) { _ = l.Feed(r) }

// Stop ends the trial: what is reported until the next Start is ignored, and
// Summary and Gaps stay what they were.
func (m *Mirror) Stop() error { return m.do(func() { m.f.begun = false }) }

// Waiting is how many reports the mirror has yet to follow.
func (m *Mirror) Waiting() int { return len(m.queue) }

// Flush waits until every report so far has been followed, and returns the
// trial's first error.
func (m *Mirror) Flush() error {
	var err error
	if doErr := m.do(func() { err = m.err }); doErr != nil {
		return doErr
	}
	return err
}

// Summary flushes and describes the trial's gaps so far. Its error is as Gaps'.
func (m *Mirror) Summary() (Summary, error) {
	var s Summary
	var err error
	if doErr := m.do(func() {
		s, err = m.f.summary(), m.err
		s.Dropped = int(m.dropped.Load())
	}); doErr != nil {
		return Summary{}, doErr
	}
	return s, err
}

// Gaps flushes and returns a copy of the trial's gaps so far, and the trial's
// first error: the gaps end where it came.
func (m *Mirror) Gaps() ([]twinrig.Gap, error) {
	var gaps []twinrig.Gap
	var err error
	if doErr := m.do(func() { gaps, err = slices.Clone(m.f.gaps), m.err }); doErr != nil {
		return nil, doErr
	}
	return gaps, err
}

// Close stops the mirror and frees its world. Reports still waiting are not
// followed.
func (m *Mirror) Close() {
	m.closing.Do(func() {
		close(m.quit)
		<-m.gone
		if m.free != nil {
			m.free()
		}
	})
}

// do runs call on the mirror's goroutine, after what is queued before it.
func (m *Mirror) do(call func()) error {
	done := make(chan struct{})
	select {
	case m.queue <- message{call: func() { call(); close(done) }}:
	case <-m.gone:
		return ErrClosed
	}
	select {
	case <-done:
		return nil
	case <-m.gone:
		return ErrClosed
	}
}

func (m *Mirror) run() {
	defer close(m.gone)
	for {
		select {
		case <-m.quit:
			return
		case msg := <-m.queue:
			if msg.call != nil {
				msg.call()
			} else {
				m.follow(&msg.report)
			}
		}
	}
}

// follow follows a report of a trial. It keeps the first error and then ignores
// the rest: a world that could not be stepped has no more to say.
func (m *Mirror) follow(r *twinrig.Report) {
	if m.err != nil || !m.f.begun {
		return
	}
	compared, err := m.f.Follow(r)
	if m.err = err; !compared {
		return
	}
	g := &m.f.gaps[len(m.f.gaps)-1]
	if m.hooks.Clock != nil {
		g.Behind = m.hooks.Clock() - g.Stamp
	}
	if m.hooks.Gap != nil {
		m.hooks.Gap(*g)
	}
}
