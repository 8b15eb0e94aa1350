package eval

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Runner runs one trial on a rig and tells what became of it. A rig that fails
// is a Result with HardwareFault, a policy that does is one with PolicyFault; an error means that the trial could not be
// run at all, or was interrupted: it leaves no result, and the study stops.
// RunTrial is called by one goroutine. It need not fill in Result.Trial.
type Runner interface {
	RunTrial(ctx context.Context, t Trial) (Result, error)
}

// Gate is a Runner that can tell, before a trial is begun, why none may be: a
// full disk. The study then stops, and goes on later as if nothing had been.
type Gate interface {
	MayBegin(t Trial) error
}

// Scorer is a Runner with a person who judges trials. Score is asked for each that
// counts and has no verdict, once it is on record; it writes to the ledger itself,
// or leaves the trial for later. An error stops the study.
type Scorer interface {
	Score(ctx context.Context, l *Ledger, r *Result) error
}

// Step tells a person what Run is doing: Result is nil before a trial, and its
// result after it. Done and Total are trials that count and trials wanted.
type Step struct {
	Trial       Trial
	Result      *Result
	Done, Total int
}

// Run runs the study's open trials in order until none is left, and goes on
// where an earlier Run stopped, however that ended. An attempt that does not
// count is repeated with the same placement: an invalid one until the study's
// MaxAttempts, then the trial is given up; one with a fault of the rig or the
// policy as often within this Run, which then stops and returns an error, for
// either needs a person. Changes of the plan hold from the next trial on; a stop
// rule ends the study at its block. Only one Run may be at work on a study; a
// second one is refused.
// progress may be nil.
func Run(ctx context.Context, s *Study, l *Ledger, r Runner, progress func(Step)) error {
	if s.Imported != nil {
		return fmt.Errorf("eval: study %s has outcomes from elsewhere (%s): it can be reported, not run", s.Name, s.Imported.File)
	}
	unlock, err := l.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if progress == nil {
		progress = func(Step) {}
	}
	faults := map[int]int{}
	plan := s
	for {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("eval: study %s: %w", s.Name, err)
		}
		changes, err := l.Changes()
		if err != nil {
			return err
		}
		s = plan.With(changes)
		at, err := l.Progress(s)
		if err != nil {
			return err
		}
		if at.Next == nil {
			return nil
		}
		if g, ok := r.(Gate); ok {
			if err := g.MayBegin(*at.Next); err != nil {
				return fmt.Errorf("eval: study %s: before trial %s: %w", s.Name, at.Next.ID, err)
			}
		}
		step := Step{Trial: *at.Next, Done: at.Done, Total: at.Total}
		progress(step)
		res, err := runTrial(ctx, l, r, step.Trial)
		if err != nil {
			return err
		}
		if res.Termination.Counted() {
			step.Done++
		}
		step.Result = res
		progress(step)
		if sc, ok := r.(Scorer); ok && res.Termination.Counted() && res.Verdict == nil {
			if err := sc.Score(ctx, l, res); err != nil {
				return fmt.Errorf("eval: study %s: %w", s.Name, err)
			}
		}
		if res.Termination != HardwareFault && res.Termination != PolicyFault {
			continue
		}
		if faults[step.Trial.Order]++; faults[step.Trial.Order] >= s.MaxAttempts {
			return fmt.Errorf("eval: trial %s: fault %d times in a row, last %s: %s",
				res.Trial.ID, s.MaxAttempts, strings.ReplaceAll(string(res.Termination), "_", " "), res.Note)
		}
	}
}

// runTrial runs one trial between its two entries in the ledger.
func runTrial(ctx context.Context, l *Ledger, r Runner, t Trial) (*Result, error) {
	if err := l.Begin(t); err != nil {
		return nil, err
	}
	res, err := r.RunTrial(ctx, t)
	if err != nil {
		err = fmt.Errorf("eval: trial %s: %w", t.ID, err)
		if noted := l.Note(t.ID, "trial_interrupted", err.Error()); noted != nil {
			return nil, fmt.Errorf("%w (and %w)", err, noted)
		}
		return nil, err
	}
	res.Trial = t
	res.settle()
	return &res, l.Finish(&res)
}

// lock keeps a second Run away for as long as this process lives.
func (l *Ledger) lock() (unlock func(), err error) {
	path := filepath.Join(l.dir, ".running")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("eval: ledger: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("eval: %s: the study is being run by another process: %w", path, err)
	}
	return func() { f.Close() }, nil
}
