package outside

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"time"

	"twinrig/eval"
)

// Options say what the file does not.
type Options struct {
	// Name is the study's, File the name of the file as the study keeps it.
	Name, File string
	// Virtual: the trials were a simulated arm's.
	Virtual bool
	// JudgedBy is who judged where no row says.
	JudgedBy string
	// Timeout of the trials; 0 takes the longest time to finish, 1 s at least.
	Timeout time.Duration
}

// Imported is what a file holds.
type Imported struct {
	Study   *eval.Study
	Results []eval.Result
	// Layout is "one row per trial" or "one row per scene and policy"; Unknown
	// are columns that were left aside.
	Layout  string
	Unknown []string
}

// Read makes a study of a file's text, by its columns in one layout or the
// other.
func Read(text []byte, o Options) (*Imported, error) {
	t, err := readRows(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	im := &Imported{Layout: "one row per trial"}
	unknown := eval.Imported{File: o.File, SHA256: eval.Digest(string(text))}
	if err := t.bind(summaryColumns); err != nil && !t.has("trials") {
		return nil, err
	}
	var all []outcome
	if t.has("trials") {
		im.Layout = "one row per scene and policy"
		unknown.Unpaired, unknown.Unordered, unknown.MomentsOnly = true, true, t.has("TF_mean_s")
		all, err = readSummary(t)
	} else {
		if err := t.bind(trialColumns); err != nil {
			return nil, err
		}
		unknown.Unpaired = !t.has("placement_id")
		all, err = readTrials(t)
	}
	if err != nil {
		return nil, err
	}
	im.Unknown = t.unknown
	if im.Study, err = newStudy(all, o, unknown); err != nil {
		return nil, err
	}
	im.Results, err = newResults(im.Study, all, o)
	return im, err
}

var nameRule = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`)

// fitName: names become parts of trial ids.
func fitName(r *row, column string) error {
	if name := r.text(column); !nameRule.MatchString(name) {
		return r.wrong(column, "%q must be letters, digits, '_', '.' and '-'", name)
	}
	return nil
}

// newStudy is the plan that the outcomes are of. Placements themselves are not
// known, only their ids.
func newStudy(all []outcome, o Options, im eval.Imported) (*eval.Study, error) {
	s := &eval.Study{
		Name: o.Name, Virtual: o.Virtual, MaxAttempts: 1, VerdictSource: o.JudgedBy, Imported: &im,
		Config: fmt.Sprintf("imported: %s\nsha256: %s\n", im.File, im.SHA256), Timeout: o.Timeout,
	}
	s.ConfigSHA256 = eval.Digest(s.Config)
	longest, placements := 1.0, 1
	counted := map[[2]string]int{}
	for i := range all {
		out := &all[i]
		if !slices.ContainsFunc(s.Scenes, func(sc eval.Scene) bool { return sc.Name == out.scene }) {
			says := out.instruction
			if says == "" {
				says = "(instruction not stated)"
			}
			s.Scenes = append(s.Scenes, eval.Scene{Name: out.scene, Instruction: says})
		}
		if !slices.ContainsFunc(s.Policies, func(p eval.Policy) bool { return p.Name == out.policy }) {
			s.Policies = append(s.Policies, eval.Policy{Name: out.policy, Checkpoint: out.checkpoint})
		}
		if out.seconds != nil {
			longest = math.Max(longest, *out.seconds)
		}
		placements = max(placements, out.placement+1)
		if out.termination.Counted() {
			counted[[2]string{out.scene, out.policy}]++
		}
	}
	s.Trials = 1
	for _, n := range counted {
		s.Trials = max(s.Trials, n)
	}
	for i := range s.Scenes {
		s.Scenes[i].Placements = make([]eval.Placement, min(placements, s.Trials))
	}
	if s.Timeout == 0 {
		s.Timeout = time.Duration(math.Ceil(longest * 1e9))
	}
	return s, s.Validate()
}

func newResults(s *eval.Study, all []outcome, o Options) ([]eval.Result, error) {
	results := make([]eval.Result, 0, len(all))
	begun := map[[2]string]int{}
	attempts := map[int]int{}
	for i := range all {
		out := &all[i]
		cell := [2]string{out.scene, out.policy}
		placement := out.placement
		if placement < 0 {
			placement = begun[cell]
		}
		begun[cell]++
		order := i
		if out.order != nil {
			order = *out.order
		}
		attempt := attempts[order]
		attempts[order]++
		if out.id == "" {
			out.id = fmt.Sprintf("%04d-%s-p%d-%s", i, out.scene, placement, out.policy)
		}
		at := slices.IndexFunc(s.Scenes, func(sc eval.Scene) bool { return sc.Name == out.scene })
		r := eval.Result{
			Trial: eval.Trial{
				ID: out.id, Study: s.Name, ConfigSHA256: s.ConfigSHA256, Order: order, Attempt: attempt,
				Scene: out.scene, Instruction: s.Scenes[at].Instruction, PlacementID: placement,
				Policy: out.policy, Checkpoint: out.checkpoint, Timeout: s.Timeout.Seconds(),
			},
			Termination: out.termination, Note: out.note, TSuccess: out.seconds, Verdict: out.verdict,
			Provenance: eval.Provenance{ConfigSHA256: s.ConfigSHA256},
		}
		if out.mirror != nil {
			r.Mirror = &eval.Mirror{Success: *out.mirror}
		}
		if v := r.Verdict; v != nil {
			v.Who, v.Source = out.who, out.source
			if v.Source == "" {
				v.Source = o.JudgedBy
			}
			r.End = s.Timeout.Seconds()
			if r.TSuccess != nil {
				r.End = *r.TSuccess
			}
		}
		if err := r.Validate(); err != nil {
			return nil, fmt.Errorf("line %d: %w", out.line, err)
		}
		results = append(results, r)
	}
	return results, nil
}
