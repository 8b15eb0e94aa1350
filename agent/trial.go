package agent

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"twinrig"
	"twinrig/policy"
)

// ErrNotThere is returned when the arm did not reach the pose it was sent to.
var ErrNotThere = errors.New("arm did not get there")

// MoveTo moves in joint space to q, the gripper to grip, and returns when the
// arm stands within tol rad of it.
func (r *Runner) MoveTo(ctx context.Context, q twinrig.Joints, grip twinrig.Grip, tol float64) error {
	var last twinrig.Report
	arrived := Arrived(q, tol)
	end, err := r.Run(ctx, NewMove(q, grip, r.loop.cfg.Motion.Move), func(rep *twinrig.Report) bool {
		last = *rep
		return arrived(rep)
	}, moveLimit(r.loop.cfg.Motion.Move))
	if err != nil {
		return err
	}
	if end != EndDone {
		return fmt.Errorf("agent: move: %w: %s", ErrNotThere, farthest(q, &last))
	}
	return nil
}

// moveLimit is ample for the longest move there is, from limit to limit.
func moveLimit(s Speed) time.Duration {
	d := 1.875*2*math.Pi/s.Velocity + math.Sqrt(5.78*2*math.Pi/s.Acceleration)
	return time.Duration(d*float64(time.Second)) + 3*time.Second
}

// farthest names the joint that is farthest from where it should be, and what the
// guard has against it.
func farthest(want twinrig.Joints, r *twinrig.Report) string {
	worst := 0
	d := r.State.Measured.Sub(want)
	for i := range d {
		if math.Abs(d[i]) > math.Abs(d[worst]) {
			worst = i
		}
	}
	off := fmt.Sprintf("%s is %+.2f deg off", twinrig.AxisNames[worst], d[worst]*180/math.Pi)
	if r.Guard != 0 {
		off += ", held by the guard: " + strings.Join(r.Guard.Names(), ", ")
	}
	return off
}

// Trial is what one trial needs from the arm.
type Trial struct {
	// Start is the pose to begin from, with the gripper open, and StartTol how
	// near it must be, rad.
	Start    twinrig.Joints
	StartTol float64
	// Policy drives; Broker says how its answers are taken, and Deps.Executor
	// where it thinks. The trial closes the executor.
	Broker policy.Config
	Deps   policy.Deps
	// Ready is asked once the arm stands at the start pose; an error closes
	// the trial before it begins. It may be nil.
	Ready func(*twinrig.Report) error
	// Judge is asked at each control step, also at those the policy was late
	// for, and ends the trial by saying true.
	Judge func(*twinrig.Report) bool
	// Limit is the longest the policy may drive.
	Limit time.Duration
}

// TrialEnd is how a trial ended on the arm's side.
type TrialEnd struct {
	End    End
	Policy policy.Stats
	// Began and Ended are when the policy drove; Steps is how many control
	// steps it had.
	Began, Ended time.Duration
	Steps        int
	// Guard counts the interventions while it drove, in the order of the bits
	// of twinrig.Intervention.
	Guard [NumInterventions]uint64
}

// RunTrial moves to the start pose, lets the policy drive until the judge or the
// limit ends it, and holds. Where the arm goes next is the caller's affair.
func (r *Runner) RunTrial(ctx context.Context, t Trial) (end TrialEnd, err error) {
	defer func() {
		if t.Deps.Executor != nil {
			t.Deps.Executor.Close()
		}
	}()
	if err := r.MoveTo(ctx, t.Start, 1, t.StartTol); err != nil {
		return end, fmt.Errorf("agent: start pose: %w", err)
	}
	if t.Ready != nil {
		var rep twinrig.Report
		r.Latest(&rep)
		if err := t.Ready(&rep); err != nil {
			return end, fmt.Errorf("agent: start gate: %w", err)
		}
	}
	if err := t.Deps.Policy.Reset(ctx); err != nil {
		return end, fmt.Errorf("agent: %w: reset: %w", policy.ErrFault, err)
	}
	thinking, cancel := context.WithCancel(ctx)
	defer cancel() // before the executor is closed: it may be thinking
	b, err := policy.NewBroker(thinking, t.Broker, t.Deps)
	if err != nil {
		return end, err
	}
	watch := watcher{judge: t.Judge, period: b.Spec().Period()}
	before := r.Interventions()
	end.End, err = r.Run(ctx, NewFollow(b, r.loop.cfg.Motion), watch.until, t.Limit)
	end.Policy, end.Steps = b.Stats(), watch.steps
	end.Began, end.Ended = watch.began, watch.now
	for i, n := range r.Interventions() {
		end.Guard[i] = n - before[i]
	}
	return end, err
}

// watcher asks the judge once a control step.
type watcher struct {
	judge      func(*twinrig.Report) bool
	period     time.Duration
	started    bool
	began, now time.Duration
	next       time.Duration
	steps      int
}

func (w *watcher) until(rep *twinrig.Report) bool {
	if !w.started {
		w.started, w.began, w.next = true, rep.Now, rep.Now
	}
	w.now = rep.Now
	if rep.Now < w.next {
		return false
	}
	w.steps++
	if w.next += w.period; w.next <= rep.Now {
		w.next = rep.Now + w.period
	}
	return w.judge(rep)
}
