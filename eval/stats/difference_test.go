package stats

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNewcombeDifference: statsmodels 0.15.0,
// confint_proportions_2indep(k1, n1, k2, n2, method="newcomb").
func TestNewcombeDifference(t *testing.T) {
	for _, c := range []struct {
		a, b Rate
		want Interval
	}{
		{Rate{90, 120}, Rate{26, 120}, Interval{.4157, .6276}},
		{Rate{56, 70}, Rate{48, 80}, Interval{.0524, .3339}},
		{Rate{9, 10}, Rate{3, 10}, Interval{.1705, .8090}},
		{Rate{6, 7}, Rate{2, 7}, Interval{.0582, .8062}},
		{Rate{5, 56}, Rate{0, 29}, Interval{-.0381, .1926}},
		{Rate{3, 40}, Rate{5, 17}, Interval{-.4614, -.0159}},
		{Rate{0, 10}, Rate{0, 20}, Interval{-.1611, .2775}},
		{Rate{10, 10}, Rate{0, 20}, Interval{.6791, 1}},
		{Rate{10, 10}, Rate{10, 10}, Interval{-.2775, .2775}},
	} {
		iv, ok := NewcombeDifference(c.a, c.b, 0.95)
		require.True(t, ok)
		requireDigits(t, c.want, iv)
		back, _ := NewcombeDifference(c.b, c.a, 0.95)
		require.InDelta(t, -iv.Hi, back.Lo, 1e-12)
		require.InDelta(t, -iv.Lo, back.Hi, 1e-12)
	}
	_, ok := NewcombeDifference(Rate{1, 2}, Rate{1, 2}, 1)
	require.False(t, ok)
}

// TestPairedDifference: the formula written anew in Python on statsmodels
// 0.15.0's proportion_confint(k, n, 0.05, "wilson"); no library at hand has it.
// The last three are cases of an empty margin, where nothing is joined.
func TestPairedDifference(t *testing.T) {
	for _, c := range []struct {
		pairs Pairs
		want  Interval
	}{
		{Pairs{36, 12, 2, 0}, Interval{.0569, .3404}},
		{Pairs{1, 1, 7, 12}, Interval{-.5069, -.0256}},
		{Pairs{59, 6, 16, 80}, Interval{-.1186, -.0046}},
		{Pairs{14, 5, 0, 22}, Interval{.0115, .2265}},
		{Pairs{20, 12, 2, 16}, Interval{.0562, .3292}},
		{Pairs{Both: 10}, Interval{-.2775, .2775}},
		{Pairs{Neither: 10}, Interval{-.2775, .2775}},
		{Pairs{OnlyA: 10}, Interval{.6075, 1}},
	} {
		iv, ok := c.pairs.Difference(0.95)
		require.True(t, ok)
		requireDigits(t, c.want, iv)
	}
	// Judges who agree narrow the interval, judges who contradict widen it.
	alone, _ := NewcombeDifference(Rate{10, 20}, Rate{10, 20}, 0.95)
	agree, _ := Pairs{Both: 9, OnlyA: 1, OnlyB: 1, Neither: 9}.Difference(0.95)
	contradict, _ := Pairs{Both: 1, OnlyA: 9, OnlyB: 9, Neither: 1}.Difference(0.95)
	require.Less(t, agree.Hi, alone.Hi)
	require.Greater(t, contradict.Hi, alone.Hi)

	_, ok := Pairs{}.Difference(0.95)
	require.False(t, ok)
	_, ok = Pairs{OnlyA: 3, OnlyB: -1}.Difference(0.95)
	require.False(t, ok)
}

// TestDifferenceCovers sums the exact coverage over grids of two rates: of ten
// independent trials each, and of twelve pairs whose outcomes agree by chance
// or half of the time for sure.
func TestDifferenceCovers(t *testing.T) {
	const n, grid = 10, 20
	mean, least, cells := 0.0, 1.0, 0.0
	for i := 1; i < grid; i++ {
		for j := 1; j < grid; j++ {
			pa, pb := float64(i)/grid, float64(j)/grid
			a, b := binomial(n, pa), binomial(n, pb)
			covered := 0.0
			for ka, qa := range a {
				for kb, qb := range b {
					iv, _ := NewcombeDifference(Rate{ka, n}, Rate{kb, n}, 0.95)
					if iv.Lo <= pa-pb && pa-pb <= iv.Hi {
						covered += qa * qb
					}
				}
			}
			mean += covered
			least = min(least, covered)
			cells++
		}
	}
	require.Greater(t, mean/cells, 0.95)
	require.Greater(t, least, 0.90)

	for _, same := range []float64{0, 0.5} {
		mean, cells = 0, 0
		for i := 1; i < 10; i++ {
			for j := 1; j < 10; j++ {
				pa, pb := float64(i)/10, float64(j)/10
				mean += pairedCoverage(12, pa, pb, same)
				cells++
			}
		}
		require.Greater(t, mean/cells, 0.95, "same %v", same)
	}
}

// pairedCoverage is the coverage of n pairs that share one draw with the given
// chance and else draw apart.
func pairedCoverage(n int, pa, pb, same float64) float64 {
	onlyA := same*max(pa-pb, 0) + (1-same)*pa*(1-pb)
	onlyB := same*max(pb-pa, 0) + (1-same)*pb*(1-pa)
	both := pa - onlyA
	covered := 0.0
	for b, pBoth := range binomial(n, both) {
		for x, px := range binomial(n-b, min(onlyA/(1-both), 1)) {
			rest := n - b - x
			for y, py := range binomial(rest, min(onlyB/(1-both-onlyA), 1)) {
				iv, _ := Pairs{b, x, y, rest - y}.Difference(0.95)
				if iv.Lo <= pa-pb && pa-pb <= iv.Hi {
					covered += pBoth * px * py
				}
			}
		}
	}
	return covered
}
