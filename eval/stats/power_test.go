package stats

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBarnardPower: the published powers of the one-sided test at 0.05, to two
// digits, and to six from sizes over 20,001 common rates in Python.
func TestBarnardPower(t *testing.T) {
	for _, c := range []struct {
		a, b float64
		n    int
		want float64
	}{
		{.217, .75, 10, .779834},
		{.6, .9, 10, .465539},
		{.5, .7, 10, .216825},
		{.217, .75, 20, .968714},
		{.6, .9, 20, .674723},
		{.5, .7, 20, .315692},
	} {
		less, ok := BarnardPower(c.a, c.b, c.n, c.n, Less, 0.05)
		require.True(t, ok)
		require.InDelta(t, c.want, less, 1e-6)
		greater, _ := BarnardPower(c.b, c.a, c.n, c.n, Greater, 0.05)
		require.InDelta(t, less, greater, 1e-12)
	}
}

// TestPowersAgainstEnumeration: the power is the chance of all outcomes that
// the test itself rejects.
func TestPowersAgainstEnumeration(t *testing.T) {
	const na, nb, pa, pb, alpha = 6, 8, .2, .7, 0.1
	for _, alt := range []Alternative{TwoSided, Greater, Less} {
		var barnard, fisher float64
		for ka, qa := range binomial(na, pa) {
			for kb, qb := range binomial(nb, pb) {
				if p, _ := Barnard(Rate{ka, na}, Rate{kb, nb}, alt); p <= alpha {
					barnard += qa * qb
				}
				if p, _ := Fisher(Rate{ka, na}, Rate{kb, nb}, alt); p <= alpha {
					fisher += qa * qb
				}
			}
		}
		got, ok := BarnardPower(pa, pb, na, nb, alt, alpha)
		require.True(t, ok)
		require.InDelta(t, barnard, got, 1e-12, alt.String())
		got, ok = FisherPower(pa, pb, na, nb, alt, alpha)
		require.True(t, ok)
		require.InDelta(t, fisher, got, 1e-12, alt.String())
	}
}

// TestFisherPower and McNemarPower: sums over all outcomes whose
// fisher_exact(...).pvalue or binomtest(...).pvalue is at most 0.05, weighted
// by binom.pmf or multinomial.pmf, SciPy 1.17.1.
func TestFisherPower(t *testing.T) {
	for _, c := range []struct {
		a, b   float64
		na, nb int
		alt    Alternative
		want   float64
	}{
		{.217, .75, 10, 10, Less, .684852},
		{.6, .9, 20, 20, TwoSided, .492033},
		{.9, .3, 12, 7, Greater, .787765},
		{.5, .7, 10, 10, Less, .126033},
	} {
		p, ok := FisherPower(c.a, c.b, c.na, c.nb, c.alt, 0.05)
		require.True(t, ok)
		require.InDelta(t, c.want, p, 1e-6)
	}
}

func TestMcNemarPower(t *testing.T) {
	for _, c := range []struct {
		a, b float64
		n    int
		alt  Alternative
		want float64
	}{
		{.3, .05, 20, TwoSided, .321172},
		{.16275, .58725, 20, TwoSided, .527937},
		{.36, .04, 30, Greater, .875006},
		{.1, .3, 15, Less, .176411},
		{0, 0, 15, TwoSided, 0},
		{1, 0, 6, TwoSided, 1},
		{1, 0, 5, TwoSided, 0},
	} {
		p, ok := McNemarPower(c.a, c.b, c.n, c.alt, 0.05)
		require.True(t, ok)
		require.InDelta(t, c.want, p, 1e-6)
	}
	_, ok := McNemarPower(.6, .6, 10, TwoSided, 0.05)
	require.False(t, ok)
	onlyA, onlyB := IndependentPairs(.9, .6)
	require.InDelta(t, .36, onlyA, 1e-12)
	require.InDelta(t, .06, onlyB, 1e-12)
}

func TestPowerRefuses(t *testing.T) {
	for _, c := range []struct {
		pa, pb float64
		na, nb int
		alpha  float64
	}{
		{-.1, .5, 10, 10, .05},
		{.5, 1.1, 10, 10, .05},
		{math.NaN(), .5, 10, 10, .05},
		{.5, .5, 0, 10, .05},
		{.5, .5, 10, 0, .05},
		{.5, .5, 10, 10, 0},
		{.5, .5, 10, 10, 1},
	} {
		_, ok := BarnardPower(c.pa, c.pb, c.na, c.nb, Less, c.alpha)
		require.False(t, ok)
		_, ok = FisherPower(c.pa, c.pb, c.na, c.nb, Less, c.alpha)
		require.False(t, ok)
		_, ok = ForecastUnpaired(c.pa, c.pb, c.na, c.alpha, c.nb, 1)
		require.False(t, ok)
		_, ok = ForecastPaired(c.pa, c.pb, c.na, c.alpha, c.nb, 1)
		require.False(t, ok)
	}
	p, ok := BarnardPower(0, 1, 1, 1, TwoSided, 0.05)
	require.True(t, ok)
	require.Zero(t, p, "one trial each shows nothing")
	p, ok = BarnardPower(0, 1, 10, 10, TwoSided, 0.05)
	require.True(t, ok)
	require.InDelta(t, 1, p, 1e-12)
}

// TestSampleSize compares with looking at every n.
func TestSampleSize(t *testing.T) {
	for _, c := range []struct{ a, b, target float64 }{
		{.6, .9, .8}, {.6, .9, .9}, {.217, .75, .8}, {.2, .5, .8}, {.05, .3, .7}, {.9, .99, .5},
	} {
		for name, power := range map[string]func(n int) (float64, bool){
			"Barnard": func(n int) (float64, bool) { return BarnardPower(c.a, c.b, n, n, Less, 0.05) },
			"Fisher":  func(n int) (float64, bool) { return FisherPower(c.a, c.b, n, n, TwoSided, 0.05) },
			"McNemar": func(n int) (float64, bool) {
				onlyA, onlyB := IndependentPairs(c.a, c.b)
				return McNemarPower(onlyA, onlyB, n, TwoSided, 0.05)
			},
		} {
			want := 0
			for p := 0.0; p < c.target; {
				want++
				p, _ = power(want)
			}
			n, ok := SampleSize(c.target, 500, power)
			require.True(t, ok)
			require.Equal(t, want, n, "%s %v", name, c)
			n, ok = SampleSize(c.target, want, power)
			require.True(t, ok)
			require.Equal(t, want, n)
			_, ok = SampleSize(c.target, want-1, power)
			require.False(t, ok)
		}
	}
	// A tooth of the saw below the n that bisection finds.
	saw := func(n int) (float64, bool) {
		if n == 77 {
			return 0.8, true
		}
		return float64(n) / 100, true
	}
	n, _ := SampleSize(.8, 500, saw)
	require.Equal(t, 77, n)
	n, _ = SampleSize(.8, 500, func(n int) (float64, bool) { return BarnardPower(.6, .9, n, n, Less, 0.05) })
	require.Equal(t, 26, n)
	_, ok := SampleSize(.8, 0, func(int) (float64, bool) { return 1, true })
	require.False(t, ok)
	_, ok = SampleSize(.8, 100, func(n int) (float64, bool) { return BarnardPower(2, .9, n, n, Less, 0.05) })
	require.False(t, ok)
	one, ok := SampleSize(.8, 100, func(int) (float64, bool) { return 1, true })
	require.True(t, ok)
	require.Equal(t, 1, one)
}
