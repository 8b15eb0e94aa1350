package stats

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// TestIntervals holds published 95 % intervals to their four printed digits.
func TestIntervals(t *testing.T) {
	none := Interval{-1, -1}
	for _, c := range []struct {
		k, n           int
		wilson, pclopp Interval
	}{
		{0, 10, Interval{0, .2775}, Interval{0, .3085}},
		{1, 10, Interval{.0179, .4042}, Interval{.0025, .4450}},
		{5, 10, Interval{.2366, .7634}, Interval{.1871, .8129}},
		{9, 10, Interval{.5958, .9821}, Interval{.5550, .9975}},
		{10, 10, Interval{.7225, 1}, Interval{.6915, 1}},
		{26, 120, Interval{.1524, .2985}, Interval{.1467, .3011}},
		{90, 120, Interval{.6656, .8189}, Interval{.6627, .8245}},
		{54, 120, Interval{.3639, .5392}, Interval{.3591, .5435}},
		{106, 120, Interval{.8137, .9292}, Interval{.8120, .9347}},
		{80, 120, Interval{.5783, .7447}, none},
		{22, 120, Interval{.1243, .2620}, Interval{.1186, .2643}},
		{8, 120, Interval{.0342, .1261}, Interval{.0292, .1271}},
	} {
		w, ok := Rate{c.k, c.n}.Wilson(0.95)
		require.True(t, ok)
		requireDigits(t, c.wilson, w)
		cp, ok := Rate{c.k, c.n}.ClopperPearson(0.95)
		require.True(t, ok)
		if c.pclopp != none {
			requireDigits(t, c.pclopp, cp)
		}
	}
}

func requireDigits(t *testing.T, want, got Interval) {
	t.Helper()
	round := func(x float64) float64 { return math.Round(x*1e4) / 1e4 }
	require.Equal(t, want, Interval{round(got.Lo), round(got.Hi)})
}

func TestNoTrialsHaveNoRate(t *testing.T) {
	var r Rate
	_, ok := r.Value()
	require.False(t, ok)
	_, ok = r.Wilson(0.95)
	require.False(t, ok)
	_, ok = r.ClopperPearson(0.95)
	require.False(t, ok)
	r.Count(true)
	r.Count(false)
	p, ok := r.Value()
	require.True(t, ok)
	require.InDelta(t, 0.5, p, 0)
}

// TestClopperPearsonCovers sums the exact coverage at n = 10 over a grid of p.
func TestClopperPearsonCovers(t *testing.T) {
	const n = 10
	var ivs [n + 1]Interval
	for k := range ivs {
		ivs[k], _ = Rate{k, n}.ClopperPearson(0.95)
	}
	for i := 1; i < 1000; i++ {
		p := float64(i) / 1000
		covered := 0.0
		for k, iv := range ivs {
			if iv.Lo <= p && p <= iv.Hi {
				covered += distuv.Binomial{N: n, P: p}.Prob(float64(k))
			}
		}
		require.GreaterOrEqual(t, covered, 0.95, "p = %v", p)
	}
}

// TestInverseBeta checks the library's inverse against bisection.
func TestInverseBeta(t *testing.T) {
	for _, ab := range [][2]float64{{1, 10}, {5, 6}, {26, 95}, {107, 14}} {
		for _, q := range []float64{0.005, 0.025, 0.5, 0.975, 0.995} {
			lo, hi := 0.0, 1.0
			for range 100 {
				if mid := (lo + hi) / 2; mathext.RegIncBeta(ab[0], ab[1], mid) < q {
					lo = mid
				} else {
					hi = mid
				}
			}
			require.InDelta(t, lo, mathext.InvRegIncBeta(ab[0], ab[1], q), 1e-10, "%v %v", ab, q)
		}
	}
}

// TestClusterBootstrap compares with an independent 20,000-resample run over
// the two policies' successes of ten in each of twelve scenes.
func TestClusterBootstrap(t *testing.T) {
	for _, c := range []struct {
		k    [12]int
		want Interval
	}{
		{[12]int{9, 7, 9, 7, 10, 10, 7, 8, 7, 6, 5, 5}, Interval{.658, .842}},
		{[12]int{6, 2, 1, 1, 3, 3, 2, 2, 1, 3, 0, 2}, Interval{.142, .308}},
	} {
		rates := make([]Rate, len(c.k))
		for i, k := range c.k {
			rates[i] = Rate{k, 10}
		}
		iv, ok := ClusterBootstrap(rates, 0.95, 20000, 1)
		require.True(t, ok)
		require.InDelta(t, c.want.Lo, iv.Lo, 0.0085) // one success of 120
		require.InDelta(t, c.want.Hi, iv.Hi, 0.0085)
		again, _ := ClusterBootstrap(rates, 0.95, 20000, 1)
		require.Equal(t, iv, again)
	}
	_, ok := ClusterBootstrap(make([]Rate, 4), 0.95, 100, 1)
	require.False(t, ok, "four clusters are too few")
	_, ok = ClusterBootstrap(make([]Rate, 12), 0.95, 100, 1)
	require.False(t, ok, "no trials")
}
