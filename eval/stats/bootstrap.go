package stats

import "math/rand/v2"

// minClusters is the fewest scenes from which drawing scenes says anything.
const minClusters = 5

// ClusterBootstrap returns the percentile interval (Efron, 1979) of the pooled
// rate when whole clusters (scenes) are drawn anew, with replacement: trials of
// one scene are alike, and the plain intervals do not know it. With few
// clusters it is itself too narrow; five is the least, ten a decent number. The
// same seed gives the same interval. Not ok below five clusters, without
// trials, without resamples or when level is not between 0 and 1.
func ClusterBootstrap(clusters []Rate, level float64, resamples int, seed uint64) (iv Interval, ok bool) {
	return bootstrap(len(clusters), level, resamples, seed, func(drawn []int) (float64, bool) {
		return poolOf(clusters, drawn).Value()
	})
}

// ClusterBootstrapDifference returns the interval of the pooled rate of a minus
// that of b; a[i] and b[i] are the same scene and are drawn together. Not ok
// also when they differ in number.
func ClusterBootstrapDifference(a, b []Rate, level float64, resamples int, seed uint64) (iv Interval, ok bool) {
	if len(a) != len(b) {
		return Interval{}, false
	}
	return bootstrap(len(a), level, resamples, seed, func(drawn []int) (float64, bool) {
		pa, okA := poolOf(a, drawn).Value()
		pb, okB := poolOf(b, drawn).Value()
		return pa - pb, okA && okB
	})
}

// poolOf adds up the drawn clusters.
func poolOf(clusters []Rate, drawn []int) Rate {
	var sum Rate
	for _, i := range drawn {
		sum.K += clusters[i].K
		sum.N += clusters[i].N
	}
	return sum
}

// bootstrap draws n of n units again and again and returns the percentile
// interval of what value makes of them. Draws on which it is undefined are left
// out; when they are more than half, so is the interval.
func bootstrap(n int, level float64, resamples int, seed uint64, value func(drawn []int) (float64, bool)) (iv Interval, ok bool) {
	if n < minClusters || resamples < 1 || !isLevel(level) {
		return Interval{}, false
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	values := make([]float64, 0, resamples)
	drawn := make([]int, n)
	for range resamples {
		for i := range drawn {
			drawn[i] = rng.IntN(n)
		}
		if v, ok := value(drawn); ok {
			values = append(values, v)
		}
	}
	if 2*len(values) < resamples {
		return Interval{}, false
	}
	lo, ok := Percentile(values, (1-level)/2)
	hi, _ := Percentile(values, (1+level)/2)
	return Interval{lo, hi}, ok
}
