package stats

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDescribe(t *testing.T) {
	require.Equal(t, Moments{}, Describe(nil))
	require.Equal(t, Moments{N: 1, Mean: 6.1}, Describe([]float64{6.1}))
	m := Describe([]float64{2, 4, 4, 4, 5, 5, 7, 9})
	require.Equal(t, Moments{N: 8, Mean: 5, Std: 2}, m)
	std, ok := m.SampleStd()
	require.True(t, ok)
	require.InDelta(t, math.Sqrt(32.0/7), std, 1e-12)
	_, ok = Describe([]float64{6.1}).SampleStd()
	require.False(t, ok)
}

func TestRMSPools(t *testing.T) {
	_, ok := RMS(nil)
	require.False(t, ok)
	a, b := []float64{3, -4}, []float64{1, 2, 2, 4, 5}
	ra, _ := RMS(a)
	require.InDelta(t, math.Sqrt(12.5), ra, 1e-12)
	rb, _ := RMS(b)
	var p Pool
	p.Add(ra, len(a))
	p.Add(rb, len(b))
	pooled, ok := p.RMS()
	require.True(t, ok)
	whole, _ := RMS(append(a, b...))
	require.InDelta(t, whole, pooled, 1e-12)
}

func TestPercentile(t *testing.T) {
	_, ok := Percentile(nil, 0.5)
	require.False(t, ok)
	for _, q := range []float64{-0.1, 1.1, math.NaN()} {
		_, ok = Percentile([]float64{1, 2}, q)
		require.False(t, ok)
	}
	xs := []float64{40, 10, 30, 20}
	for _, c := range []struct{ q, want float64 }{
		{0, 10}, {0.5, 25}, {0.95, 38.5}, {1, 40}, {1.0 / 3, 20},
	} {
		got, ok := Percentile(xs, c.q)
		require.True(t, ok)
		require.InDelta(t, c.want, got, 1e-12)
	}
	require.Equal(t, []float64{40, 10, 30, 20}, xs, "the caller's order is kept")
}

// TestKappa: statsmodels 0.15.0, cohens_kappa([[both, only real], [only
// simulation, neither]]).kappa.
func TestKappa(t *testing.T) {
	for _, c := range []struct {
		name  string
		table Agreement
		want  float64
		ok    bool
	}{
		{"textbook", Agreement{Both: 20, OnlyReal: 5, OnlySim: 10, Neither: 15}, 0.4, true},
		{"more often yes", Agreement{Both: 45, OnlyReal: 15, OnlySim: 25, Neither: 15}, .13043478260869554, true},
		{"below chance", Agreement{Both: 1, OnlyReal: 2, OnlySim: 3, Neither: 4}, -.08695652173913052, true},
		{"uneven", Agreement{Both: 88, OnlyReal: 2, OnlySim: 18, Neither: 12}, .4594594594594596, true},
		{"perfect", Agreement{Both: 3, Neither: 7}, 1, true},
		{"opposite", Agreement{OnlyReal: 5, OnlySim: 5}, -1, true},
		{"simulation always succeeds", Agreement{Both: 6, OnlySim: 4}, 0, true},
		{"both always succeed", Agreement{Both: 10}, 0, false},
		{"both always fail", Agreement{Neither: 10}, 0, false},
		{"no trials", Agreement{}, 0, false},
	} {
		got, ok := c.table.Kappa()
		require.Equal(t, c.ok, ok, c.name)
		require.InDelta(t, c.want, got, 1e-12, c.name)
	}
	var a Agreement
	a.Count(true, true)
	a.Count(true, false)
	a.Count(true, false)
	for range 3 {
		a.Count(false, true)
	}
	for range 4 {
		a.Count(false, false)
	}
	require.Equal(t, Agreement{1, 2, 3, 4}, a)
	require.Equal(t, Rate{5, 10}, a.Agree())
}
