package report

import (
	"fmt"

	"twinrig/eval"
)

// PlanJSON is what was settled before the first trial, and what became of it.
type PlanJSON struct {
	Primary string `json:"primary"`
	Power   string `json:"power"`
	// Stop is null for a fixed number of trials.
	Stop *StopJSON `json:"stop"`
	// Commitment is empty for an open study, Letters null until a blinded one is
	// closed.
	Commitment string            `json:"commitment"`
	Letters    map[string]string `json:"letters"`
	Changes    []eval.Change     `json:"changes"`
	Closed     *eval.Closing     `json:"closed"`
}

// StopJSON is the stop rule and where it stands.
type StopJSON struct {
	Test    string    `json:"test"`
	Alpha   float64   `json:"alpha"`
	Between [2]string `json:"between"`
	eval.Evidence
}

func (r *Report) planJSON() PlanJSON {
	p := PlanJSON{
		Primary: eval.PrimarySR, Power: r.Study.Power, Commitment: r.Study.Commitment,
		Changes: append([]eval.Change{}, r.Standing.Changes...), Closed: r.Standing.Closed,
	}
	if s := r.Study.Stop; s != nil {
		p.Stop = &StopJSON{Test: s.Test, Alpha: s.Alpha, Between: s.Between, Evidence: *r.Evidence}
	}
	if seal := r.Standing.Seal; seal != nil {
		p.Letters = map[string]string{}
		for _, l := range seal.Letters() {
			is, _ := seal.Policy(l.Name)
			p.Letters[l.Name] = is.Name
		}
	}
	return p
}

// PlanLines say in words how the study was designed, and what was changed.
func (r *Report) PlanLines() []string {
	var lines []string
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if r.Study.Power != "" {
		add("Planned: %s", r.Study.Power)
	}
	if s := r.Study.Stop; s != nil {
		ev := r.Evidence
		state := "has not been reached"
		if ev.Stopped {
			state = "ended the study"
		}
		add("Stop rule: %s e-process between %s and %s at %g; it %s: %d pairs, E = %.4g that %s is better, %.4g that %s is, anytime p = %.3g.",
			s.Test, s.Between[0], s.Between[1], s.Alpha, state, ev.Pairs, ev.EA, s.Between[0], ev.EB, s.Between[1], ev.P)
	}
	switch seal := r.Standing.Seal; {
	case r.Study.Commitment == "":
	case seal == nil:
		add("Blinded: letters stand for the policies until the study is closed. Commitment: SHA-256 %s.", r.Study.Commitment)
	default:
		said := ""
		for i, l := range seal.Letters() {
			is, _ := seal.Policy(l.Name)
			if i > 0 {
				said += ", "
			}
			said += l.Name + " was " + is.Name
		}
		add("Blinded until it was closed: %s, as committed to (SHA-256 %s).", said, r.Study.Commitment)
	}
	for _, c := range r.Standing.Changes {
		add("%s", changeText(&c))
	}
	if c := r.Standing.Closed; c != nil {
		add("Closed by %s at %s.", c.Who, c.At)
	}
	return lines
}

// changeText says what a change of the plan set, and why.
func changeText(c *eval.Change) string {
	what := ""
	say := func(format string, args ...any) {
		if what != "" {
			what += ", "
		}
		what += fmt.Sprintf(format, args...)
	}
	if c.Timeout > 0 {
		say("time-out %g s", c.Timeout)
	}
	if c.MaxAttempts > 0 {
		say("at most %d attempts", c.MaxAttempts)
	}
	if c.Calibration != "" {
		say("calibration %s", c.Calibration)
	}
	if c.Note != "" {
		say("%s", c.Note)
	}
	return fmt.Sprintf("The plan was amended after %d trials by %s at %s: %s. Reason: %s.", c.Done, c.Who, c.At, what, c.Reason)
}
