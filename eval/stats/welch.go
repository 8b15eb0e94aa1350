package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// MeanTest is the outcome of a test of two means: the statistic, its degrees of
// freedom, and the two-sided p-value.
type MeanTest struct {
	T  float64 `json:"t"`
	DF float64 `json:"df"`
	P  float64 `json:"p"`
}

// Welch tests whether two samples have one mean without taking their spreads as
// equal (Welch, 1947, with Satterthwaite's degrees of freedom); T is positive
// when a's mean is the larger. Take it before a speed-up is claimed, and mind
// what it cannot see: times of successes only are of trials that chose
// themselves. Over placements where both succeeded, SignFlip compares like with
// like; with every failure set to the time-out, Welch compares restricted mean
// times of all trials.
//
// Not ok when either sample has less than two values, or neither has a spread.
func Welch(a, b Moments) (test MeanTest, ok bool) {
	sa, okA := a.SampleStd()
	sb, okB := b.SampleStd()
	if !okA || !okB {
		return MeanTest{}, false
	}
	va, vb := sa*sa/float64(a.N), sb*sb/float64(b.N)
	test.T = (a.Mean - b.Mean) / math.Sqrt(va+vb)
	test.DF = (va + vb) * (va + vb) / (va*va/float64(a.N-1) + vb*vb/float64(b.N-1))
	if math.IsNaN(test.T) || math.IsInf(test.T, 0) || math.IsNaN(test.DF) {
		return MeanTest{}, false
	}
	test.P = 2 * distuv.StudentsT{Sigma: 1, Nu: test.DF}.CDF(-math.Abs(test.T))
	return test, true
}
