package stats

import "math/rand/v2"

// ClusterBootstrap returns the percentile interval of the pooled rate when whole
// clusters (scenes) are drawn anew, with replacement: trials of one scene are
// alike, and the plain intervals do not know it. The same seed gives the same
// interval. It is not ok below five clusters or without trials.
func ClusterBootstrap(clusters []Rate, level float64, resamples int, seed uint64) (iv Interval, ok bool) {
	if len(clusters) < 5 {
		return Interval{}, false
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	means := make([]float64, 0, resamples)
	for range resamples {
		var sum Rate
		for range clusters {
			c := clusters[rng.IntN(len(clusters))]
			sum.K += c.K
			sum.N += c.N
		}
		if p, ok := sum.Value(); ok {
			means = append(means, p)
		}
	}
	lo, ok := Percentile(means, (1-level)/2)
	hi, _ := Percentile(means, (1+level)/2)
	return Interval{lo, hi}, ok
}
