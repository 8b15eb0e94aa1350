package main

import (
	"context"
	"fmt"
	"strings"

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

// proposal is the mirror's idea of a trial's outcome, for a person to decide.
func proposal(r *eval.Result, seen *scene.Outcome) *eval.Verdict {
	if r.Termination == eval.Success {
		return &eval.Verdict{Success: true, Partial: true}
	}
	if seen == nil {
		return nil
	}
	v := &eval.Verdict{Partial: seen.PickedUp()}
	if seen.Succeeded() {
		v.Success, v.Partial = true, true
		return v
	}
	v.Labels = labels(seen.Labels)
	return v
}

// verdictLine is how one types a verdict.
func verdictLine(v *eval.Verdict) string {
	if v.Success {
		return "s"
	}
	line := "f"
	if v.Partial {
		line = "p"
	}
	for _, l := range v.Labels {
		line += " " + string(l)
	}
	return line
}

// readVerdict reads what was typed; a label may be cut short as long as it is
// clear.
func readVerdict(line string) (v *eval.Verdict, invalid string, err error) {
	key, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch strings.ToLower(key) {
	case "s":
		return &eval.Verdict{Success: true, Partial: true}, "", nil
	case "l":
		return nil, "", nil
	case "i":
		if rest == "" {
			return nil, "", fmt.Errorf("i wants the reason behind it")
		}
		return nil, rest, nil
	case "f", "p":
		v = &eval.Verdict{Partial: strings.EqualFold(key, "p")}
		for _, word := range strings.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == ',' }) {
			l, err := labelOf(word)
			if err != nil {
				return nil, "", err
			}
			v.Labels = append(v.Labels, l)
		}
		if len(v.Labels) == 0 {
			return nil, "", fmt.Errorf("a failure wants at least one label")
		}
		v.Source = "operator"
		return v, "", v.Validate()
	}
	return nil, "", fmt.Errorf("%q is none of s, f LABELS, p LABELS, i WHY, l", line)
}

func labelOf(word string) (eval.Label, error) {
	var found []string
	for _, w := range append(words(false), words(true)...) {
		if w == word {
			return eval.Label(w), nil
		}
		if strings.HasPrefix(w, word) {
			found = append(found, w)
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("label %q may be any of %v", word, found)
	}
	return eval.Label(found[0]), nil
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
