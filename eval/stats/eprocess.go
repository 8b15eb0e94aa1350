package stats

import "math"

// EProcess is evidence that may be looked at after every trial: under the null
// its expected value never exceeds 1, whenever one stops, so that it ever
// reaches 1/alpha has a chance of at most alpha (Ville, 1939; Ramdas, Grünwald,
// Vovk and Shafer, 2023). Stopping early, going on, or adding trials later is
// all allowed. The zero value is the process before the first trial, with E 1.
//
// One process asks one direction. For both, run two, one with the policies
// swapped, each at alpha/2 (see BothWays).
type EProcess struct{ log, maxLog float64 }

// E returns the evidence so far, 0 to the largest finite number.
func (e EProcess) E() float64 { return math.Min(math.Exp(e.log), math.MaxFloat64) }

// P returns the anytime-valid p-value, the smallest 1/E so far, in 0 to 1.
func (e EProcess) P() float64 { return math.Exp(-e.maxLog) }

// Rejects tells whether E has ever reached 1/alpha; never when alpha is not
// between 0 and 1. Once true it stays true.
func (e EProcess) Rejects(alpha float64) bool {
	const rounding = 1e-12
	return isLevel(alpha) && e.maxLog >= -math.Log(alpha)-rounding
}

func (e *EProcess) multiply(factor float64) {
	e.log += math.Log(factor)
	e.maxLog = max(e.maxLog, e.log)
}

// BothWays joins two one-sided processes into a two-sided anytime-valid
// p-value: twice the smaller one.
func BothWays(up, down EProcess) float64 { return min(2*min(up.P(), down.P()), 1) }

// UnpairedE is the e-process of two independent streams of trials, taken one of
// each at a time; its null is that the candidate's rate is not above the
// baseline's (Turner, Ly and Grünwald, 2024, "Generic E-variables for exact
// sequential k-sample tests"). Before each pair both rates are estimated as
// a/(a+b) from counts that begin at (1, 2) for the baseline and (2, 1) for the
// candidate. When the estimates favour the candidate, E is multiplied by the
// likelihood of the pair under them over that under their mean, the null's
// nearest point; else it stays.
//
// The rates may change from pair to pair (scenes differ), as long as under the
// null the candidate's is never the larger.
type UnpairedE struct {
	EProcess
	pairs, baseline, candidate int
}

// Add takes the next trial of each policy.
func (u *UnpairedE) Add(baseline, candidate bool) {
	n := float64(u.pairs) + 3
	p0 := (float64(u.baseline) + 1) / n
	p1 := (float64(u.candidate) + 2) / n
	if p1 > p0 {
		null := (p0 + p1) / 2
		u.multiply(likelihood(baseline, p0) * likelihood(candidate, p1) /
			(likelihood(baseline, null) * likelihood(candidate, null)))
	}
	u.pairs++
	if baseline {
		u.baseline++
	}
	if candidate {
		u.candidate++
	}
}

func likelihood(hit bool, p float64) float64 {
	if hit {
		return p
	}
	return 1 - p
}

// PairedE is the e-process of trials in pairs (the same scene and placement);
// its null is that, of the pairs on which the two differ, the candidate wins at
// most half. It bets on each such pair with the share of wins so far, held
// above one half:
//
//	share = max(1/2, (wins + 1.5)/(discordant + 2.5)),  E *= 2 share or 2 (1 - share)
//
// Seven wins in a row reach 20. Pairs on which both agree change nothing.
type PairedE struct {
	EProcess
	wins, discordant int
}

// Add takes the next pair.
func (p *PairedE) Add(baseline, candidate bool) {
	if baseline == candidate {
		return
	}
	share := max(0.5, (float64(p.wins)+1.5)/(float64(p.discordant)+2.5))
	p.discordant++
	if candidate {
		p.wins++
		p.multiply(2 * share)
	} else {
		p.multiply(2 * (1 - share))
	}
}
