package stats

import "math"

// Alternative is what a test holds against "no difference". A one-sided one
// must be chosen before the trials are seen.
type Alternative int

const (
	// TwoSided asks whether A and B differ.
	TwoSided Alternative = iota
	// Greater asks whether A's rate is above B's.
	Greater
	// Less asks whether A's rate is below B's.
	Less
)

// String returns the name that files and reports use.
func (a Alternative) String() string {
	switch a {
	case TwoSided:
		return "two-sided"
	case Greater:
		return "greater"
	case Less:
		return "less"
	default:
		return "unknown"
	}
}

// isProbability tells whether x is in 0 to 1. NaN is not.
func isProbability(x float64) bool { return 0 <= x && x <= 1 }

// logChoose returns the logarithm of n over k.
func logChoose(n, k int) float64 {
	return logFactorial(n) - logFactorial(k) - logFactorial(n-k)
}

func logFactorial(n int) float64 {
	lg, _ := math.Lgamma(float64(n) + 1)
	return lg
}

// logChooses returns the logarithms of n over k for each k.
func logChooses(n int) []float64 {
	row := make([]float64, n+1)
	for k := range row {
		row[k] = logChoose(n, k)
	}
	return row
}

// binomial returns the probability of each count 0 to n of hits at rate p.
func binomial(n int, p float64) []float64 { return binomialOf(logChooses(n), p) }

// binomialOf does so from n's row of logChooses.
func binomialOf(choose []float64, p float64) []float64 {
	n := len(choose) - 1
	pmf := make([]float64, n+1)
	switch p {
	case 0:
		pmf[0] = 1
		return pmf
	case 1:
		pmf[n] = 1
		return pmf
	}
	logP, logQ := math.Log(p), math.Log1p(-p)
	for k := range pmf {
		pmf[k] = math.Exp(choose[k] + float64(k)*logP + float64(n-k)*logQ)
	}
	return pmf
}
