package scene

import "math"

// outline is an object's edge on the table: a rectangle about a centre, turned
// by yaw (rad), with its corners rounded outwards by round. A circle is a
// rectangle of no size. All in m, in B.
type outline struct {
	x, y, sin, cos float64
	half           [2]float64
	round          float64
}

// outline is the object's as placed.
func (o *Object) outline(at Spot) outline {
	l := outline{x: at.X, y: at.Y, sin: math.Sin(at.Yaw), cos: math.Cos(at.Yaw)}
	if e := o.Extent(); o.Shape == Box || o.Shape == Napkin {
		l.half = [2]float64{e[0] / 2, e[1] / 2}
	} else {
		l.round = o.Radius()
	}
	return l
}

// gap is the distance in m between two outlines; negative when they overlap.
func (a outline) gap(b outline) float64 {
	apart := max(a.beyond(b), b.beyond(a)) // negative: rectangles overlap by that
	if apart > 0 {
		// Two convex shapes are nearest at a corner of one of them.
		apart = min(a.nearest(b), b.nearest(a))
	}
	return apart - a.round - b.round
}

// corners are the rectangle's, in B.
func (a outline) corners() [4][2]float64 {
	var c [4][2]float64
	for i, s := range [4][2]float64{{1, 1}, {1, -1}, {-1, -1}, {-1, 1}} {
		u, v := s[0]*a.half[0], s[1]*a.half[1]
		c[i] = [2]float64{a.x + a.cos*u - a.sin*v, a.y + a.sin*u + a.cos*v}
	}
	return c
}

// off is how far a point in B lies beyond a's sides, along a's own axes;
// negative inside.
func (a outline) off(p [2]float64) [2]float64 {
	dx, dy := p[0]-a.x, p[1]-a.y
	return [2]float64{
		math.Abs(a.cos*dx+a.sin*dy) - a.half[0],
		math.Abs(a.cos*dy-a.sin*dx) - a.half[1],
	}
}

// nearest is the smallest distance from a corner of b to a.
func (a outline) nearest(b outline) float64 {
	best := math.Inf(1)
	for _, c := range b.corners() {
		off := a.off(c)
		best = min(best, math.Hypot(max(0, off[0]), max(0, off[1])))
	}
	return best
}

// beyond is how far all of b lies beyond one side of a, by the side of which
// that is most; negative when b reaches past every side.
func (a outline) beyond(b outline) float64 {
	most := math.Inf(-1)
	dx, dy := b.x-a.x, b.y-a.y
	for axis, u := range [2][2]float64{{a.cos, a.sin}, {-a.sin, a.cos}} {
		reach := b.half[0]*math.Abs(u[0]*b.cos+u[1]*b.sin) + b.half[1]*math.Abs(u[1]*b.cos-u[0]*b.sin)
		most = max(most, math.Abs(u[0]*dx+u[1]*dy)-a.half[axis]-reach)
	}
	return most
}
