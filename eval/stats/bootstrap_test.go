package stats

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestClusterBootstrap compares with an independent run of 20,000 resamples
// over Table 2's scenes, printed to three digits.
func TestClusterBootstrap(t *testing.T) {
	const resamples = 20000
	for seed := range uint64(3) {
		iv, ok := ClusterBootstrap(learned, 0.95, resamples, seed)
		require.True(t, ok)
		requireThreeDigits(t, Interval{.658, .842}, iv)
		again, _ := ClusterBootstrap(learned, 0.95, resamples, seed)
		require.Equal(t, iv, again)

		iv, ok = ClusterBootstrap(imitated, 0.95, resamples, seed)
		require.True(t, ok)
		requireThreeDigits(t, Interval{.142, .308}, iv)

		iv, ok = ClusterBootstrapDifference(learned, imitated, 0.95, resamples, seed)
		require.True(t, ok)
		requireThreeDigits(t, Interval{.442, .625}, iv)
	}
}

func requireThreeDigits(t *testing.T, want, got Interval) {
	t.Helper()
	require.InDelta(t, want.Lo, got.Lo, 5.1e-4)
	require.InDelta(t, want.Hi, got.Hi, 5.1e-4)
}

// TestBootstrapAgainstEnumeration: drawing twelve of twelve scenes has a known
// distribution, the twelvefold convolution of one draw; the interval's ends are
// its quantiles.
func TestBootstrapAgainstEnumeration(t *testing.T) {
	sums := map[int]float64{0: 1}
	for range learned {
		next := map[int]float64{}
		for sum, p := range sums {
			for _, scene := range learned {
				next[sum+scene.K] += p / float64(len(learned))
			}
		}
		sums = next
	}
	quantile := func(q float64) float64 {
		below := 0.0
		for k := range 121 {
			if below += sums[k]; below >= q {
				return float64(k) / 120
			}
		}
		return 1
	}
	for _, level := range []float64{0.5, 0.8, 0.9, 0.95} {
		iv, ok := ClusterBootstrap(learned, level, 200_000, 3)
		require.True(t, ok)
		require.InDelta(t, quantile((1-level)/2), iv.Lo, 1e-9, "level %v", level)
		require.InDelta(t, quantile((1+level)/2), iv.Hi, 1e-9, "level %v", level)
	}
}

func TestBootstrapNeedsClusters(t *testing.T) {
	for _, c := range []struct {
		name      string
		clusters  []Rate
		level     float64
		resamples int
	}{
		{"four clusters", learned[:4], 0.95, 100},
		{"no trials", make([]Rate, 12), 0.95, 100},
		{"no resamples", learned, 0.95, 0},
		{"no level", learned, 1, 100},
	} {
		_, ok := ClusterBootstrap(c.clusters, c.level, c.resamples, 1)
		require.False(t, ok, c.name)
		_, ok = ClusterBootstrapDifference(c.clusters, c.clusters, c.level, c.resamples, 1)
		require.False(t, ok, c.name)
	}
	_, ok := ClusterBootstrapDifference(learned, imitated[:11], 0.95, 100, 1)
	require.False(t, ok, "scenes that are not the same")

	// Each policy was run in one scene only: most draws lack one of them.
	here, there := make([]Rate, 12), make([]Rate, 12)
	here[0], there[1] = Rate{5, 10}, Rate{5, 10}
	_, ok = ClusterBootstrap(here, 0.95, 1000, 1)
	require.True(t, ok)
	_, ok = ClusterBootstrapDifference(here, there, 0.95, 1000, 1)
	require.False(t, ok)

	// Scenes of unequal size and one not yet run: pooled as they are.
	uneven := []Rate{{1, 2}, {30, 60}, {0, 0}, {5, 10}, {10, 20}}
	iv, ok := ClusterBootstrap(uneven, 0.95, 1000, 1)
	require.True(t, ok)
	require.Equal(t, Interval{.5, .5}, iv)
}
