package policy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"twinrig"
)

// Broker stands between the control tick and a policy. It asks for a chunk
// ahead of need, takes or refuses the answer whole, and hands out one goal each
// control step. When there is none it hands out nothing, the arm holds, and it
// keeps asking. All methods but Close are for the goroutine of the tick; the
// tick never waits here and never composes: inference and inverse kinematics
// run in the Executor.
type Broker struct {
	cfg    Config
	spec   Spec
	period time.Duration
	exec   Executor
	call   call
	job    func()

	// The request that is out, if any.
	asking   bool
	void     bool          // it was given up: the answer is not used
	first    time.Duration // when the first one of all went out
	asked    time.Duration
	deadline time.Duration
	nextAsk  time.Duration

	// The goals that wait, and the composer that continues after them.
	queue    []step
	composer Composer

	// The control steps.
	started bool
	step    int
	due     time.Duration
	line    line
	gap     time.Duration // when the present gap began, or -1

	blind                      bool // the last refusal was the observer's
	refusedRow, unreachableRow int
	stats                      Stats
	err                        error
}

// Deps are the parts a Broker is made of. Kin must be used by nobody else.
// Allow may refuse a target (nil allows all); Observer may be nil.
type Deps struct {
	Policy   Policy
	Kin      Kinematics
	Allow    Allow
	Observer Observer
	Executor Executor
}

// NewBroker makes a Broker for one run of a policy. ctx bounds its requests.
func NewBroker(ctx context.Context, cfg Config, d Deps) (*Broker, error) {
	spec := d.Policy.Spec()
	if err := cfg.Suits(spec); err != nil {
		return nil, err
	}
	b := &Broker{
		cfg: cfg, spec: spec, period: spec.Period(), exec: d.Executor,
		queue:    make([]step, 0, spec.Horizon+cfg.Ahead),
		composer: NewComposer(spec.Space, d.Kin, d.Allow, cfg.Limits()),
		gap:      -1,
		stats:    newStats(),
	}
	b.line.now = b.composer
	b.call = call{
		pol: d.Policy, observer: d.Observer, spec: spec, cfg: &b.cfg, ctx: ctx,
		steps: make([]step, 0, spec.Horizon),
		ahead: make([]twinrig.Action, 0, spec.Horizon+cfg.Ahead),
	}
	if cfg.Chunking == Ensemble {
		b.call.ensemble = newEnsemble(spec.Horizon)
	}
	b.job = b.call.run
	return b, nil
}

// Next is called once a tick with the goal the arm has now and its state. It
// returns a goal and true on the tick in which a control step with a goal
// begins. The first control step begins with the first goal; from then on they
// follow at Spec.RateHz, with or without a goal.
func (b *Broker) Next(now time.Duration, at *twinrig.Goal, s *twinrig.State) (twinrig.Goal, bool) {
	if b.err != nil {
		return twinrig.Goal{}, false
	}
	b.collect(now)
	goal, ok := b.take(now)
	if !b.asking && b.wants() && now >= b.nextAsk && b.err == nil {
		b.ask(now, at, s)
	}
	return goal, ok
}

// Step is the number of the present control step, from 0.
func (b *Broker) Step() int { return b.step }

// Spec is the policy's.
func (b *Broker) Spec() Spec { return b.spec }

// Err is why the run cannot go on, an ErrFault, or nil.
func (b *Broker) Err() error { return b.err }

// Stats returns what was seen so far.
func (b *Broker) Stats() Stats { return b.stats }

// Close gives up a request that is out and waits for the executor.
func (b *Broker) Close() {
	b.call.abandon()
	b.exec.Close()
}

// ask sends the policy the state; the executor owns the call until Done.
func (b *Broker) ask(now time.Duration, at *twinrig.Goal, s *twinrig.State) {
	b.call.renew()
	b.call.now, b.call.obs.State, b.call.at = now, *s, *at
	b.aim(now)
	b.asking, b.void, b.asked, b.deadline = true, false, now, now+b.cfg.Timeout
	if b.stats.Asked == 0 {
		b.first = now
	}
	b.stats.Asked++
	b.exec.Go(now, b.job)
}

// aim says where the answer will continue, and what the policy is told of that.
func (b *Broker) aim(now time.Duration) {
	c := &b.call
	c.first = b.line.begun == 0
	c.base, c.skip, c.composer = b.line.begun, 0, b.composer
	c.obs.Prefix, c.obs.Left = nil, nil
	if b.cfg.Chunking == Sequential {
		return
	}
	c.skip, c.composer = b.prefix(now), b.line.now
	if c.skip > 0 {
		c.composer = b.queue[c.skip-1].composer
	}
	c.ahead = c.ahead[:0]
	for i := range b.queue {
		c.ahead = append(c.ahead, b.queue[i].action)
	}
	if b.cfg.Chunking == RealTime {
		c.obs.Prefix, c.obs.Left = c.ahead[:c.skip], c.ahead[c.skip:]
	}
}

// collect takes or refuses an answer that is there, and gives up one that is
// not there in time. An answer to a request given up is dropped.
func (b *Broker) collect(now time.Duration) {
	if !b.asking {
		return
	}
	done := b.exec.Done(now)
	if done && b.void {
		b.asking = false
		return
	}
	if now >= b.deadline {
		// Also when the answer is there, but only now: late is late.
		b.call.abandon()
		b.void, b.asking = true, !done
		b.deadline = now + b.cfg.Timeout
		b.refuse(ReasonLate, fmt.Errorf("policy: no answer in %v", b.cfg.Timeout))
		return
	}
	if !done {
		return
	}
	b.asking = false
	if b.call.answered() && b.stats.addLatency(now-b.asked) {
		b.line.note(now - b.asked)
	}
	if b.call.err != nil {
		b.nextAsk = b.asked + b.period
		b.refuse(b.call.reason, b.call.err)
		return
	}
	b.splice()
	b.blind = false
}

func (b *Broker) refuse(r Reason, cause error) {
	b.stats.Refused[r]++
	b.stats.LastRefusal = cause.Error()
	b.refusedRow++
	b.blind = errors.Is(cause, ErrObserve)
	if b.refusedRow >= b.cfg.MaxRefused {
		b.err = fmt.Errorf("%w: %d chunks refused in a row: %w", ErrFault, b.refusedRow, cause)
	}
}

// take begins a control step when one is due.
func (b *Broker) take(now time.Duration) (twinrig.Goal, bool) {
	switch {
	case !b.started && len(b.queue) == 0:
		return twinrig.Goal{}, false
	case !b.started:
		b.started, b.due = true, now+b.period
		b.stats.Waited = now - b.first
	case now < b.due:
		return twinrig.Goal{}, false
	default:
		// A step that begins late is not made up for: the grid moves.
		b.step++
		if b.due += b.period; b.due <= now {
			b.due = now + b.period
		}
	}
	if len(b.queue) == 0 {
		b.stats.Idle++
		if b.gap < 0 {
			b.gap = now
		}
		return twinrig.Goal{}, false
	}
	if b.gap >= 0 {
		b.stats.addGap(Gap{Start: b.gap, Length: now - b.gap})
		b.gap = -1
	}
	st := b.queue[0]
	b.queue = b.queue[:copy(b.queue, b.queue[1:])]
	b.line.begun++
	b.line.now = st.composer
	b.judge(st.unreachable)
	return st.goal, true
}

// judge counts steps whose target did not advance; too many in a row are a
// fault.
func (b *Broker) judge(unreachable error) {
	if unreachable == nil {
		b.unreachableRow = 0
		return
	}
	b.stats.Unreachable++
	b.unreachableRow++
	if b.unreachableRow >= b.cfg.MaxUnreachable {
		b.err = fmt.Errorf("%w: %d control steps in a row did not advance: %w", ErrFault, b.unreachableRow, unreachable)
	}
}
