package eval

import (
	"errors"
	"fmt"
	"slices"
)

// Label names one error of a failed trial.
type Label string

// The labels. WrongObject and WrongTarget are errors of understanding the task,
// all others of carrying it out. NoAttempt touched nothing; Unfinished did
// nothing wrong but ran out of time. OtherExecution and OtherSemantic are for
// outcomes from elsewhere that only say which kind a failure was, Unclassified
// for those that do not even say that: it is neither kind.
const (
	MissedGrasp  Label = "missed_grasp"
	Dropped      Label = "dropped"
	PlacedBeside Label = "placed_beside"
	OutOfReach   Label = "out_of_reach"
	Collision    Label = "collision"
	NoAttempt    Label = "no_attempt"
	Unfinished   Label = "unfinished"
	WrongObject  Label = "wrong_object"
	WrongTarget  Label = "wrong_target"

	OtherExecution Label = "other_execution"
	OtherSemantic  Label = "other_understanding"
	Unclassified   Label = "unclassified"
)

// Labels lists all labels, errors of execution first.
func Labels() []Label {
	return []Label{
		MissedGrasp, Dropped, PlacedBeside, OutOfReach, Collision, NoAttempt, Unfinished,
		OtherExecution, WrongObject, WrongTarget, OtherSemantic, Unclassified,
	}
}

// Semantic tells whether the label is an error of understanding the task.
func (l Label) Semantic() bool {
	return l == WrongObject || l == WrongTarget || l == OtherSemantic
}

// Verdict is a judgement of one trial.
type Verdict struct {
	// Success: the task was done before the time-out.
	Success bool `json:"success"`
	// Partial: the target object was grasped and lifted at any time.
	Partial bool `json:"partial_success"`
	// Labels are the errors of a failure; a failure without any is unlabelled
	// and blocks the report. A success has none.
	Labels []Label `json:"labels,omitempty"`
	// Source is what judged, with the version of its rules ("operator",
	// "virtual world's truth, rules 1"); Who is the person, if one did.
	Source string `json:"source"`
	Who    string `json:"who,omitempty"`
}

// Validate says what contradicts itself in a verdict.
func (v *Verdict) Validate() error {
	if v.Source == "" {
		return errors.New("verdict without its source")
	}
	if v.Success && len(v.Labels) > 0 {
		return fmt.Errorf("success with the failure label %q: log it as a recovered error", v.Labels[0])
	}
	for i, l := range v.Labels {
		if !slices.Contains(Labels(), l) {
			return fmt.Errorf("label %q is unknown", l)
		}
		if slices.Contains(v.Labels[:i], l) {
			return fmt.Errorf("label %q is there twice", l)
		}
	}
	return nil
}

// has tells whether any label is semantic, or any is of execution.
func (v *Verdict) has(semantic bool) bool {
	return slices.ContainsFunc(v.Labels, func(l Label) bool {
		return l != Unclassified && l.Semantic() == semantic
	})
}

// Amendment changes a trial's verdict or termination afterwards. Nothing is
// overwritten: the last amendment is what counts, all stay on record.
type Amendment struct {
	Who    string `json:"who"`
	Reason string `json:"reason"`
	// At is when, by the wall clock (RFC 3339). The ledger fills it in.
	At string `json:"at"`
	// Termination replaces the trial's; empty leaves it.
	Termination Termination `json:"termination,omitempty"`
	// Verdict replaces the trial's; nil leaves it, but a trial that no longer
	// counts has none.
	Verdict *Verdict `json:"verdict,omitempty"`
}

func (a *Amendment) validate() error {
	switch {
	case a.Who == "":
		return errors.New("amendment without who made it")
	case a.Reason == "":
		return errors.New("amendment without a reason")
	case a.Verdict == nil && a.Termination == "":
		return errors.New("amendment that changes nothing")
	}
	return nil
}

// apply lets the amendment take effect on r.
func (a *Amendment) apply(r *Result) {
	if a.Termination != "" {
		r.Termination = a.Termination
	}
	if a.Verdict != nil {
		r.Verdict = a.Verdict
	}
	if !r.Termination.Counted() {
		r.Verdict = nil
	}
	r.Amendments = append(r.Amendments, *a)
}
