package stats

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWelch: SciPy 1.17.1, ttest_ind_from_stats(11.465, 5.56, 26, 10.199, 5.11,
// 90, equal_var=False) for Table 2's times, which are no speed-up, and
// ttest_ind(x, y, equal_var=False).
func TestWelch(t *testing.T) {
	population := func(mean, std float64, n int) Moments {
		return Moments{N: n, Mean: mean, Std: std * math.Sqrt(float64(n-1)/float64(n))}
	}
	got, ok := Welch(population(11.465, 5.56, 26), population(10.199, 5.11, 90))
	require.True(t, ok)
	require.InDelta(t, 1.040955, got.T, 1e-6)
	require.InDelta(t, 38, got.DF, 0.5)
	require.InDelta(t, .304465, got.P, 1e-6)

	x := Describe([]float64{7.4, 10.4, 8.4, 12.2, 10.2})
	y := Describe([]float64{10.7, 13.3, 11.5, 6.1, 11, 10.5, 7.8})
	got, ok = Welch(x, y)
	require.True(t, ok)
	require.InDelta(t, -.330601, got.T, 1e-6)
	require.InDelta(t, 9.865163, got.DF, 1e-6)
	require.InDelta(t, .747860, got.P, 1e-6)

	one, flat := Describe([]float64{6.1}), Describe([]float64{5, 5})
	for _, bad := range [][2]Moments{{x, one}, {one, y}, {Moments{}, y}, {flat, flat}, {x, {N: 3, Mean: math.NaN(), Std: 1}}} {
		_, ok = Welch(bad[0], bad[1])
		require.False(t, ok)
	}
	got, ok = Welch(x, flat)
	require.True(t, ok, "one spread is enough")
	require.InDelta(t, 4, got.DF, 1e-12)
}
