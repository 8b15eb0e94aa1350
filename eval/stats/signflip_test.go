package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSignFlip: SciPy 1.17.1, permutation_test((d, zeros), mean of x-y,
// permutation_type="samples", n_resamples=inf, alternative).
func TestSignFlip(t *testing.T) {
	scenes := make([]float64, len(learned))
	for i := range scenes {
		scenes[i] = float64(learned[i].K - imitated[i].K)
	}
	require.Equal(t, []float64{3, 5, 8, 6, 7, 7, 5, 6, 6, 3, 5, 3}, scenes)
	mixed := []float64{1.5, -.5, 2, .25, -1, 3}
	for _, c := range []struct {
		d    []float64
		alt  Alternative
		want float64
	}{
		{scenes, TwoSided, 2.0 / 4096},
		{scenes, Greater, 1.0 / 4096},
		{scenes, Less, 1},
		{mixed, TwoSided, .25},
		{mixed, Greater, .125},
		{mixed, Less, .90625},
		{[]float64{1, 1, -1, 0, 2}, TwoSided, .5},
		{[]float64{0, 0, 0}, TwoSided, 1},
		{[]float64{4}, TwoSided, 1},
		// Rates in tenths are not exact in binary: ties must stay ties. Ten of
		// the 64 sums are 0 (3+3, eight times 3+2+1, 2+2+1+1 of twelve), the
		// others at least as far from it as 0.2.
		{[]float64{.1, .2, -.3, .3, -.2, .1}, TwoSided, 54.0 / 64},
	} {
		p, ok := SignFlip(c.d, c.alt, 0)
		require.True(t, ok)
		require.InDelta(t, c.want, p, 1e-12, "%v %v", c.d, c.alt)
	}
	for _, bad := range [][]float64{nil, {1, math.NaN()}, {math.Inf(1)}} {
		_, ok := SignFlip(bad, TwoSided, 0)
		require.False(t, ok)
	}
}

// TestSignFlipDraws: beyond twenty differences the signs are drawn, and the p
// is near the exact one, which whole numbers give by adding up distributions.
func TestSignFlipDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 0))
	d := make([]float64, 30)
	sum := 0
	ways := map[int]float64{0: 1}
	for i := range d {
		k := rng.IntN(9) - 3
		d[i] = float64(k)
		sum += k
		next := map[int]float64{}
		for s, p := range ways {
			next[s+k] += p / 2
			next[s-k] += p / 2
		}
		ways = next
	}
	exact := 0.0
	for s, p := range ways {
		if max(s, -s) >= max(sum, -sum) {
			exact += p
		}
	}
	p, ok := SignFlip(d, TwoSided, 1)
	require.True(t, ok)
	require.InDelta(t, exact, p, 4*math.Sqrt(exact*(1-exact)/drawnFlips))
	again, _ := SignFlip(d, TwoSided, 1)
	require.InDelta(t, p, again, 0)

	for i := range d {
		d[i] = 1
	}
	p, _ = SignFlip(d, Greater, 1)
	require.InDelta(t, 1.0/(drawnFlips+1), p, 1e-12, "a drawn p is never 0")
}
