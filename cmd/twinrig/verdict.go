package main

import (
	"fmt"
	"strings"
	"time"

	"twinrig/agent"
	"twinrig/eval"
	"twinrig/sim/scene"
)

// finish turns what was seen into the result, and logs how it ended.
func (t *trial) finish(res *eval.Result, end agent.TrialEnd, runErr error) {
	t.mirrored(res)
	if t.person != nil {
		t.scored(res, end.Ended, runErr)
		return
	}
	out := t.judge.Outcome()
	res.TGrasp, res.TLift = t.since(out.Grasp), t.since(out.Lift)
	if out.Succeeded() {
		res.TSuccess = t.since(out.Success)
	}
	res.Unstable = out.Unstable
	switch {
	case runErr != nil:
	case t.failed != nil:
		res.Termination = eval.Invalid
		note(res, t.failed.Error())
	case out.Invalid != "":
		res.Termination = eval.Invalid
		note(res, out.Invalid)
	case out.Succeeded():
		res.Termination = eval.Success
	default:
		res.Termination = eval.Timeout
	}
	if res.Termination.Counted() {
		res.Verdict = &eval.Verdict{
			Success: out.Succeeded(), Partial: out.PickedUp(), Labels: labels(out.Labels),
			Source: t.operator.Source(),
		}
		res.Recovered = labels(out.Recovered)
	}
	t.event(end.Ended, "trial_end", strings.TrimSpace(string(res.Termination)+" "+res.Note))
	t.pictures.choose(&t.spec, t.stage, &out)
}

// mirrored takes the mirror's part into the result. A mirror that failed or lost
// reports leaves no number, and a note that says so: the trial counts all the
// same.
func (t *trial) mirrored(res *eval.Result) {
	gaps, err := t.stage.mirror.Gaps()
	if err == nil {
		err = t.complete()
	}
	// In lockstep the gaps are written here, in their order, so that the file
	// does not depend on how two goroutines took turns.
	if t.lockstep {
		for i := range gaps {
			t.rec.PutGap(&gaps[i])
		}
	}
	if err != nil {
		note(res, "no gap: "+err.Error())
		return
	}
	out := t.stage.judge.Outcome()
	res.Gap = eval.GapOf(gaps)
	res.Mirror = &eval.Mirror{Success: out.Succeeded(), Partial: out.PickedUp()}
}

// complete tells whether the mirror followed every report.
func (t *trial) complete() error {
	if n := t.cell.relay.Dropped() - t.lost; n > 0 {
		return fmt.Errorf("%d reports found no room on their way to log and mirror, which were stuck", n)
	}
	s, err := t.stage.mirror.Summary()
	if err == nil && !s.Complete() {
		err = fmt.Errorf("the mirror fell behind and lost %d of %d reports", s.Dropped, s.Dropped+s.Reports)
	}
	return err
}

// note adds a line to the result's note.
func note(res *eval.Result, line string) {
	if res.Note != "" {
		line = res.Note + "; " + line
	}
	res.Note = line
}

// since is a judge's time in s after the first action, nil for never.
func (t *trial) since(at time.Duration) *float64 {
	if at == scene.Never {
		return nil
	}
	s := (at - t.began).Seconds()
	return &s
}

// labels spells the judge's labels as the evaluation's: they are the same words.
func labels(ls []scene.Label) []eval.Label {
	var out []eval.Label
	for _, l := range ls {
		out = append(out, eval.Label(l))
	}
	return out
}
