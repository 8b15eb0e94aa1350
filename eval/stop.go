package eval

import (
	"errors"
	"fmt"
	"slices"

	"twinrig/eval/stats"
)

// StopRule ends a study before all its trials are done: as soon as the evidence
// that one of two policies succeeds more often reaches what Alpha asks for, in
// either direction. It is part of the plan, so that stopping is no choice. The
// plan's number of trials is the most there will be.
type StopRule struct {
	// Test is "paired" (on the same placement) or "unpaired".
	Test string `yaml:"test"`
	// Alpha bounds the chance to stop for a difference that is not there.
	Alpha float64 `yaml:"alpha"`
	// Between are the two policies.
	Between [2]string `yaml:"between,flow"`
}

// The tests of a StopRule.
const (
	PairedTest   = "paired"
	UnpairedTest = "unpaired"
)

func (r *StopRule) validate(policies []Policy) error {
	if r == nil {
		return nil
	}
	if r.Test != PairedTest && r.Test != UnpairedTest {
		return fmt.Errorf("stop.test is %q, must be %s or %s", r.Test, PairedTest, UnpairedTest)
	}
	if !(r.Alpha > 0 && r.Alpha < 1) {
		return fmt.Errorf("stop.alpha is %g, must be between 0 and 1", r.Alpha)
	}
	for _, name := range r.Between {
		if !slices.ContainsFunc(policies, func(p Policy) bool { return p.Name == name }) {
			return fmt.Errorf("stop.between: %q is no policy of the study", name)
		}
	}
	if r.Between[0] == r.Between[1] {
		return errors.New("stop.between names one policy twice")
	}
	return nil
}

// Evidence is where a StopRule stands.
type Evidence struct {
	// Pairs are the blocks looked at.
	Pairs int `json:"pairs"`
	// EA and EB are the evidence that the first and the second policy is
	// better, P the anytime-valid p-value of both together.
	EA float64 `json:"e_a_better"`
	EB float64 `json:"e_b_better"`
	P  float64 `json:"p_anytime"`
	// Stopped: the rule has ended the study.
	Stopped bool `json:"stopped"`
	// last is the last trial's order that the study still wants.
	last int
}

// fate is what is known of one trial of the plan.
type fate uint8

const (
	pending fate = iota // still to run, or to be judged
	givenUp             // will never count
	failed
	succeeded
)

// evidence goes through the blocks in order until one is still open, or the rule
// stops the study. fates are by the trials' order.
func (s *Study) evidence(fates []fate) Evidence {
	type process interface {
		Add(baseline, candidate bool)
		P() float64
		E() float64
	}
	var up, down process = new(stats.PairedE), new(stats.PairedE)
	if s.Stop.Test == UnpairedTest {
		up, down = new(stats.UnpairedE), new(stats.UnpairedE)
	}
	ev := Evidence{EA: 1, EB: 1, P: 1, last: len(fates) - 1}
	slots, n := s.order(), len(s.Policies)
	for block := 0; block < len(slots) && !ev.Stopped; block += n {
		var of [2]fate
		for i, sl := range slots[block : block+n] {
			if k := slices.Index(s.Stop.Between[:], s.Policies[sl.policy].Name); k >= 0 {
				of[k] = fates[block+i]
			}
		}
		if of[0] == pending || of[1] == pending {
			break
		}
		if of[0] == givenUp || of[1] == givenUp {
			continue
		}
		up.Add(of[0] == succeeded, of[1] == succeeded)
		down.Add(of[1] == succeeded, of[0] == succeeded)
		ev.Pairs++
		ev.EA, ev.EB = down.E(), up.E()
		ev.P = min(1, 2*min(up.P(), down.P()))
		if ev.P <= s.Stop.Alpha {
			ev.Stopped, ev.last = true, block+n-1
		}
	}
	return ev
}

// Evidence tells where the study's stop rule stands by its results, amendments
// applied; nil without a rule.
func (s *Study) Evidence(results []Result) *Evidence {
	if s.Stop == nil {
		return nil
	}
	fates := make([]fate, s.Total())
	invalid := map[int]int{}
	for i := range results {
		r := &results[i]
		if r.Trial.Order < 0 || r.Trial.Order >= len(fates) {
			continue
		}
		to := &fates[r.Trial.Order]
		switch {
		case r.Termination.Counted() && r.Verdict != nil:
			*to = fateOf(r.Verdict.Success)
		case r.Termination.Counted():
		case r.Termination == Invalid:
			if invalid[r.Trial.Order]++; invalid[r.Trial.Order] >= s.MaxAttempts && *to == pending {
				*to = givenUp
			}
		}
	}
	ev := s.evidence(fates)
	return &ev
}

func fateOf(success bool) fate {
	if success {
		return succeeded
	}
	return failed
}
