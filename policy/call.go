package policy

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"twinrig"
)

// Observer completes an observation with what is not in the arm's state: the
// frames and the instruction. It is called where inference runs, never in the
// control tick. It errs when a camera's picture is too old to act on.
type Observer interface {
	Observe(now time.Duration, o *twinrig.Observation) error
}

// step is one composed control step.
type step struct {
	goal        twinrig.Goal
	unreachable error
	// action is what it was made of, composer as it stands after it.
	action   twinrig.Action
	composer Composer
}

// call is one request to the policy. Between Executor.Go and Done it belongs to
// the executor, but for abandon.
type call struct {
	pol      Policy
	observer Observer
	spec     Spec
	cfg      *Config

	// The question, and the composer as it stands after the waiting goals.
	ctx      context.Context
	now      time.Duration
	obs      twinrig.Observation
	first    bool
	at       twinrig.Goal
	composer Composer
	// base is the number of the answer's first action, skip how many of its actions
	// are begun from what waits already; ahead are those that wait.
	base, skip int
	ahead      []twinrig.Action
	ensemble   ensemble

	// The answer.
	steps  []step
	reason Reason
	err    error

	mu        sync.Mutex
	cancel    context.CancelFunc
	abandoned bool
}

// run asks the policy, checks the chunk whole and composes its goals. A panic
// in a policy is an error of that answer.
func (c *call) run() {
	defer func() {
		if p := recover(); p != nil {
			c.reason, c.err = ReasonError, fmt.Errorf("policy: panic: %v", p)
		}
	}()
	// Where time is virtual it stands still here: only the machine's clock can tell
	// that a server is silent.
	ctx, cancel := context.WithTimeout(c.ctx, c.cfg.Timeout)
	defer cancel()
	c.mu.Lock()
	c.cancel = cancel
	if c.abandoned {
		cancel()
	}
	c.mu.Unlock()

	c.steps, c.reason, c.err = c.steps[:0], ReasonError, nil
	if c.observer != nil {
		if err := c.observer.Observe(c.now, &c.obs); err != nil {
			c.err = fmt.Errorf("policy: %w: %w", ErrObserve, err)
			return
		}
	}
	chunk, err := c.pol.Act(ctx, &c.obs)
	if err != nil {
		c.err = fmt.Errorf("policy: act: %w", err)
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			c.reason, c.err = ReasonLate, fmt.Errorf("policy: no answer in %v: %w", c.cfg.Timeout, err)
		}
		return
	}
	if c.reason, err = Check(chunk, c.spec, c.cfg); err != nil {
		c.err = fmt.Errorf("policy: %w", err)
		return
	}
	if c.first {
		c.composer.Start(c.at.Joints, c.at.Grip)
	}
	for _, a := range c.use(chunk) {
		goal, unreachable := c.composer.Compose(a)
		c.steps = append(c.steps, step{goal, unreachable, a, c.composer})
	}
}

// use is what is executed of a chunk.
func (c *call) use(chunk Chunk) Chunk {
	switch c.cfg.Chunking {
	case Sequential:
		return chunk[:c.spec.Execute]
	case Ensemble:
		chunk = c.ensemble.add(c.base, chunk, c.cfg.EnsembleDecay)
	}
	return chunk[min(c.skip, len(chunk)):]
}

// answered tells whether an answer came in time, whatever it was worth.
func (c *call) answered() bool {
	return c.err == nil || c.reason != ReasonError && c.reason != ReasonLate
}

// abandon tells a running policy to stop, and makes its answer void.
func (c *call) abandon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.abandoned = true
	if c.cancel != nil {
		c.cancel()
	}
}

// renew makes the call ready for a new question.
func (c *call) renew() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.abandoned, c.cancel = false, nil
}
