package stats

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMcNemar: two-sided, greater, less. statsmodels 0.15.0:
// mcnemar([[10, b], [c, 4]], exact=True).pvalue; SciPy 1.17.1:
// binomtest(b, b+c, 0.5, alternative).pvalue.
func TestMcNemar(t *testing.T) {
	for _, c := range []struct {
		onlyA, onlyB int
		want         [3]float64
	}{
		{6, 0, [3]float64{.03125, .015625, 1}},
		{5, 0, [3]float64{.0625, .03125, 1}},
		{8, 1, [3]float64{.0390625, .0195312, .998047}},
		{7, 1, [3]float64{.0703125, .0351562, .996094}},
		{10, 2, [3]float64{.0385742, .0192871, .996826}},
		{12, 3, [3]float64{.0351562, .0175781, .996307}},
		{13, 4, [3]float64{.0490417, .0245209, .993637}},
		{3, 9, [3]float64{.145996, .980713, .072998}},
		{1, 2, [3]float64{1, .875, .5}},
		{5, 5, [3]float64{1, .623047, .623047}},
		{64, 0, [3]float64{1.0842e-19, 5.42101e-20, 1}},
		{79, 15, [3]float64{1.15054e-11, 5.75272e-12, 1}},
		{0, 0, [3]float64{1, 1, 1}},
	} {
		pairs := Pairs{Both: 10, OnlyA: c.onlyA, OnlyB: c.onlyB, Neither: 4}
		for i, alt := range []Alternative{TwoSided, Greater, Less} {
			p, ok := pairs.McNemar(alt)
			require.True(t, ok)
			requireRelative(t, c.want[i], p, "%v %v", pairs, alt)
		}
	}
	for _, bad := range []Pairs{{}, {OnlyA: -1, OnlyB: 8}} {
		_, ok := bad.McNemar(TwoSided)
		require.False(t, ok)
		_, ok = bad.McNemarMidP()
		require.False(t, ok)
	}
}

// TestSmallestSignificant: with c pairs the other way, the fewest that make
// p <= 0.05.
func TestSmallestSignificant(t *testing.T) {
	for c, want := range []int{6, 8, 10, 12, 13} {
		b := 0
		for {
			if p, _ := (Pairs{OnlyA: b, OnlyB: c, Neither: 1}).McNemar(TwoSided); p <= 0.05 {
				break
			}
			b++
		}
		require.Equal(t, want, b)
	}
}

// TestMcNemarMidP compares with twice the tail less half the table seen.
func TestMcNemarMidP(t *testing.T) {
	for _, c := range []struct {
		onlyA, onlyB int
		want         float64
	}{
		{0, 0, 1},
		{6, 0, 1.0 / 64},
		{0, 6, 1.0 / 64},
		{8, 1, 2*10.0/512 - 9.0/512},
		{5, 5, 1},
		{2, 1, 0.625},
	} {
		p, ok := Pairs{OnlyA: c.onlyA, OnlyB: c.onlyB, Neither: 1}.McNemarMidP()
		require.True(t, ok)
		require.InDelta(t, c.want, p, 1e-12)
		exact, _ := Pairs{OnlyA: c.onlyA, OnlyB: c.onlyB, Neither: 1}.McNemar(TwoSided)
		require.LessOrEqual(t, p, exact)
	}
}

func TestPairsCount(t *testing.T) {
	var p Pairs
	p.Count(true, true)
	for range 2 {
		p.Count(true, false)
	}
	for range 3 {
		p.Count(false, true)
	}
	for range 4 {
		p.Count(false, false)
	}
	require.Equal(t, Pairs{1, 2, 3, 4}, p)
	require.Equal(t, Rate{3, 10}, p.A())
	require.Equal(t, Rate{4, 10}, p.B())
	require.Equal(t, p, Agreement{1, 2, 3, 4}.Pairs())
}

// learned and imitated are Table 2's successes of ten in each of twelve scenes.
var (
	learned  = ofTen(9, 7, 9, 7, 10, 10, 7, 8, 7, 6, 5, 5)
	imitated = ofTen(6, 2, 1, 1, 3, 3, 2, 2, 1, 3, 0, 2)
)

func ofTen(hits ...int) []Rate {
	rates := make([]Rate, len(hits))
	for i, k := range hits {
		rates[i] = Rate{k, 10}
	}
	return rates
}

// TestPossiblePairs: Table 2 says nothing of pairs, and needs not.
func TestPossiblePairs(t *testing.T) {
	fewest, most, ok := PossiblePairs(learned, imitated)
	require.True(t, ok)
	require.Equal(t, Pairs{Both: 26, OnlyA: 64, OnlyB: 0, Neither: 30}, fewest)
	require.Equal(t, Pairs{Both: 11, OnlyA: 79, OnlyB: 15, Neither: 15}, most)
	require.Equal(t, Rate{90, 120}, most.A())
	require.Equal(t, Rate{26, 120}, most.B())

	for _, bad := range [][2][]Rate{
		{nil, nil},
		{learned, imitated[:11]},
		{{{1, 2}}, {{1, 3}}},
		{{{0, 0}}, {{0, 0}}},
		{{{3, 2}}, {{1, 2}}},
	} {
		_, _, ok := PossiblePairs(bad[0], bad[1])
		require.False(t, ok)
	}
}
