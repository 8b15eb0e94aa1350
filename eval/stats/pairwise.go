package stats

import (
	"cmp"
	"slices"
)

// Holm returns the p-values adjusted for being several, in the given order
// (Holm, 1979): the i-th smallest of m is multiplied by m-i+1, none gets below
// a smaller one's, none above 1. Whoever calls those at most alpha significant
// errs anywhere with a chance of at most alpha, however the tests depend. Holds
// for anytime-valid p-values too. Not ok when one is not in 0 to 1.
func Holm(ps []float64) (adjusted []float64, ok bool) {
	order := make([]int, len(ps))
	for i, p := range ps {
		if !isProbability(p) {
			return nil, false
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(ps[i], ps[j]) })
	adjusted = make([]float64, len(ps))
	floor := 0.0
	for rank, i := range order {
		floor = max(floor, min(ps[i]*float64(len(ps)-rank), 1))
		adjusted[i] = floor
	}
	return adjusted, true
}

// PairTest is the comparison of policies I < J: the test's own p-value and the
// one adjusted for all comparisons made. OK is false when the test could not be
// made; then it counts as none of them.
type PairTest struct {
	I, J        int
	P, Adjusted float64
	OK          bool
}

// Pairwise makes all n(n-1)/2 comparisons of n policies by the given test and
// adjusts them after Holm, in the order (0,1), (0,2), ... A p-value outside 0
// to 1 counts as a test that could not be made.
func Pairwise(n int, test func(i, j int) (p float64, ok bool)) []PairTest {
	var tests []PairTest
	var made []int
	var ps []float64
	for i := range n {
		for j := i + 1; j < n; j++ {
			t := PairTest{I: i, J: j}
			if p, ok := test(i, j); ok && isProbability(p) {
				t.P, t.OK = p, true
				made = append(made, len(tests))
				ps = append(ps, p)
			}
			tests = append(tests, t)
		}
	}
	adjusted, _ := Holm(ps)
	for at, i := range made {
		tests[i].Adjusted = adjusted[at]
	}
	return tests
}
