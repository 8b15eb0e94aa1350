package stats

import "slices"

// Pairs counts trials of A and B in pairs: the same scene and placement.
type Pairs struct {
	Both, OnlyA, OnlyB, Neither int
}

// Count adds one pair.
func (p *Pairs) Count(a, b bool) {
	switch {
	case a && b:
		p.Both++
	case a:
		p.OnlyA++
	case b:
		p.OnlyB++
	default:
		p.Neither++
	}
}

// N is the number of pairs.
func (p Pairs) N() int { return p.Both + p.OnlyA + p.OnlyB + p.Neither }

// A returns A's rate over all pairs.
func (p Pairs) A() Rate { return Rate{K: p.Both + p.OnlyA, N: p.N()} }

// B returns B's rate over all pairs.
func (p Pairs) B() Rate { return Rate{K: p.Both + p.OnlyB, N: p.N()} }

func (p Pairs) valid() bool {
	return min(p.Both, p.OnlyA, p.OnlyB, p.Neither) >= 0 && p.N() > 0
}

// McNemar returns the p-value of the exact test of McNemar (1947): of the
// discordant pairs, as many are A's as B's, so OnlyA is binomial with rate 1/2.
// Two-sided, the smaller tail is doubled. There is no chi-squared version:
// below 25 discordant pairs it is wrong, above it is not needed.
//
// p is 1 when no pair is discordant. Not ok without pairs.
func (p Pairs) McNemar(alt Alternative) (pValue float64, ok bool) {
	if !p.valid() {
		return 0, false
	}
	return halfTests(p.OnlyA+p.OnlyB, alt)[p.OnlyA], true
}

// McNemarMidP returns the two-sided mid-p version: half the chance of the table
// seen does not count. It finds more than the exact test and can err slightly
// more often than it says (Fagerland, Lydersen and Laake, 2013).
func (p Pairs) McNemarMidP() (pValue float64, ok bool) {
	if !p.valid() {
		return 0, false
	}
	m := p.OnlyA + p.OnlyB
	smaller := halfTests(m, Less)[min(p.OnlyA, p.OnlyB)]
	return min(2*smaller-binomial(m, 0.5)[p.OnlyA], 1), true
}

// halfTests returns the p-value of every count 0 to m under a rate of 1/2.
func halfTests(m int, alt Alternative) []float64 {
	ps := make([]float64, m+1)
	sum := 0.0
	for k, pk := range binomial(m, 0.5) {
		sum += pk
		ps[k] = min(sum, 1) // at most k
	}
	if alt == Less {
		return ps
	}
	slices.Reverse(ps) // at least k, by symmetry
	if alt == TwoSided {
		for k := range (m + 1) / 2 {
			p := min(2*ps[m-k], 1)
			ps[k], ps[m-k] = p, p
		}
		if m%2 == 0 {
			ps[m/2] = 1
		}
	}
	return ps
}

// PossiblePairs returns the pairs with the fewest and with the most discordant
// trials that have the given rates in every scene, when it is not known which
// trial of A belongs to which of B. What McNemar says of both, it says of every
// pairing. Not ok when the scenes differ in number or in trials, or have none.
func PossiblePairs(a, b []Rate) (fewest, most Pairs, ok bool) {
	if len(a) != len(b) || len(a) == 0 {
		return Pairs{}, Pairs{}, false
	}
	for i := range a {
		ka, kb, n := a[i].K, b[i].K, a[i].N
		if !a[i].valid() || !b[i].valid() || b[i].N != n {
			return Pairs{}, Pairs{}, false
		}
		fewest.add(ka, kb, n, min(ka, kb))
		most.add(ka, kb, n, max(ka+kb-n, 0))
	}
	return fewest, most, true
}

func (p *Pairs) add(ka, kb, n, both int) {
	p.Both += both
	p.OnlyA += ka - both
	p.OnlyB += kb - both
	p.Neither += n - ka - kb + both
}
