package stats

import "sort"

// A plan's power is the chance to find a difference that is truly there. The
// functions here sum it exactly, over all outcomes, as alpha is the largest
// chance to find one that is not. All are not ok when a rate is not in 0 to 1,
// alpha is not between 0 and 1, or a number of trials is below 1.

// BarnardPower returns the power of Barnard's test with na and nb trials when
// the true rates are pa and pb. Not ok above 20,000 trials together.
func BarnardPower(pa, pb float64, na, nb int, alt Alternative, alpha float64) (power float64, ok bool) {
	if !planned(pa, pb, na, nb, alpha) || na+nb > maxBarnard {
		return 0, false
	}
	if alt == Less {
		pa, pb, na, nb, alt = pb, pa, nb, na, Greater
	}
	u := newUnconditional(na, nb)
	r := u.critical(alt, alpha)
	b := binomial(nb, pb)
	for ka, p := range binomial(na, pa) {
		for kb, q := range b {
			if kb < r.below[ka] || kb >= r.from[ka] {
				power += p * q
			}
		}
	}
	return min(power, 1), true
}

// critical returns the largest region that the test rejects at alpha: the
// chance of a region grows as z falls, so z is bisected.
func (u *unconditional) critical(alt Alternative, alpha float64) region {
	reject := u.region(2*pooledZ(Rate{u.na, u.na}, Rate{0, u.nb}), alt) // no table
	lo, hi := 0.0, 2*pooledZ(Rate{u.na, u.na}, Rate{0, u.nb})
	for hi-lo > sameRelative/10 {
		z := (lo + hi) / 2
		r := u.region(z, alt)
		if u.exceeds(r, alpha) {
			lo = z
		} else {
			hi, reject = z, r
		}
	}
	return reject
}

// exceeds tells whether the worst chance of r is above alpha.
func (u *unconditional) exceeds(r region, alpha float64) bool {
	for i := range u.steps {
		if r.chance(u.point(i)) > alpha {
			return true
		}
	}
	return u.worst(r) > alpha
}

// FisherPower returns the power of Fisher's test.
func FisherPower(pa, pb float64, na, nb int, alt Alternative, alpha float64) (power float64, ok bool) {
	if !planned(pa, pb, na, nb, alpha) {
		return 0, false
	}
	a, b := binomial(na, pa), binomial(nb, pb)
	for hits := range na + nb + 1 {
		least, ps := fisherMargin(na, nb, hits, alt)
		for i, p := range ps {
			if ka := least + i; p <= alpha {
				power += a[ka] * b[hits-ka]
			}
		}
	}
	return min(power, 1), true
}

// McNemarPower returns the power of the exact McNemar test with n pairs, when a
// pair is A's alone with probability onlyA and B's alone with onlyB. For a
// guess from two rates, see IndependentPairs.
func McNemarPower(onlyA, onlyB float64, n int, alt Alternative, alpha float64) (power float64, ok bool) {
	if !planned(onlyA, onlyB, n, n, alpha) || onlyA+onlyB > 1+1e-12 {
		return 0, false
	}
	discordant := min(onlyA+onlyB, 1)
	if discordant == 0 {
		return 0, true
	}
	for m, pm := range binomial(n, discordant) {
		ps := halfTests(m, alt)
		for k, pk := range binomial(m, min(onlyA/discordant, 1)) {
			if ps[k] <= alpha {
				power += pm * pk
			}
		}
	}
	return min(power, 1), true
}

// IndependentPairs returns the chances that a pair is A's alone and B's alone
// if the two outcomes of a placement had nothing to do with each other. Hard
// placements are hard for both, so real pairs are less often discordant and
// the paired test has more power than this guess gives.
func IndependentPairs(pa, pb float64) (onlyA, onlyB float64) {
	return pa * (1 - pb), pb * (1 - pa)
}

func planned(pa, pb float64, na, nb int, alpha float64) bool {
	return isProbability(pa) && isProbability(pb) && na > 0 && nb > 0 && isLevel(alpha)
}

// SampleSize returns the smallest n, 1 to most, that has the target power. The
// power of exact tests rises with n but for a saw, whose teeth are small: n is
// bisected, then smaller ones are looked at until a tenth of n (ten at least)
// in a row fall short. Not ok when most has not the power, or power is not ok.
//
//	SampleSize(0.8, 500, func(n int) (float64, bool) {
//		return BarnardPower(0.6, 0.9, n, n, Less, 0.05)
//	})
func SampleSize(target float64, most int, power func(n int) (p float64, ok bool)) (n int, ok bool) {
	sound := true
	enough := func(n int) bool {
		p, ok := power(n)
		sound = sound && ok
		return p >= target
	}
	short := 0 // an n that falls short
	for n = 1; n < most && sound && !enough(n); n = min(2*n, most) {
		short = n
	}
	if n > most || !enough(n) || !sound {
		return 0, false
	}
	n = short + 1 + sort.Search(n-short-1, func(i int) bool { return enough(short + 1 + i) })
	for m := n - 1; m >= max(1, n-max(10, n/10)); m-- {
		if enough(m) {
			n = m
		}
	}
	return n, sound
}
