package stats

import (
	"math"
	"slices"
)

// Moments describe a sample. Std is the population's (divided by N, not N-1).
// With N = 0 Mean and Std say nothing; with N = 1 Std says nothing.
type Moments struct {
	N         int
	Mean, Std float64
}

// Describe returns the moments of xs.
func Describe(xs []float64) Moments {
	m := Moments{N: len(xs)}
	if m.N == 0 {
		return m
	}
	for _, x := range xs {
		m.Mean += x
	}
	m.Mean /= float64(m.N)
	for _, x := range xs {
		m.Std += (x - m.Mean) * (x - m.Mean)
	}
	m.Std = math.Sqrt(m.Std / float64(m.N))
	return m
}

// SampleStd returns the spread divided by N-1; not ok below two values.
func (m Moments) SampleStd() (std float64, ok bool) {
	if m.N < 2 {
		return 0, false
	}
	return m.Std * math.Sqrt(float64(m.N)/float64(m.N-1)), true
}

// RMS returns the root of the mean square; not ok when xs is empty.
func RMS(xs []float64) (rms float64, ok bool) {
	var p Pool
	for _, x := range xs {
		p.Add(x, 1)
	}
	return p.RMS()
}

// Pool pools root mean squares of samples of different sizes into one.
type Pool struct {
	n   int
	sum float64
}

// Add adds a sample of n values whose root mean square is rms.
func (p *Pool) Add(rms float64, n int) {
	p.n += n
	p.sum += float64(n) * rms * rms
}

// RMS returns the root mean square of all values; not ok when there are none.
func (p *Pool) RMS() (rms float64, ok bool) {
	if p.n == 0 {
		return 0, false
	}
	return math.Sqrt(p.sum / float64(p.n)), true
}

// Percentile returns the value below which the share q (0 to 1) of xs lies,
// interpolated linearly between neighbours; not ok when xs is empty or q is not
// in 0 to 1. xs is left as it is.
func Percentile(xs []float64, q float64) (x float64, ok bool) {
	if len(xs) == 0 || !isProbability(q) {
		return 0, false
	}
	sorted := slices.Sorted(slices.Values(xs))
	at := q * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-1)
	j := min(i+1, len(sorted)-1)
	return sorted[i] + (at-float64(i))*(sorted[j]-sorted[i]), true
}
