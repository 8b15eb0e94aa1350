package outside

import (
	"slices"
	"strings"

	"twinrig/eval"
)

// trialColumns are those of one row for each trial; all but the first three may
// be missing. This program's own trials.csv has this layout.
var trialColumns = []column{
	{"scene", nil},
	{"policy", nil},
	{"success", []string{"SR"}},
	{"trial_id", []string{"id"}},
	{"instruction", []string{"command"}},
	{"checkpoint", nil},
	{"placement_id", []string{"placement", "trial"}},
	{"order", nil},
	{"attempt", nil},
	{"seed", nil},
	{"partial_success", []string{"partial", "PSR"}},
	{"labels", []string{"failure_labels"}},
	{"DFR", []string{"dynamics_failure"}},
	{"SFR", []string{"semantic_failure"}},
	{"t_success_s", []string{"TF_s", "TF"}},
	{"termination", nil},
	{"note", nil},
	{"who", []string{"operator"}},
	{"verdict_source", nil},
	{"mirror_success", []string{"sim_success"}},
}

// outcome is one trial from elsewhere.
type outcome struct {
	line                        int
	scene, policy               string
	id, instruction, checkpoint string
	placement                   int
	order                       *int
	termination                 eval.Termination
	note, source, who           string
	verdict                     *eval.Verdict
	seconds                     *float64
	mirror                      *bool
}

func readTrials(t *rows) ([]outcome, error) {
	if err := t.need("scene", "policy", "success"); err != nil {
		return nil, err
	}
	var all []outcome
	ids := map[string]int{}
	for i := range t.rows {
		r := &t.rows[i]
		o, err := readTrial(r)
		if err != nil {
			return nil, err
		}
		if line, twice := ids[o.id]; twice && o.id != "" {
			return nil, r.wrong("trial_id", "%s is in line %d already", o.id, line)
		}
		ids[o.id] = r.line
		all = append(all, o)
	}
	return all, nil
}

func readTrial(r *row) (outcome, error) {
	o := outcome{
		line: r.line, scene: r.text("scene"), policy: r.text("policy"), id: r.text("trial_id"),
		instruction: r.text("instruction"), checkpoint: r.text("checkpoint"),
		note: r.text("note"), source: r.text("verdict_source"), who: r.text("who"), placement: -1,
	}
	for _, name := range []string{"scene", "policy", "trial_id"} {
		if name == "trial_id" && o.id == "" {
			continue
		}
		if err := fitName(r, name); err != nil {
			return o, err
		}
	}
	placement, err := r.count("placement_id", 0, mostTrials)
	if err != nil {
		return o, err
	}
	if placement != nil {
		o.placement = *placement
	} else if r.of.has("placement_id") {
		return o, r.wrong("placement_id", "is empty")
	}
	if o.order, err = r.count("order", 0, mostTrials); err != nil {
		return o, err
	}
	if o.seconds, err = r.number("t_success_s", 0, 1e6); err != nil {
		return o, err
	}
	if o.mirror, err = r.yes("mirror_success"); err != nil {
		return o, err
	}
	return o, o.judge(r)
}

// judge reads what became of the trial.
func (o *outcome) judge(r *row) error {
	o.termination = eval.Termination(strings.ToLower(r.text("termination")))
	known := []eval.Termination{"", eval.Success, eval.Timeout, eval.OperatorStop, eval.EStop, eval.HardwareFault, eval.PolicyFault, eval.Invalid}
	if !slices.Contains(known, o.termination) {
		return r.wrong("termination", "%q is none of %v", o.termination, known[1:])
	}
	if o.termination != "" && !o.termination.Counted() {
		o.seconds, o.mirror = nil, nil
		return nil
	}
	success, err := r.yes("success")
	if err != nil {
		return err
	}
	if success == nil {
		return r.wrong("success", "is empty: 1 or 0, or a termination hardware_fault, policy_fault or invalid")
	}
	v := &eval.Verdict{Success: *success, Partial: *success}
	partial, err := r.yes("partial_success")
	if err != nil {
		return err
	}
	if partial != nil {
		v.Partial = *partial
	}
	if v.Labels, err = readLabels(r, v.Success); err != nil {
		return err
	}
	o.verdict = v
	if !v.Success && o.seconds != nil {
		return r.wrong("t_success_s", "%v for a failure", *o.seconds)
	}
	if o.termination == "" {
		o.termination = eval.Timeout
		if v.Success {
			o.termination = eval.Success
		}
	}
	return nil
}

// readLabels takes the failure's labels, else its kinds, else says that neither
// is stated.
func readLabels(r *row, success bool) ([]eval.Label, error) {
	var labels []eval.Label
	for _, word := range strings.FieldsFunc(r.text("labels"), func(c rune) bool { return strings.ContainsRune(" |;,", c) }) {
		l := eval.Label(strings.ToLower(word))
		if !slices.Contains(eval.Labels(), l) {
			return nil, r.wrong("labels", "%q is none of %v", word, eval.Labels())
		}
		labels = append(labels, l)
	}
	for _, kind := range []struct {
		name  string
		label eval.Label
	}{{"DFR", eval.OtherExecution}, {"SFR", eval.OtherSemantic}} {
		has, err := r.yes(kind.name)
		if err != nil {
			return nil, err
		}
		if has != nil && *has && !slices.ContainsFunc(labels, func(l eval.Label) bool { return l.Semantic() == kind.label.Semantic() }) {
			labels = append(labels, kind.label)
		}
	}
	switch {
	case success && len(labels) > 0:
		return nil, r.wrong("labels", "a success has the failure label %s", labels[0])
	case !success && len(labels) == 0 && (r.of.has("labels") || r.of.has("DFR") || r.of.has("SFR")):
		return nil, r.wrong("labels", "a failure needs at least one; %s if nothing is known", eval.Unclassified)
	case !success && len(labels) == 0:
		return []eval.Label{eval.Unclassified}, nil
	}
	return labels, nil
}
