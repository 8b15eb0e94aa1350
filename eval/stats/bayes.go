package stats

import "math"

// ProbGreater returns the posterior probability that a's true rate is above
// b's, each with its own uniform prior Beta(1, 1) (Thompson, 1933). With
// posteriors Beta(aa, ba) and Beta(ab, bb), aa = ka+1, ba = na-ka+1, it is the
// sum over i = 0 to ka of
//
//	B(ab+i, ba+bb) / ((ba+i) B(1+i, ba) B(ab, bb))
//
// All terms are positive, so a probability near 0 keeps its digits: ask for the
// unlikely direction to see them. It is no p-value, and stopping when it looks
// good has no error rate: for that there are the e-processes.
//
// Not ok when either rate has no trials: the answer would be the prior's.
func ProbGreater(a, b Rate) (p float64, ok bool) {
	if !a.valid() || !b.valid() {
		return 0, false
	}
	ba := float64(a.N-a.K) + 1
	ab, bb := float64(b.K)+1, float64(b.N-b.K)+1
	for i := range a.K + 1 {
		x := float64(i)
		p += math.Exp(logBeta(ab+x, ba+bb)-logBeta(1+x, ba)-logBeta(ab, bb)) / (ba + x)
	}
	return min(p, 1), true
}

func logBeta(a, b float64) float64 {
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	return la + lb - lab
}
