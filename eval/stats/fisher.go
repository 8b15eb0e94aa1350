package stats

import (
	"cmp"
	"math"
	"slices"
)

// sameRelative is how close two probabilities or statistics count as equal:
// ties must not be split by rounding.
const sameRelative = 1e-7

// Fisher returns the p-value of Fisher's exact test (R. A. Fisher, 1935) of
// equal rates. It holds the total of hits fixed, so A's hits are
// hypergeometric; the two-sided p sums all tables that are not likelier than
// the one seen (as R and SciPy do). It never errs more often than it says, and
// for ten trials much less often: Barnard finds more.
//
// p is 1 when nobody or everybody hit. Not ok when either rate has no trials.
func Fisher(a, b Rate, alt Alternative) (p float64, ok bool) {
	if !a.valid() || !b.valid() {
		return 0, false
	}
	least, ps := fisherMargin(a.N, b.N, a.K+b.K, alt)
	return ps[a.K-least], true
}

// fisherMargin returns the p-value of every table with the given total of hits;
// the first is of the table where A has the least hits.
func fisherMargin(na, nb, hits int, alt Alternative) (least int, ps []float64) {
	least = max(0, hits-nb)
	most := min(na, hits)
	pmf := make([]float64, most-least+1)
	all := logChoose(na+nb, hits)
	for i := range pmf {
		k := least + i
		pmf[i] = math.Exp(logChoose(na, k) + logChoose(nb, hits-k) - all)
	}

	// Sum from the most extreme table on; tables of one rank share a p-value.
	order := make([]int, len(pmf))
	for i := range order {
		order[i] = i
	}
	tied := func(int, int) bool { return false }
	switch alt {
	case Greater:
		slices.Reverse(order)
	case TwoSided:
		slices.SortFunc(order, func(i, j int) int { return cmp.Compare(pmf[i], pmf[j]) })
		tied = func(i, j int) bool { return pmf[j] <= pmf[i]*(1+sameRelative) }
	}
	ps = make([]float64, len(pmf))
	sum := 0.0
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && (to == from || tied(order[from], order[to])) {
			sum += pmf[order[to]]
			to++
		}
		for _, i := range order[from:to] {
			ps[i] = min(sum, 1)
		}
		from = to
	}
	return least, ps
}
