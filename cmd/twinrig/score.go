package main

import (
	"context"
	"fmt"

	"twinrig/eval"
	"twinrig/sim/scene"
)

// Score implements eval.Scorer: on a real arm a person gives the verdict once the
// trial is on record, so that none is lost while somebody thinks.
func (k *kept) Score(ctx context.Context, l *eval.Ledger, r *eval.Result) error {
	p := k.rig.person
	if p == nil || r.Verdict != nil {
		return nil
	}
	var seen *scene.Outcome
	if r.Mirror != nil {
		out := k.rig.stages[r.Trial.Scene].judge.Outcome()
		seen = &out
	}
	proposed := proposal(r, seen)
	if proposed != nil {
		if err := l.Note(r.Trial.ID, "proposal", verdictLine(proposed)+", by the mirror"); err != nil {
			return err
		}
	}
	v, invalid, err := p.judge(ctx, r.Trial.ID, proposed)
	switch {
	case err != nil:
		return fmt.Errorf("the verdict on %s (`twinrig eval label` gives it later): %w", r.Trial.ID, err)
	case invalid != "":
		return l.Amend(r.Trial.ID, eval.Amendment{Who: p.name, Reason: invalid, Termination: eval.Invalid})
	case v == nil:
		return nil
	}
	return l.Judge(r.Trial.ID, v)
}

// gate refuses a trial on a real arm whose camera is not alive.
func (t *trial) gate() error {
	if t.person == nil {
		return nil
	}
	if err := t.cell.camera.Latest(&t.frame); err != nil {
		return fmt.Errorf("%w: %w", errCamera, err)
	}
	return nil
}
