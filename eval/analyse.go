package eval

import (
	"fmt"
	"slices"
	"strings"

	"twinrig/eval/stats"
)

// Analysis is all numbers of a study's report.
type Analysis struct {
	Study *Study
	// Results are those given, Counted the ones in the denominators, Excluded
	// the others.
	Results, Counted, Excluded []Result
	// Cells has one Cell for each scene and policy, in the study's order, scene
	// by scene; Pooled one for each policy.
	Cells, Pooled []Cell
	// Balanced tells whether every cell has equally many trials. If not,
	// SceneMeans, one for each policy, differ from Pooled and say something
	// else.
	Balanced   bool
	SceneMeans []SceneMean
	// SceneBootstrap is each policy's 95 % interval of SR when scenes are drawn
	// anew; nil with too few scenes.
	SceneBootstrap []*stats.Interval
	// Gap pools the counted trials, Agreement compares their outcomes with the
	// mirror's, Loop and Inference pool all attempts.
	Gap GapPool
	// Tests compares every two policies, nil for one policy.
	Tests     *Tests
	Agreement stats.Agreement
	Loop      LoopPool
	Inference []InferencePool
	// Evidence is where the stop rule stands; nil without one.
	Evidence *Evidence
	// Warnings are what a reader must know before believing.
	Warnings []string
}

// UnlabelledError lists the trials without a verdict, and failures without a
// label. There is no report until they have one.
type UnlabelledError struct{ Trials []string }

func (e *UnlabelledError) Error() string {
	const show = 5
	ids := e.Trials
	more := ""
	if len(ids) > show {
		more = fmt.Sprintf(" and %d more", len(ids)-show)
		ids = ids[:show]
	}
	return fmt.Sprintf("eval: %d unlabelled (%s%s): label them before reporting",
		len(e.Trials), strings.Join(ids, ", "), more)
}

// Unlabelled are the ids of trials that count and have no verdict, or failed
// without a label.
func Unlabelled(results []Result) []string {
	var ids []string
	for i := range results {
		if r := &results[i]; r.Termination.Counted() && !r.Labelled() {
			ids = append(ids, r.Trial.ID)
		}
	}
	return ids
}

// bootstrapResamples is large enough for two digits.
const bootstrapResamples = 20000

// Analyse computes a study's numbers from its results, amendments applied.
// curves may be missing; then what needs them is too. Unlabelled trials are an
// *UnlabelledError.
func Analyse(s *Study, results []Result, curves []Curve) (*Analysis, error) {
	a := &Analysis{Study: s, Results: results, Balanced: true}
	if ids := Unlabelled(results); len(ids) > 0 {
		return nil, &UnlabelledError{ids}
	}
	for _, r := range results {
		if r.Termination.Counted() {
			a.Counted = append(a.Counted, r)
		} else {
			a.Excluded = append(a.Excluded, r)
		}
	}
	a.Evidence = s.Evidence(results)
	a.measure()
	byID := make(map[string]Curve, len(curves))
	for _, c := range curves {
		if len(c.T) != len(c.EEMM) {
			return nil, fmt.Errorf("eval: curve of %s: %d times for %d values", c.Trial, len(c.T), len(c.EEMM))
		}
		byID[c.Trial] = c
	}
	a.Gap = poolGaps(a.Counted, byID)
	a.Loop, a.Inference = poolLoops(results), poolInference(s, results)
	for i := range a.Counted {
		if r := &a.Counted[i]; r.Mirror != nil {
			a.Agreement.Count(r.Verdict.Success, r.Mirror.Success)
		}
	}
	a.Tests = a.test()
	a.warn()
	return a, nil
}

func (a *Analysis) measure() {
	type key struct{ scene, policy string }
	by := map[key][]*Result{}
	for i := range a.Counted {
		r := &a.Counted[i]
		for _, scene := range []string{r.Trial.Scene, ""} {
			k := key{scene, r.Trial.Policy}
			by[k] = append(by[k], r)
		}
	}
	for _, s := range a.Study.Scenes {
		for _, p := range a.Study.Policies {
			c := measure(s.Name, p.Name, by[key{s.Name, p.Name}])
			a.Balanced = a.Balanced && (len(a.Cells) == 0 || c.N() == a.Cells[0].N())
			a.Cells = append(a.Cells, c)
		}
	}
	for _, p := range a.Study.Policies {
		a.Pooled = append(a.Pooled, measure("", p.Name, by[key{"", p.Name}]))
		a.SceneMeans = append(a.SceneMeans, sceneMean(p.Name, a.Cells))
		var scenes []stats.Rate
		for i := range a.Cells {
			if a.Cells[i].Policy == p.Name {
				scenes = append(scenes, a.Cells[i].SR)
			}
		}
		var interval *stats.Interval
		if iv, ok := stats.ClusterBootstrap(scenes, 0.95, bootstrapResamples, a.Study.OrderSeed); ok {
			interval = &iv
		}
		a.SceneBootstrap = append(a.SceneBootstrap, interval)
	}
}

// Cell returns the cell of one scene and policy.
func (a *Analysis) Cell(scene, policy string) (Cell, bool) {
	for _, c := range a.Cells {
		if c.Scene == scene && c.Policy == policy {
			return c, true
		}
	}
	return Cell{}, false
}

func (a *Analysis) warn() {
	say := func(format string, args ...any) {
		a.Warnings = append(a.Warnings, fmt.Sprintf(format, args...))
	}
	if ev := a.Evidence; ev != nil && ev.Stopped {
		say("The study was stopped by its rule after %d pairs: %d of at most %d trials. Rates of a study that stops at a difference are biased towards it.",
			ev.Pairs, len(a.Counted), a.Study.Total())
	} else if open := a.Study.Total() - len(a.Counted); open > 0 {
		say("%d of %d trials have no result that counts.", open, a.Study.Total())
	}
	if !a.Balanced {
		say("Not every scene and policy has equally many trials: pooled rates and scene means differ.")
	}
	for _, c := range a.Cells {
		if c.PSR.K < c.SR.K {
			say("%s, %s: more successes (%d) than grasp-and-lifts (%d).", c.Scene, c.Policy, c.SR.K, c.PSR.K)
		}
	}
	var unstable, untimed, behind, unclassified int
	for i := range a.Counted {
		r := &a.Counted[i]
		if r.Unstable {
			unstable++
		}
		if r.Verdict.Success && r.TSuccess == nil {
			untimed++
		}
		if slices.Contains(r.Verdict.Labels, Unclassified) {
			unclassified++
		}
		if r.Provenance.ConfigSHA256 != a.Study.ConfigSHA256 {
			behind++
		}
	}
	if unstable > 0 {
		say("%d successes were lost again after they were reached (unstable_success); they count.", unstable)
	}
	if untimed > 0 {
		say("%d successes have no time and are not in TF.", untimed)
	}
	if unclassified > 0 {
		say("%d failures are unclassified: DFR and SFR do not count them and are too small.", unclassified)
	}
	if im := a.Study.Imported; im != nil && im.MomentsOnly {
		say("Single times to finish are not known: TF is each scene's stated mean and spread, pooled.")
	}
	if behind > 0 {
		say("%d trials were run with another configuration than the study's.", behind)
	}
	invalid := map[int]int{}
	for i := range a.Excluded {
		r := &a.Excluded[i]
		if r.Termination != Invalid {
			continue
		}
		if invalid[r.Trial.Order]++; invalid[r.Trial.Order] == a.Study.MaxAttempts {
			say("%s, placement %d, %s was given up after %d invalid attempts.",
				r.Trial.Scene, r.Trial.PlacementID, r.Trial.Policy, a.Study.MaxAttempts)
		}
	}
}
