package stats

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHolm: statsmodels 0.15.0, multipletests(ps, method="holm")[1].
func TestHolm(t *testing.T) {
	for _, c := range []struct{ ps, want []float64 }{
		{[]float64{.01, .04, .03, .005}, []float64{.03, .06, .06, .02}},
		{[]float64{.2, .01, .01, .7, .0001}, []float64{.4, .04, .04, .7, .0005}},
		{[]float64{.9, .8}, []float64{1, 1}},
		{[]float64{.03}, []float64{.03}},
		{nil, nil},
	} {
		got, ok := Holm(c.ps)
		require.True(t, ok)
		require.InDeltaSlice(t, c.want, got, 1e-12)
	}
	for _, bad := range []float64{math.NaN(), -0.1, 1.1} {
		_, ok := Holm([]float64{.5, bad})
		require.False(t, ok)
	}
}

// TestPairwise compares four policies, one of which was never run.
func TestPairwise(t *testing.T) {
	rates := []Rate{{90, 120}, {26, 120}, {0, 0}, {30, 120}}
	got := Pairwise(len(rates), func(i, j int) (float64, bool) { return Fisher(rates[i], rates[j], TwoSided) })
	require.Len(t, got, 6)
	made := 0
	for _, c := range got {
		require.Less(t, c.I, c.J)
		require.Equal(t, c.I != 2 && c.J != 2, c.OK)
		if !c.OK {
			require.Zero(t, c.P)
			require.Zero(t, c.Adjusted)
			continue
		}
		made++
		p, _ := Fisher(rates[c.I], rates[c.J], TwoSided)
		require.InDelta(t, p, c.P, 0)
	}
	require.Equal(t, 3, made)
	require.InEpsilon(t, 3*got[0].P, got[0].Adjusted, 1e-12, "three comparisons were made, not six")
	require.InEpsilon(t, got[4].P, got[4].Adjusted, 1e-12, "the largest stays as it is")

	require.Empty(t, Pairwise(1, nil))
	lost := Pairwise(2, func(int, int) (float64, bool) { return math.NaN(), true })
	require.Equal(t, []PairTest{{I: 0, J: 1}}, lost)
}
