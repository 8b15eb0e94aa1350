package eval

import "twinrig/eval/stats"

// Level is the confidence of every interval that is shown.
const Level = 0.95

// RateSummary is a rate in JSON. What there is no number for is null.
type RateSummary struct {
	K int `json:"k"`
	N int `json:"n"`
	// Rate is K/N, Interval Wilson's, Exact that of Clopper and Pearson; both
	// are [low, high] at Level.
	Rate     *float64    `json:"rate"`
	Interval *[2]float64 `json:"interval"`
	Exact    *[2]float64 `json:"clopper_pearson"`
}

// Summarise returns a rate with its intervals.
func Summarise(r stats.Rate) RateSummary {
	return RateSummary{
		K: r.K, N: r.N, Rate: known(r.Value()),
		Interval: ends(r.Wilson(Level)), Exact: ends(r.ClopperPearson(Level)),
	}
}

// Comparison is what can be said of two policies' success rates, A and B. The
// difference and the one-sided tests ask whether B is better. What there is no
// number for is null.
type Comparison struct {
	A RateSummary `json:"a"`
	B RateSummary `json:"b"`
	// Difference is B's rate minus A's.
	Difference Difference `json:"difference"`
	// Fisher, Barnard and Bayes take the trials as independent.
	Fisher  PValues `json:"fisher"`
	Barnard PValues `json:"barnard"`
	// BBetter is the posterior probability that B's true rate is the larger,
	// each rate with a uniform prior of its own; ABetter is the rest, which
	// keeps its digits when it is tiny.
	BBetter *float64 `json:"p_b_better"`
	ABetter *float64 `json:"p_a_better"`
	// McNemar is null for trials that are not in pairs.
	McNemar *McNemar `json:"mcnemar"`
}

// Difference is a difference of two rates with Newcombe's interval at Level,
// of pairs if Paired.
type Difference struct {
	Value    *float64    `json:"value"`
	Newcombe *[2]float64 `json:"newcombe"`
	Paired   bool        `json:"paired"`
}

// PValues are of one test.
type PValues struct {
	TwoSided *float64 `json:"p"`
	OneSided *float64 `json:"p_one_sided"`
}

// McNemar is the exact test of pairs: of the OnlyA + OnlyB pairs in which the
// two differ, are as many A's as B's?
type McNemar struct {
	OnlyA int `json:"only_a"`
	OnlyB int `json:"only_b"`
	PValues
	MidP *float64 `json:"mid_p"`
}

// Compare compares two rates of independent trials.
func Compare(a, b stats.Rate) Comparison {
	c := Comparison{A: Summarise(a), B: Summarise(b)}
	pa, okA := a.Value()
	pb, okB := b.Value()
	c.Difference = Difference{
		Value:    known(pb-pa, okA && okB),
		Newcombe: ends(stats.NewcombeDifference(b, a, Level)),
	}
	c.Fisher = PValues{known(stats.Fisher(b, a, stats.TwoSided)), known(stats.Fisher(b, a, stats.Greater))}
	c.Barnard = PValues{known(stats.Barnard(b, a, stats.TwoSided)), known(stats.Barnard(b, a, stats.Greater))}
	c.BBetter, c.ABetter = known(stats.ProbGreater(b, a)), known(stats.ProbGreater(a, b))
	return c
}

// ComparePairs compares two policies that met the same placements.
func ComparePairs(p stats.Pairs) Comparison {
	c := Compare(p.A(), p.B())
	swapped := stats.Pairs{Both: p.Both, OnlyA: p.OnlyB, OnlyB: p.OnlyA, Neither: p.Neither}
	c.Difference.Newcombe, c.Difference.Paired = ends(swapped.Difference(Level)), true
	c.McNemar = &McNemar{OnlyA: p.OnlyA, OnlyB: p.OnlyB, MidP: known(p.McNemarMidP())}
	c.McNemar.PValues = PValues{known(swapped.McNemar(stats.TwoSided)), known(swapped.McNemar(stats.Greater))}
	return c
}

// known is a number if there is one.
func known(v float64, ok bool) *float64 {
	if !ok {
		return nil
	}
	return &v
}

func ends(iv stats.Interval, ok bool) *[2]float64 {
	if !ok {
		return nil
	}
	return &[2]float64{iv.Lo, iv.Hi}
}
