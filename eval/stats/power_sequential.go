package stats

import "math/rand/v2"

// StopForecast says what a sequential comparison may be expected to do.
type StopForecast struct {
	// Stopped counts the simulated studies that found the difference by the
	// last pair: the power, or the type-I error when there is no difference.
	Stopped Rate
	// MeanPairs, MedianPairs and P90Pairs are of the pairs a study takes; one
	// that never finds the difference takes all.
	MeanPairs, MedianPairs, P90Pairs float64
}

// ForecastUnpaired simulates studies that stop when UnpairedE reaches 1/alpha,
// at the latest after most pairs, of policies with the given true rates. The
// same seed gives the same forecast. Not ok when a rate is not in 0 to 1, alpha
// not between 0 and 1, or most or studies below 1; nor is ForecastPaired.
func ForecastUnpaired(baseline, candidate float64, most int, alpha float64, studies int, seed uint64) (f StopForecast, ok bool) {
	if !planned(baseline, candidate, most, studies, alpha) {
		return StopForecast{}, false
	}
	return forecast(most, studies, seed, func(rng *rand.Rand) func() bool {
		var e UnpairedE
		return func() bool {
			e.Add(rng.Float64() < baseline, rng.Float64() < candidate)
			return e.Rejects(alpha)
		}
	}), true
}

// ForecastPaired does so for PairedE, where a pair is a win of the candidate or
// of the baseline with the given chances and else a draw.
func ForecastPaired(baselineWins, candidateWins float64, most int, alpha float64, studies int, seed uint64) (f StopForecast, ok bool) {
	if !planned(baselineWins, candidateWins, most, studies, alpha) || baselineWins+candidateWins > 1+1e-12 {
		return StopForecast{}, false
	}
	return forecast(most, studies, seed, func(rng *rand.Rand) func() bool {
		var e PairedE
		return func() bool {
			u := rng.Float64()
			lost, won := u < baselineWins, u >= 1-candidateWins
			e.Add(lost, won)
			return e.Rejects(alpha)
		}
	}), true
}

// forecast runs studies, each with a fresh step that takes one pair and tells
// whether to stop.
func forecast(most, studies int, seed uint64, begin func(*rand.Rand) func() bool) StopForecast {
	rng := rand.New(rand.NewPCG(seed, 0))
	var f StopForecast
	took := make([]float64, studies)
	for i := range took {
		step, stopped, n := begin(rng), false, 0
		for n < most && !stopped {
			stopped = step()
			n++
		}
		f.Stopped.Count(stopped)
		took[i] = float64(n)
	}
	f.MeanPairs = Describe(took).Mean
	f.MedianPairs, _ = Percentile(took, 0.5)
	f.P90Pairs, _ = Percentile(took, 0.9)
	return f
}
