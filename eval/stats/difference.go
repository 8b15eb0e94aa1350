package stats

import "math"

// NewcombeDifference returns the interval of a's true rate minus b's, for
// independent trials: the hybrid score interval of Newcombe (1998, Statistics
// in Medicine 17:873, method 10), which joins the Wilson intervals [la, ua] and
// [lb, ub] of the two rates.
//
//	a-b - √((a-la)² + (ub-b)²)  to  a-b + √((ua-a)² + (b-lb)²)
//
// The ends are within -1 and 1. Not ok when either rate has no trials. For
// trials in pairs (the same placements) use Pairs.Difference.
func NewcombeDifference(a, b Rate, level float64) (iv Interval, ok bool) {
	return newcombe(a, b, 0, level)
}

// Difference returns the interval of A's true rate minus B's over trials in
// pairs: Newcombe (1998, Statistics in Medicine 17:2635, method 10), which
// lets the correlation within pairs narrow the interval. Not ok without pairs.
func (p Pairs) Difference(level float64) (iv Interval, ok bool) {
	if !p.valid() {
		return Interval{}, false
	}
	return newcombe(p.A(), p.B(), p.correlation(), level)
}

// correlation is the phi coefficient of the table, its numerator drawn toward
// 0 by N/2 when positive, as Newcombe has it; 0 when a margin is empty.
func (p Pairs) correlation() float64 {
	both, onlyA := float64(p.Both), float64(p.OnlyA)
	onlyB, neither := float64(p.OnlyB), float64(p.Neither)
	margins := (both + onlyA) * (onlyB + neither) * (both + onlyB) * (onlyA + neither)
	if margins == 0 {
		return 0
	}
	cross := both*neither - onlyA*onlyB
	if cross > 0 {
		cross = max(cross-float64(p.N())/2, 0)
	}
	return cross / math.Sqrt(margins)
}

// newcombe joins two Wilson intervals whose rates correlate by phi.
func newcombe(a, b Rate, phi, level float64) (iv Interval, ok bool) {
	wa, okA := a.Wilson(level)
	wb, okB := b.Wilson(level)
	if !okA || !okB {
		return Interval{}, false
	}
	pa, _ := a.Value()
	pb, _ := b.Value()
	join := func(x, y float64) float64 { return math.Sqrt(max(x*x-2*phi*x*y+y*y, 0)) }
	d := pa - pb
	return Interval{
		Lo: max(d-join(pa-wa.Lo, wb.Hi-pb), -1),
		Hi: min(d+join(wa.Hi-pa, pb-wb.Lo), 1),
	}, true
}
