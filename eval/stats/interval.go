package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a closed range.
type Interval struct{ Lo, Hi float64 }

// isLevel tells whether x is a level of confidence or of significance: strictly
// between 0 and 1. NaN is not.
func isLevel(x float64) bool { return 0 < x && x < 1 }

// Wilson returns the score interval of E. B. Wilson (1927): all p whose normal
// approximation, with the deviation at p itself, does not reject K of N. On
// average over p it covers as promised, at some p a little less. It is the one
// to show.
//
//	(p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n)
//
// The lower end is exactly 0 without hits, the upper end exactly 1 without
// misses. Not ok without trials or when level is not between 0 and 1; the same
// holds for the intervals below.
func (r Rate) Wilson(level float64) (iv Interval, ok bool) {
	p, ok := r.Value()
	if !ok || !isLevel(level) {
		return Interval{}, false
	}
	n := float64(r.N)
	z := distuv.UnitNormal.Quantile((1 + level) / 2)
	mid := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	iv = Interval{mid - half, mid + half}

	// At the ends the bound is exact; rounding must not move it.
	if r.K == 0 {
		iv.Lo = 0
	}
	if r.K == r.N {
		iv.Hi = 1
	}
	return iv, true
}

// ClopperPearson returns the exact interval of Clopper and Pearson (1934): all
// p at which neither binomial tail of K of N is below (1-level)/2. It covers at
// least as promised at every p, and is wider for it. Take it where coverage is
// promised.
func (r Rate) ClopperPearson(level float64) (iv Interval, ok bool) {
	if !r.valid() || !isLevel(level) {
		return Interval{}, false
	}
	k, n, tail := float64(r.K), float64(r.N), (1-level)/2
	iv = Interval{0, 1}
	if r.K > 0 {
		iv.Lo = betaQuantile(k, n-k+1, tail)
	}
	if r.K < r.N {
		iv.Hi = betaQuantile(k+1, n-k, 1-tail)
	}
	return iv, true
}

// Jeffreys returns the central credible interval of p under Jeffreys' prior
// Beta(1/2, 1/2), with the ends set to 0 and 1 where there are no hits or no
// misses (Brown, Cai and DasGupta, 2001). Like Wilson it covers on average.
func (r Rate) Jeffreys(level float64) (iv Interval, ok bool) {
	if !r.valid() || !isLevel(level) {
		return Interval{}, false
	}
	a, b, tail := float64(r.K)+0.5, float64(r.N-r.K)+0.5, (1-level)/2
	iv = Interval{0, 1}
	if r.K > 0 {
		iv.Lo = betaQuantile(a, b, tail)
	}
	if r.K < r.N {
		iv.Hi = betaQuantile(a, b, 1-tail)
	}
	return iv, true
}

// betaQuantile returns the x below which Beta(a, b) has the probability q, by
// bisection: the library's inverse is off by 0.8 in far tails, such as of
// Beta(1, 79) at 1e-6 from its upper end.
func betaQuantile(a, b, q float64) float64 {
	lo, hi := 0.0, 1.0
	for {
		mid := (lo + hi) / 2
		if mid == lo || mid == hi {
			return mid
		}
		if mathext.RegIncBeta(a, b, mid) < q {
			lo = mid
		} else {
			hi = mid
		}
	}
}
