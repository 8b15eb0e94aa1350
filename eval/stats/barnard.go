package stats

import (
	"math"
	"sort"
)

// Barnard returns the p-value of Barnard's unconditional exact test (G. A.
// Barnard, 1947) of equal rates, with the score statistic, that is the
// difference over its deviation pooled under the null (Suissa and Shuster,
// 1985):
//
//	z = (a-b) / √(p(1-p)(1/na + 1/nb)),  p = (ka+kb)/(na+nb)
//	p-value = largest, over the common rate, chance of a table as extreme in z
//
// Tables where nobody or everybody hit have z = 0. The test never errs more
// often than it says, and for few trials finds more than Fisher's. The largest
// chance is looked for on a grid finer than the function can turn, then
// refined. Not ok when either rate has no trials, or both have more than 20,000
// together: the time grows with the power 3/2, and Fisher's test then says
// nearly the same.
func Barnard(a, b Rate, alt Alternative) (p float64, ok bool) {
	if !a.valid() || !b.valid() || a.N+b.N > maxBarnard {
		return 0, false
	}
	if alt == Less {
		a, b, alt = b, a, Greater
	}
	u := newUnconditional(a.N, b.N)
	return u.worst(u.region(pooledZ(a, b), alt)), true
}

// pooledZ is the score statistic of a against b.
func pooledZ(a, b Rate) float64 {
	na, nb := float64(a.N), float64(b.N)
	hits := float64(a.K + b.K)
	misses := na + nb - hits
	if hits == 0 || misses == 0 {
		return 0
	}
	d := (float64(a.K)*nb - float64(b.K)*na) // times na nb
	return d * math.Sqrt((na+nb)/(na*nb*hits*misses))
}

// unconditional knows, over a grid of common rates, how likely the tables of
// na and nb trials are.
type unconditional struct {
	na, nb           int
	chooseA, chooseB []float64
	steps            int
	kept             []nuisance
}

// nuisance is one common rate: the chance of each count of A, of B counting
// less than k, and of B counting at least k, k = 0 to nb+1.
type nuisance struct{ pmfA, belowB, atLeastB []float64 }

// region is a set of tables to reject: with ka hits of A, those where B has
// less than below[ka] hits or at least from[ka].
type region struct{ below, from []int }

const (
	maxBarnard = 20_000
	maxKept    = 4_000_000 // numbers; a larger grid is computed anew each time
)

func newUnconditional(na, nb int) *unconditional {
	u := &unconditional{na: na, nb: nb, chooseA: logChooses(na), chooseB: logChooses(nb)}
	// In the angle a count's deviation is about 1/(2 √n) everywhere, so this
	// many steps leave eight to the narrowest hump.
	u.steps = 32 + int(16*math.Sqrt(float64(na+nb)))
	if u.steps*(na+2*nb) <= maxKept {
		kept := make([]nuisance, u.steps)
		for i := range kept {
			kept[i] = u.point(i)
		}
		u.kept = kept
	}
	return u
}

func (u *unconditional) point(i int) nuisance {
	if u.kept != nil {
		return u.kept[i]
	}
	return u.at((float64(i) + 0.5) / float64(u.steps) * math.Pi / 2)
}

// at returns the common rate p = sin²(angle).
func (u *unconditional) at(angle float64) nuisance {
	p := math.Sin(angle) * math.Sin(angle)
	x := nuisance{pmfA: binomialOf(u.chooseA, p)}
	pmfB := x.pmfA
	if u.nb != u.na {
		pmfB = binomialOf(u.chooseB, p)
	}
	// Both ways, since 1 minus a sum has no digits left in a far tail.
	x.belowB = make([]float64, u.nb+2)
	x.atLeastB = make([]float64, u.nb+2)
	for k, pk := range pmfB {
		x.belowB[k+1] = x.belowB[k] + pk
	}
	for k := u.nb; k >= 0; k-- {
		x.atLeastB[k] = x.atLeastB[k+1] + pmfB[k]
	}
	return x
}

// region returns the tables at least as extreme as z; alt is Greater or
// TwoSided. With A's hits held, z falls strictly as B's rise, so each row's
// tables lie at its ends.
func (u *unconditional) region(z float64, alt Alternative) region {
	limit := z - sameRelative*(1+math.Abs(z))
	if alt == TwoSided {
		limit = math.Abs(z) - sameRelative*(1+math.Abs(z))
	}
	r := region{below: make([]int, u.na+1), from: make([]int, u.na+1)}
	for ka := range r.below {
		at := func(kb int) float64 { return pooledZ(Rate{ka, u.na}, Rate{kb, u.nb}) }
		r.below[ka] = sort.Search(u.nb+1, func(kb int) bool { return at(kb) < limit })
		r.from[ka] = u.nb + 1
		if alt == TwoSided {
			from := sort.Search(u.nb+1, func(kb int) bool { return at(kb) <= -limit })
			r.from[ka] = max(from, r.below[ka]) // they meet when z is 0
		}
	}
	return r
}

// chance returns the probability of the region at one common rate.
func (r region) chance(x nuisance) float64 {
	sum := 0.0
	for ka, p := range x.pmfA {
		sum += p * (x.belowB[r.below[ka]] + x.atLeastB[r.from[ka]])
	}
	return sum
}

// worst returns the largest chance of the region over all common rates.
func (u *unconditional) worst(r region) float64 {
	at := make([]float64, u.steps)
	best := 0.0
	for i := range at {
		at[i] = r.chance(u.point(i))
		best = max(best, at[i])
	}
	coarse := best
	step := math.Pi / 2 / float64(u.steps)
	for i, p := range at {
		left, right := at[max(i-1, 0)], at[min(i+1, len(at)-1)]
		if p >= left && p >= right && p >= 0.99*coarse {
			best = max(best, u.climb(r, float64(i)*step-step/2, float64(i)*step+3*step/2))
		}
	}
	return min(best, 1)
}

// climb finds a hump's top between two angles by golden section.
func (u *unconditional) climb(r region, lo, hi float64) float64 {
	const ratio = 0.6180339887498949
	lo, hi = max(lo, 0), min(hi, math.Pi/2)
	value := func(angle float64) float64 { return r.chance(u.at(angle)) }
	x1, x2 := hi-ratio*(hi-lo), lo+ratio*(hi-lo)
	f1, f2 := value(x1), value(x2)
	for hi-lo > 1e-6 {
		if f1 < f2 {
			lo, x1, f1 = x1, x2, f2
			x2 = lo + ratio*(hi-lo)
			f2 = value(x2)
		} else {
			hi, x2, f2 = x2, x1, f1
			x1 = hi - ratio*(hi-lo)
			f1 = value(x1)
		}
	}
	return max(f1, f2)
}
