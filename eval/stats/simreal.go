package stats

import "math"

// SimReal is one policy's score in simulation and in reality, as a rule its
// success rate, 0 to 1. A pair cannot be passed the wrong way round, and MMRV
// of swapped arguments is another number.
type SimReal struct{ Sim, Real float64 }

func (p SimReal) finite() bool {
	size := math.Abs(p.Sim) + math.Abs(p.Real)
	return !math.IsNaN(size) && !math.IsInf(size, 0)
}

// minPolicies is the fewest policies for a correlation: through two points
// there is always a line.
const minPolicies = 3

// Pearson returns the correlation of simulated and real scores over policies,
// -1 to 1. It is the plain coefficient: SimplerEnv's adds 1e-8 to the
// denominator, which turns an undefined one into 0 and moves the sixth digit of
// those of tiny rates.
//
// Not ok below three policies (five is a decent number: print it beside r),
// when either score is the same for all, or when one is not finite.
func Pearson(policies []SimReal) (r float64, ok bool) {
	n := float64(len(policies))
	if n < minPolicies || sameForAll(policies) {
		return 0, false
	}
	var simMean, realMean float64
	for _, p := range policies {
		if !p.finite() {
			return 0, false
		}
		simMean += p.Sim / n
		realMean += p.Real / n
	}
	var simSq, realSq, cross float64
	for _, p := range policies {
		s, r := p.Sim-simMean, p.Real-realMean
		simSq += s * s
		realSq += r * r
		cross += s * r
	}
	r = cross / math.Sqrt(simSq) / math.Sqrt(realSq)
	if math.IsNaN(r) || math.IsInf(r, 0) { // squares too small or too large for a number
		return 0, false
	}
	return max(-1, min(r, 1)), true
}

// sameForAll tells whether either score is the same for all policies.
func sameForAll(policies []SimReal) bool {
	sim, real := true, true
	for _, p := range policies {
		sim = sim && p.Sim == policies[0].Sim
		real = real && p.Real == policies[0].Real
	}
	return sim || real
}

// PearsonBootstrap returns the percentile interval of Pearson when policies are
// drawn anew. Draws without a correlation (one policy again and again) are left
// out. Not ok below five policies, or where Pearson is not.
func PearsonBootstrap(policies []SimReal, level float64, resamples int, seed uint64) (iv Interval, ok bool) {
	if _, ok := Pearson(policies); !ok {
		return Interval{}, false
	}
	draw := make([]SimReal, len(policies))
	return bootstrap(len(policies), level, resamples, seed, func(drawn []int) (float64, bool) {
		for i, j := range drawn {
			draw[i] = policies[j]
		}
		return Pearson(draw)
	})
}

// MMRV returns the mean maximum rank violation (Li et al., 2024, "Evaluating
// real-world robot manipulation policies in simulation"): how much real success
// rate one can lose by ranking policies in simulation, on average over policies
// i the worst over j of
//
//	|real i - real j|  if (sim i > sim j) differs from (real i > real j), else 0
//
// It is 0 to 1 and 0 is best. The comparisons are strict, as in SimplerEnv, so
// a tie in simulation of policies that differ in reality is a violation, for
// the really better one only; a tie in reality costs nothing. A simulator in
// which all policies score alike is thus not undefined but bad.
//
// Not ok below two policies, or when a score is not finite.
func MMRV(policies []SimReal) (v float64, ok bool) {
	if len(policies) < 2 {
		return 0, false
	}
	for _, i := range policies {
		if !i.finite() {
			return 0, false
		}
		worst := 0.0
		for _, j := range policies {
			if (i.Sim > j.Sim) != (i.Real > j.Real) {
				worst = max(worst, math.Abs(i.Real-j.Real))
			}
		}
		v += worst / float64(len(policies))
	}
	return v, true
}
