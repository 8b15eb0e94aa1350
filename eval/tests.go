package eval

import (
	"cmp"
	"math"
	"slices"

	"twinrig/eval/stats"
)

// Alpha is the level of every test.
const Alpha = 0.05

// Tests compares every two policies by SR, the primary metric; the other
// metrics are descriptive.
type Tests struct {
	// Comparisons are in the order of the study's policies: 0 and 1, 0 and 2...
	Comparisons []PolicyComparison `json:"comparisons"`
	// Letters, of more than two policies: two that share one were not found to
	// differ after Holm's adjustment.
	Letters map[string]string `json:"letters,omitempty"`
}

// PolicyComparison compares two policies; differences are B's minus A's.
type PolicyComparison struct {
	PolicyA string `json:"policy_a"`
	PolicyB string `json:"policy_b"`
	// Test is the one to go by: "mcnemar" where the placements pair, else
	// "barnard", beyond its limit "fisher". P is its two-sided p-value,
	// Adjusted Holm's over all comparisons. Null if it could not be made.
	Test     string   `json:"test"`
	P        *float64 `json:"p"`
	Adjusted *float64 `json:"p_holm"`
	Comparison
	// Scenes takes the scenes as the sample, not the trials.
	Scenes SceneTests `json:"scenes"`
	// Time compares the times to finish.
	Time TimeTests `json:"time"`
	// Sequential is the evidence that may be looked at after every trial; nil
	// where the order of the trials is not known.
	Sequential *Sequential `json:"sequential"`
}

// SceneTests are the bootstrap interval of the difference when scenes are drawn
// anew, and the sign-flip test over the scenes' differences.
type SceneTests struct {
	Bootstrap *[2]float64 `json:"bootstrap"`
	SignFlip  *float64    `json:"sign_flip_p"`
}

// TimeTests ask whether times to finish differ. Successes choose themselves:
// only Paired, over the placements where both succeeded, compares like with
// like.
type TimeTests struct {
	// Welch is of all successes' times, Log of their logarithms.
	Welch *stats.MeanTest `json:"welch"`
	Log   *stats.MeanTest `json:"welch_log"`
	// Pairs is the number of placements where both succeeded, PairedMean the
	// mean of their differences, Paired the sign-flip test of these.
	Pairs      int      `json:"pairs"`
	PairedMean *float64 `json:"paired_mean_s"`
	Paired     *float64 `json:"paired_sign_flip_p"`
}

// Sequential is the state of two one-sided e-processes, pairs in the order of
// the trials. Only a study that planned to stop by it may be stopped by it.
type Sequential struct {
	Kind  string `json:"kind"` // "paired" or "unpaired"
	Pairs int    `json:"pairs"`
	// EB is the evidence that B is better, EA that A is.
	EB float64 `json:"e_b_better"`
	EA float64 `json:"e_a_better"`
	// P is the anytime-valid two-sided p-value.
	P float64 `json:"p_anytime"`
	// RejectedAt is the number of pairs after which P was first at most Alpha.
	RejectedAt *int `json:"rejected_at_pair"`
}

// Speedup tells whether one policy was found to be faster, by the test that
// compares like with like if there is one, and which: -1 for A, 1 for B.
func (c *PolicyComparison) Speedup() (faster int, p *float64) {
	var slower float64 // above 0: B took longer, by the same test
	switch t := &c.Time; {
	case t.Paired != nil:
		slower, p = *t.PairedMean, t.Paired
	case t.Log != nil:
		slower, p = t.Log.T, &t.Log.P
	case t.Welch != nil:
		slower, p = t.Welch.T, &t.Welch.P
	default:
		return 0, nil
	}
	switch {
	case *p > Alpha:
		return 0, p
	case slower > 0:
		return -1, p
	}
	return 1, p
}

// test makes all comparisons.
func (a *Analysis) test() *Tests {
	n := len(a.Study.Policies)
	if n < 2 {
		return nil
	}
	by := make([][]*Result, n)
	for k, p := range a.Study.Policies {
		for i := range a.Counted {
			if a.Counted[i].Trial.Policy == p.Name {
				by[k] = append(by[k], &a.Counted[i])
			}
		}
		slices.SortStableFunc(by[k], func(x, y *Result) int { return cmp.Compare(x.Trial.Order, y.Trial.Order) })
	}
	t := new(Tests)
	pairwise := stats.Pairwise(n, func(i, j int) (float64, bool) {
		c := a.compare(i, j, by[i], by[j])
		t.Comparisons = append(t.Comparisons, c)
		if c.P == nil {
			return 0, false
		}
		return *c.P, true
	})
	different := make(map[[2]int]bool, len(pairwise))
	for k, p := range pairwise {
		t.Comparisons[k].Adjusted = known(p.Adjusted, p.OK)
		different[[2]int{p.I, p.J}] = p.OK && p.Adjusted <= Alpha
	}
	if n > 2 {
		t.Letters = a.letters(func(i, j int) bool { return different[[2]int{min(i, j), max(i, j)}] })
	}
	return t
}

// letters shows the policies from best to worst.
func (a *Analysis) letters(different func(i, j int) bool) map[string]string {
	order := make([]int, len(a.Pooled))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		x, _ := a.Pooled[i].SR.Value()
		y, _ := a.Pooled[j].SR.Value()
		return cmp.Compare(y, x)
	})
	display, ok := stats.CompactLetters(len(order), func(i, j int) bool { return different(order[i], order[j]) })
	if !ok {
		return nil
	}
	of := map[string]string{}
	for k, i := range order {
		of[a.Pooled[i].Policy] = display[k]
	}
	return of
}

// meeting is one placement's trial of each policy.
type meeting struct{ a, b *Result }

// meetings pairs trials by block: one placement of one scene in one round. Nil
// unless nearly all trials have a partner.
func (a *Analysis) meetings(as, bs []*Result) []meeting {
	if im := a.Study.Imported; im != nil && im.Unpaired {
		return nil
	}
	type block struct {
		scene     string
		placement int
		round     int
	}
	blocks := func(rs []*Result) map[block]*Result {
		rounds, of := map[block]int{}, make(map[block]*Result, len(rs))
		for _, r := range rs {
			k := block{scene: r.Trial.Scene, placement: r.Trial.PlacementID}
			k.round, rounds[k] = rounds[k], rounds[k]+1
			of[k] = r
		}
		return of
	}
	ofB := blocks(bs)
	var met []meeting
	for k, r := range blocks(as) {
		if other := ofB[k]; other != nil {
			met = append(met, meeting{r, other})
		}
	}
	slices.SortFunc(met, func(x, y meeting) int {
		return cmp.Compare(max(x.a.Trial.Order, x.b.Trial.Order), max(y.a.Trial.Order, y.b.Trial.Order))
	})
	return met
}

func (a *Analysis) compare(i, j int, as, bs []*Result) PolicyComparison {
	c := PolicyComparison{PolicyA: a.Pooled[i].Policy, PolicyB: a.Pooled[j].Policy}
	met := a.meetings(as, bs)
	// Without partners for all, leaving out the others would choose.
	paired := len(met) > 0 && len(met) == len(as) && len(met) == len(bs)
	if paired {
		var p stats.Pairs
		for _, m := range met {
			p.Count(m.a.Verdict.Success, m.b.Verdict.Success)
		}
		c.Comparison = ComparePairs(p)
		c.Test, c.P = "mcnemar", c.McNemar.TwoSided
	} else {
		c.Comparison = Compare(a.Pooled[i].SR, a.Pooled[j].SR)
		c.Test, c.P = "barnard", c.Barnard.TwoSided
		if c.P == nil {
			c.Test, c.P = "fisher", c.Fisher.TwoSided
		}
	}
	c.Scenes = a.sceneTests(i, j)
	c.Time = a.timeTests(i, j, as, bs, met)
	if im := a.Study.Imported; im == nil || !im.Unordered {
		c.Sequential = sequential(as, bs, met, paired)
	}
	return c
}

func (a *Analysis) sceneTests(i, j int) SceneTests {
	var as, bs []stats.Rate
	var differences []float64
	n := len(a.Pooled)
	for s := range a.Study.Scenes {
		x, y := a.Cells[s*n+i].SR, a.Cells[s*n+j].SR
		as, bs = append(as, x), append(bs, y)
		p, okP := x.Value()
		q, okQ := y.Value()
		if okP && okQ {
			differences = append(differences, q-p)
		}
	}
	return SceneTests{
		Bootstrap: ends(stats.ClusterBootstrapDifference(bs, as, Level, bootstrapResamples, a.Study.OrderSeed)),
		SignFlip:  known(stats.SignFlip(differences, stats.TwoSided, a.Study.OrderSeed)),
	}
}

func (a *Analysis) timeTests(i, j int, as, bs []*Result, met []meeting) TimeTests {
	var t TimeTests
	if w, ok := stats.Welch(a.Pooled[j].TF, a.Pooled[i].TF); ok {
		t.Welch = &w
	}
	if im := a.Study.Imported; im != nil && im.MomentsOnly {
		return t
	}
	logs := func(rs []*Result) stats.Moments {
		var xs []float64
		for _, r := range rs {
			if s, ok := r.finished(); ok && s > 0 {
				xs = append(xs, math.Log(s))
			}
		}
		return stats.Describe(xs)
	}
	if w, ok := stats.Welch(logs(bs), logs(as)); ok {
		t.Log = &w
	}
	var differences []float64
	for _, m := range met {
		x, okX := m.a.finished()
		y, okY := m.b.finished()
		if okX && okY {
			differences = append(differences, y-x)
		}
	}
	t.Pairs = len(differences)
	if t.Pairs > 0 {
		mean := stats.Describe(differences).Mean
		t.PairedMean = &mean
	}
	t.Paired = known(stats.SignFlip(differences, stats.TwoSided, a.Study.OrderSeed))
	return t
}

// finished is the time of a success.
func (r *Result) finished() (s float64, ok bool) {
	if !r.Verdict.Success || r.TSuccess == nil {
		return 0, false
	}
	return *r.TSuccess, true
}

// sequential goes through the pairs in order; without placements in common,
// the n-th trial of one policy meets the n-th of the other.
func sequential(as, bs []*Result, met []meeting, paired bool) *Sequential {
	s := &Sequential{Kind: "unpaired", Pairs: min(len(as), len(bs)), P: 1}
	var up, down stats.EProcess
	var add func(k int)
	if paired {
		var b, a stats.PairedE
		s.Kind, s.Pairs = "paired", len(met)
		add = func(k int) {
			x, y := met[k].a.Verdict.Success, met[k].b.Verdict.Success
			b.Add(x, y)
			a.Add(y, x)
			up, down = b.EProcess, a.EProcess
		}
	} else {
		var b, a stats.UnpairedE
		add = func(k int) {
			x, y := as[k].Verdict.Success, bs[k].Verdict.Success
			b.Add(x, y)
			a.Add(y, x)
			up, down = b.EProcess, a.EProcess
		}
	}
	for k := range s.Pairs {
		add(k)
		if s.RejectedAt == nil && stats.BothWays(up, down) <= Alpha {
			at := k + 1
			s.RejectedAt = &at
		}
	}
	s.EB, s.EA, s.P = up.E(), down.E(), stats.BothWays(up, down)
	return s
}
