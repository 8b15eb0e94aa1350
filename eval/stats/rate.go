package stats

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// Rate is K hits of N trials, 0 <= K <= N.
type Rate struct{ K, N int }

// Interval is a closed range.
type Interval struct{ Lo, Hi float64 }

// Count adds one trial.
func (r *Rate) Count(hit bool) {
	r.N++
	if hit {
		r.K++
	}
}

// Value returns K/N; not ok when there are no trials.
func (r Rate) Value() (p float64, ok bool) {
	if r.N == 0 {
		return 0, false
	}
	return float64(r.K) / float64(r.N), true
}

// Wilson returns Wilson's score interval: on average over p it covers as
// promised, at some p a little less. It is the one to show.
func (r Rate) Wilson(level float64) (iv Interval, ok bool) {
	p, ok := r.Value()
	if !ok {
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

// ClopperPearson returns the exact interval: it covers at least as promised at
// every p, and is wider for it.
func (r Rate) ClopperPearson(level float64) (iv Interval, ok bool) {
	if r.N == 0 {
		return Interval{}, false
	}
	k, n, tail := float64(r.K), float64(r.N), (1-level)/2
	iv = Interval{0, 1}
	if r.K > 0 {
		iv.Lo = mathext.InvRegIncBeta(k, n-k+1, tail)
	}
	if r.K < r.N {
		iv.Hi = mathext.InvRegIncBeta(k+1, n-k, 1-tail)
	}
	return iv, true
}
