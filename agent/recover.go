package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"twinrig"
)

// Recoverable is an Arm that can come back from a fault.
type Recoverable interface {
	// Repair brings servos that stopped obeying back into service while the
	// others hold. It is called once between a Read and a Write until it is
	// done or fails.
	Repair(now time.Duration) (done bool, err error)
	// Recover makes an arm that was out of reach ready for Enable. It fails at
	// once while it still is.
	Recover() error
}

// RecoveryConfig bounds how a fault is recovered from.
type RecoveryConfig struct {
	// CoolDown is how long the arm stands after a servo's own alarm before the
	// servo is restarted.
	CoolDown time.Duration `yaml:"cool_down"`
	// Attempts is how often that is tried.
	Attempts int `yaml:"attempts"`
	// Patience is how long an arm that is out of reach is waited for.
	Patience time.Duration `yaml:"patience"`
}

// recoverPause is between two attempts to reach an arm that is out of reach.
const recoverPause = 500 * time.Millisecond

// repair is a repair under way on a loop, and how it ended.
type repair struct {
	done bool
	err  error
}

// mend goes on with a repair, and ends the fault with it.
func (l *Loop) mend(now time.Duration) {
	m := l.repair
	arm, able := l.deps.Arm.(Recoverable)
	if m == nil || m.done || !able {
		return
	}
	m.done, m.err = arm.Repair(now)
	switch {
	case m.err != nil:
		m.done = true
	case m.done:
		l.clear()
	}
}

// revive makes an arm that was out of reach hold where it is.
func (l *Loop) revive() error {
	arm, able := l.deps.Arm.(Recoverable)
	if !able {
		return errors.New("agent: this arm cannot be recovered")
	}
	if err := arm.Recover(); err != nil {
		return fmt.Errorf("agent: %w", err)
	}
	return l.Rearm()
}

// Recover ends a fault if it can be: servos with an alarm are given time and
// restarted while the arm holds, and an arm that is out of reach (power, cable) is
// waited for. say, which may be nil, is told what is being done. It returns why
// the fault is still there, nil if there is none. An arm that was halted is left
// alone: somebody wanted that.
func (r *Runner) Recover(ctx context.Context, say func(string)) error {
	r.running.Lock()
	defer r.running.Unlock()
	if say == nil {
		say = func(string) {}
	}
	f, err := r.settle(ctx)
	if err != nil || f == nil {
		return err
	}
	cfg := r.loop.cfg.Recovery
	if !f.Halted && !f.Lost {
		if err = r.repairs(ctx, f, say); err == nil || !errors.Is(f, twinrig.ErrHold) {
			return err
		}
	}
	if f.Halted {
		return f
	}
	say(fmt.Sprintf("the arm is out of reach, waiting up to %v: %v", cfg.Patience, f))
	for end := r.now() + cfg.Patience; ; {
		if err = r.do(ctx, (*Loop).revive); err == nil {
			return nil
		}
		if r.now() >= end {
			return errors.Join(f, err)
		}
		if err := r.wait(ctx, recoverPause); err != nil {
			return err
		}
	}
}

// AwaitFault waits until the loop has a fault, and returns it; or ErrStopped when
// the loop was stopped for good, or ctx's error. It is for a live runner.
func (r *Runner) AwaitFault(ctx context.Context) (fault, err error) {
	r.running.Lock()
	defer r.running.Unlock()
	_, err = r.await(ctx, func(s *slot) (End, bool, error) {
		fault = s.fault
		return 0, s.fault != nil, nil
	})
	return fault, err
}

// settle lets one tick pass and returns a copy of the fault there is then.
func (r *Runner) settle(ctx context.Context) (*Fault, error) {
	if err := r.wait(ctx, 0); err != nil {
		return nil, err
	}
	var f *Fault
	err := r.do(ctx, func(l *Loop) error {
		if l.fault != nil {
			now := *l.fault
			f = &now
		}
		return nil
	})
	return f, err
}

// repairs repairs an arm that holds.
func (r *Runner) repairs(ctx context.Context, f *Fault, say func(string)) error {
	cfg := r.loop.cfg.Recovery
	err := error(f)
	for try := range cfg.Attempts {
		var hw *HardwareError
		if errors.As(f, &hw) {
			say(fmt.Sprintf("%v; the arm holds, restarting it in %v (attempt %d of %d)", f, cfg.CoolDown, try+1, cfg.Attempts))
			if err := r.wait(ctx, cfg.CoolDown); err != nil {
				return err
			}
		}
		if err = r.repairOnce(ctx); err == nil {
			say("the arm is repaired")
			return nil
		}
		say(err.Error())
	}
	return errors.Join(f, err)
}

func (r *Runner) repairOnce(ctx context.Context) error {
	m := &repair{}
	if err := r.do(ctx, func(l *Loop) error { l.repair = m; return nil }); err != nil {
		return err
	}
	over := false
	for !over {
		if err := r.wait(ctx, 0); err != nil {
			return err
		}
		err := r.do(ctx, func(l *Loop) error {
			// A loop that has lost the arm repairs nothing.
			over = m.done || l.fault != nil && (l.fault.Lost || l.fault.Halted)
			if over && !m.done {
				m.err = l.fault
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return m.err
}
