package stats

// Agreement is the 2x2 table of two judges of the same trials, here reality and
// simulation.
type Agreement struct {
	Both, OnlyReal, OnlySim, Neither int
}

// Count adds one trial.
func (a *Agreement) Count(inReality, inSim bool) {
	switch {
	case inReality && inSim:
		a.Both++
	case inReality:
		a.OnlyReal++
	case inSim:
		a.OnlySim++
	default:
		a.Neither++
	}
}

// Pairs is the same table, A reality and B simulation, for the test and the
// interval of their difference.
func (a Agreement) Pairs() Pairs {
	return Pairs{Both: a.Both, OnlyA: a.OnlyReal, OnlyB: a.OnlySim, Neither: a.Neither}
}

// Agree is the share of trials on which the two agree.
func (a Agreement) Agree() Rate {
	same := a.Both + a.Neither
	return Rate{K: same, N: same + a.OnlyReal + a.OnlySim}
}

// Kappa returns Cohen's kappa (1960): the agreement beyond what chance would
// give, (agreed - chance)/(1 - chance), where chance is what two independent
// judges with the same rates would agree on. 1 is perfect, 0 is chance, -1 the
// least. It is not ok without trials, and when both judges always say the same
// one thing, for then chance alone agrees.
func (a Agreement) Kappa() (kappa float64, ok bool) {
	n := float64(a.Agree().N)
	hitReal, hitSim := float64(a.Both+a.OnlyReal), float64(a.Both+a.OnlySim)
	chance := hitReal*hitSim + (n-hitReal)*(n-hitSim) // times n squared
	if chance == n*n {
		return 0, false
	}
	same := float64(a.Agree().K) * n
	return (same - chance) / (n*n - chance), true
}
