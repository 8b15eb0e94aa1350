package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"twinrig/eval"
	"twinrig/sim/scene"
)

// person is the operator of a real arm, at a terminal. One line at a time goes
// either way, so that it also works through a pipe; a person reads, presses a key
// and Enter.
type person struct {
	name  string
	w     io.Writer
	lines chan string // what was typed; closed at the input's end
}

// newPerson listens to r until its end.
func newPerson(name string, r io.Reader, w io.Writer) *person {
	p := &person{name: name, w: w, lines: make(chan string)}
	go func() {
		defer close(p.lines)
		for in := bufio.NewScanner(r); in.Scan(); {
			p.lines <- strings.TrimSpace(in.Text())
		}
	}()
	return p
}

// errGone is an operator whose input has ended.
var errGone = fmt.Errorf("the operator's input has ended: %w", io.EOF)

// answer waits for a line.
func (p *person) answer(ctx context.Context) (string, error) {
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case line, ok := <-p.lines:
		if !ok {
			return "", errGone
		}
		return line, nil
	}
}

// hush drops what was typed before a question: it is no answer to it.
func (p *person) hush() {
	for {
		select {
		case _, ok := <-p.lines:
			if ok {
				continue
			}
		default:
		}
		return
	}
}

// Stage implements operator: it says what goes where and waits.
func (p *person) Stage(ctx context.Context, s *scene.Scene, at scene.Placement, _ uint64) error {
	p.hush()
	fmt.Fprintf(p.w, "\nScene %s: %q\nPlace, from the middle of the base (x forward, y to the left, turned to the left from above):\n", s.Name, s.Instruction)
	for i := range s.Objects {
		o := &s.Objects[i]
		spot := at[o.Name]
		fmt.Fprintf(p.w, "  %-18s x %4.0f mm   y %+4.0f mm   turned %4.0f deg\n",
			strings.ReplaceAll(o.Name, "_", " "), 1000*spot.X, 1000*spot.Y, spot.Yaw*180/math.Pi)
	}
	fmt.Fprintln(p.w, "Enter starts the trial.")
	_, err := p.answer(ctx)
	return err
}

// See implements operator: nobody knows what is really there.
func (p *person) See(func(scene.View) error) error { return nil }

// Source implements operator.
func (p *person) Source() string { return "operator" }

// call is what a person calls out in a trial.
type call uint8

const (
	nothing call = iota
	callSuccess
	callStop
	callEStop
)

// begin tells what may be called from now on.
func (p *person) begin(t *eval.Trial) {
	p.hush()
	fmt.Fprintf(p.w, "Policy %s is driving, %.0f s at most. s: it is done; x: stop; e: stop, it was about to do damage.\n", t.Policy, t.Timeout)
}

// called is what was called since the last time, without waiting.
func (p *person) called() call {
	select {
	case line := <-p.lines: // "" for ever once nobody is there: the time-out is
		switch strings.ToLower(line) {
		case "": // a slip of the finger
		case "s":
			return callSuccess
		case "x":
			return callStop
		case "e":
			return callEStop
		default:
			fmt.Fprintf(p.w, "%q is none of s, x, e\n", line)
		}
	default:
	}
	return nothing
}

// judge asks for the verdict on a trial that has ended. Nil is left for later;
// invalid says why a trial does not count.
func (p *person) judge(ctx context.Context, id string, proposed *eval.Verdict) (v *eval.Verdict, invalid string, err error) {
	p.hush()
	fmt.Fprintf(p.w, "%s has ended. Was it done?\n", id)
	fmt.Fprintln(p.w, "  s: success   f LABELS: failure   p LABELS: failure, but grasped and lifted   i WHY: does not count   l: later")
	fmt.Fprintf(p.w, "  labels: %s\n", strings.Join(append(words(false), words(true)...), " "))
	if proposed != nil {
		fmt.Fprintf(p.w, "  Enter accepts the proposal: %s\n", verdictLine(proposed))
	}
	for {
		line, err := p.answer(ctx)
		if err != nil {
			return nil, "", err
		}
		if line == "" && proposed != nil {
			line = verdictLine(proposed)
		}
		v, invalid, err := readVerdict(line)
		if err == nil {
			if v != nil {
				v.Source, v.Who = p.Source(), p.name
			}
			return v, invalid, nil
		}
		fmt.Fprintf(p.w, "%v; again, please\n", err)
	}
}

// hear tells, at a control step, whether a person or the time-out ends the trial.
// At the first step the policy has only just begun, and nothing can be done yet.
func (t *trial) hear(now time.Duration) bool {
	if now == t.began {
		t.person.begin(&t.spec)
		return false
	}
	t.call = t.person.called()
	return t.call != nothing || now-t.began >= seconds(t.spec.Timeout)
}

// scored turns a trial that a person watched into its result: nobody but the
// person knows whether it was done, and the verdict comes once the trial is on
// record.
func (t *trial) scored(res *eval.Result, ended time.Duration, runErr error) {
	seen := t.stage.judge.Outcome()
	switch {
	case runErr != nil:
	case t.call == callSuccess:
		res.Termination, res.TSuccess = eval.Success, t.since(ended)
	case t.call == callStop:
		res.Termination = eval.OperatorStop
	case t.call == callEStop:
		res.Termination = eval.EStop
	default:
		res.Termination = eval.Timeout
	}
	t.event(ended, "trial_end", strings.TrimSpace(string(res.Termination)+" "+res.Note))
	t.pictures.choose(&t.spec, t.stage, &seen)
}
