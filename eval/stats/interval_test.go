package stats

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// TestIntervals holds 95 % and other intervals to four digits. SciPy 1.17.1 and
// statsmodels 0.15.0: proportion_confint(k, n, 1-level, method), method wilson,
// beta, jeffreys; Jeffreys' ends of 0 and 1 without hits or misses are ours.
func TestIntervals(t *testing.T) {
	for _, c := range []struct {
		k, n                             int
		level                            float64
		wilson, clopperPearson, jeffreys Interval
	}{
		{0, 10, .95, Interval{0, .2775}, Interval{0, .3085}, Interval{0, .2172}},
		{1, 10, .95, Interval{.0179, .4042}, Interval{.0025, .4450}, Interval{.0110, .3813}},
		{5, 10, .95, Interval{.2366, .7634}, Interval{.1871, .8129}, Interval{.2235, .7765}},
		{9, 10, .95, Interval{.5958, .9821}, Interval{.5550, .9975}, Interval{.6187, .9890}},
		{10, 10, .95, Interval{.7225, 1}, Interval{.6915, 1}, Interval{.7828, 1}},
		{26, 120, .95, Interval{.1524, .2985}, Interval{.1467, .3011}, Interval{.1502, .2966}},
		{90, 120, .95, Interval{.6656, .8189}, Interval{.6627, .8245}, Interval{.6672, .8209}},
		{54, 120, .95, Interval{.3639, .5392}, Interval{.3591, .5435}, Interval{.3631, .5393}},
		{106, 120, .95, Interval{.8137, .9292}, Interval{.8120, .9347}, Interval{.8169, .9315}},
		{80, 120, .95, Interval{.5783, .7447}, Interval{.5748, .7501}, Interval{.5791, .7463}},
		{22, 120, .95, Interval{.1243, .2620}, Interval{.1186, .2643}, Interval{.1221, .2596}},
		{8, 120, .95, Interval{.0342, .1261}, Interval{.0292, .1271}, Interval{.0320, .1218}},
		{3, 7, .90, Interval{.1864, .7105}, Interval{.1288, .7747}, Interval{.1746, .7192}},
		{1, 1, .99, Interval{.1310, 1}, Interval{.0050, 1}, Interval{.0512, 1}},
		{0, 1, .80, Interval{0, .6216}, Interval{0, .9}, Interval{0, .6486}},
		{499, 1000, .95, Interval{.4681, .5299}, Interval{.4676, .5305}, Interval{.4681, .5300}},
	} {
		r := Rate{c.k, c.n}
		w, ok := r.Wilson(c.level)
		require.True(t, ok)
		requireDigits(t, c.wilson, w)
		cp, ok := r.ClopperPearson(c.level)
		require.True(t, ok)
		requireDigits(t, c.clopperPearson, cp)
		j, ok := r.Jeffreys(c.level)
		require.True(t, ok)
		requireDigits(t, c.jeffreys, j)
	}
	w, _ := Rate{9, 10}.Wilson(0.95)
	require.InDelta(t, .595850, w.Lo, 5e-7)
	require.InDelta(t, .982124, w.Hi, 5e-7)
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
	_, ok = r.Jeffreys(0.95)
	require.False(t, ok)
	for _, level := range []float64{0, 1, -0.5, 95, math.NaN(), math.Inf(1)} {
		_, ok = Rate{1, 2}.Wilson(level)
		require.False(t, ok, "level %v", level)
		_, ok = Rate{1, 2}.ClopperPearson(level)
		require.False(t, ok, "level %v", level)
		_, ok = Rate{1, 2}.Jeffreys(level)
		require.False(t, ok, "level %v", level)
	}
	r.Count(true)
	r.Count(false)
	p, ok := r.Value()
	require.True(t, ok)
	require.InDelta(t, 0.5, p, 0)
}

// TestCoverage sums the exact coverage at n = 10 over a grid of p: the exact
// interval keeps its promise everywhere, the two others on average, and
// somewhere they do not, which is why both kinds are here.
func TestCoverage(t *testing.T) {
	const n, grid = 10, 1000
	for _, c := range []struct {
		name             string
		of               func(Rate, float64) (Interval, bool)
		least, mostLeast float64
	}{
		{"Clopper-Pearson", Rate.ClopperPearson, 0.95, 1},
		{"Wilson", Rate.Wilson, 0.83, 0.94},
		{"Jeffreys", Rate.Jeffreys, 0.86, 0.94},
	} {
		var ivs [n + 1]Interval
		for k := range ivs {
			ivs[k], _ = c.of(Rate{k, n}, 0.95)
		}
		least, mean := 1.0, 0.0
		for i := 1; i < grid; i++ {
			p := float64(i) / grid
			covered := 0.0
			for k, iv := range ivs {
				if iv.Lo <= p && p <= iv.Hi {
					covered += distuv.Binomial{N: n, P: p}.Prob(float64(k))
				}
			}
			least = min(least, covered)
			mean += covered / (grid - 1)
		}
		require.GreaterOrEqual(t, least, c.least, c.name)
		require.Less(t, least, c.mostLeast, c.name)
		require.Greater(t, mean, 0.949, c.name)
	}
}

// TestBetaQuantile: the library's inverse where it can be trusted, and closed
// forms where it can not: Beta(1, b) has the quantile 1-(1-q)^(1/b), Beta(a, 1)
// q^(1/a).
func TestBetaQuantile(t *testing.T) {
	for _, ab := range [][2]float64{{1, 10}, {5, 6}, {26, 95}, {107, 14}} {
		for _, q := range []float64{0.005, 0.025, 0.5, 0.975, 0.995} {
			require.InDelta(t, mathext.InvRegIncBeta(ab[0], ab[1], q), betaQuantile(ab[0], ab[1], q), 1e-10, "%v %v", ab, q)
		}
	}
	for _, n := range []float64{1, 10, 79, 1000, 1e6} {
		for _, q := range []float64{1e-7, 0.025, 0.975, 1 - 5e-7} {
			require.InDelta(t, -math.Expm1(math.Log1p(-q)/n), betaQuantile(1, n, q), 1e-10, "%v %v", n, q)
			require.InDelta(t, math.Pow(q, 1/n), betaQuantile(n, 1, q), 1e-10, "%v %v", n, q)
		}
	}
}
