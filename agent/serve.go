package agent

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"time"

	"twinrig"
)

// Serve ticks the loop until ctx is done or a tick panics, and then brings the
// arm to rest: hold, park, torque off. It returns what went wrong, nil after a
// stop in good order. Torque is off when it returns, or its error says that it
// could not be taken off.
func (r *Runner) Serve(ctx context.Context) error {
	err := r.guarded(func() {
		for ctx.Err() == nil {
			r.step()
		}
	})
	return errors.Join(err, r.rest())
}

// Stop brings a lockstep arm to rest; Serve does it by itself.
func (r *Runner) Stop() error { return r.rest() }

// HaltNow takes torque off at once, wherever the arm is: the answer to a second
// signal. It may be called from any goroutine.
func (r *Runner) HaltNow() error { return r.loop.deps.Arm.Halt() }

// guarded turns a panic into an error.
func (r *Runner) guarded(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("agent: panic in the loop: %v\n%s", p, debug.Stack())
		}
	}()
	f()
	return nil
}

// rest is the halt sequence. Whatever happens in it, torque goes off at its end;
// it is bounded in time and, should the clock fail, in ticks. It happens once.
func (r *Runner) rest() error {
	r.mu.Lock()
	again := r.resting
	r.resting, r.next, r.asked = true, nil, nil
	r.mu.Unlock()
	if again {
		return nil
	}
	r.loop.SetSource(Hold{}) // before a waiting Run has its source back
	close(r.stopping)
	err := r.guarded(r.park)
	if f := r.loop.fault; f != nil && !errors.Is(f, twinrig.ErrHalted) {
		err = errors.Join(err, f)
	}
	return errors.Join(err, r.loop.deps.Arm.Halt())
}

// park holds, folds the arm in where it points, by another way if the guard is against
// the direct one, and turns it to the front. A fault in which the arm still holds does
// not keep it from that.
func (r *Runner) park() {
	c := r.loop.cfg.Stop
	left := int(c.Limit/r.loop.period) + 1
	end := time.Duration(-1)
	run := func(src Source, limit time.Duration, until func(*twinrig.Report) bool) {
		r.loop.SetSource(src)
		for start := time.Duration(-1); left > 0; left-- {
			r.step()
			rep := &r.loop.report
			if start < 0 {
				start = rep.Now
			}
			if end < 0 {
				end = rep.Now + c.Limit
			}
			f := r.loop.fault
			unable := f != nil && (f.Halted || f.Lost)
			if unable || rep.Now >= end || rep.Now-start >= limit || until(rep) {
				return
			}
		}
	}
	run(Hold{}, c.Hold, func(*twinrig.Report) bool { return false })
	last := *r.loop.guard.Last()
	folded := c.Park
	folded[twinrig.Waist] = last.Joints[twinrig.Waist]
	get := func(q twinrig.Joints) (there bool) {
		run(NewMove(q, last.Grip, c.Speed), c.Limit, Arrived(q, math.Inf(1)))
		return r.loop.guard.Last().Joints.Sub(q).MaxAbs() < parkedNear
	}
	there := get(folded)
	for i := 0; !there && i < len(c.Via); i++ {
		via := c.Via[i]
		via[twinrig.Waist] = last.Joints[twinrig.Waist]
		there = get(via) && get(folded)
	}
	get(c.Park)
}

// parkedNear is how near, rad, the guard must have let the arm to a pose on its way to
// rest.
const parkedNear = 0.01

// Arrived tells whether the arm stands within tol rad of q.
func Arrived(q twinrig.Joints, tol float64) func(*twinrig.Report) bool {
	return func(r *twinrig.Report) bool {
		return r.Asked.Velocity.MaxAbs() == 0 && r.Asked.Joints.Sub(q).MaxAbs() < 1e-6 &&
			r.State.Measured.Sub(q).MaxAbs() < tol && r.State.Velocity.MaxAbs() < 0.1
	}
}
