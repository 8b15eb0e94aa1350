package sim

import (
	"math"

	"twinrig"
)

// block is a solid where it is in B.
type block struct {
	at    twinrig.Vec3
	axes  [3]twinrig.Vec3
	half  twinrig.Vec3
	round float64
	bound float64
}

// lowest is the height of its lowest point.
func (b *block) lowest() float64 {
	return b.at[2] - b.round - math.Abs(b.axes[0][2])*b.half[0] -
		math.Abs(b.axes[1][2])*b.half[1] - math.Abs(b.axes[2][2])*b.half[2]
}

// parallel is the sine below which two edges count as parallel: faces decide then.
const parallel = 0.02

// overlap is how far two blocks are in each other, by separating axes: along each
// direction that can part two boxes it is the overlap of their shadows, and the
// least of these counts. It gives up, with what it has, once that is not more than
// enough.
func (b *block) overlap(c *block, enough float64) float64 {
	// r[i][j] is axis i of b along axis j of c
	var r, abs [3][3]float64
	for i := range 3 {
		for j := range 3 {
			r[i][j] = dot(&b.axes[i], &c.axes[j])
			abs[i][j] = math.Abs(r[i][j])
		}
	}
	d := c.at.Sub(b.at)
	db := twinrig.Vec3{dot(&d, &b.axes[0]), dot(&d, &b.axes[1]), dot(&d, &b.axes[2])}
	dc := twinrig.Vec3{dot(&d, &c.axes[0]), dot(&d, &c.axes[1]), dot(&d, &c.axes[2])}
	round := b.round + c.round

	least := math.Inf(1)
	for i := range 3 {
		least = min(least, b.half[i]+c.half[0]*abs[i][0]+c.half[1]*abs[i][1]+c.half[2]*abs[i][2]+round-math.Abs(db[i]))
		least = min(least, c.half[i]+b.half[0]*abs[0][i]+b.half[1]*abs[1][i]+b.half[2]*abs[2][i]+round-math.Abs(dc[i]))
	}
	if least <= enough {
		return least
	}
	for i := range 3 {
		i1, i2 := (i+1)%3, (i+2)%3
		for j := range 3 {
			sine := math.Sqrt(max(0, 1-r[i][j]*r[i][j]))
			if sine < parallel {
				continue
			}
			j1, j2 := (j+1)%3, (j+2)%3
			reach := b.half[i1]*abs[i2][j] + b.half[i2]*abs[i1][j] + c.half[j1]*abs[i][j2] + c.half[j2]*abs[i][j1]
			away := math.Abs(db[i2]*r[i1][j] - db[i1]*r[i2][j])
			least = min(least, (reach-away)/sine+round)
		}
	}
	if least > enough && round > 0 {
		return min(least, b.corner(c))
	}
	return least
}

// corner is the overlap along the line between the nearest points of two blocks
// without their roundings, found by going from one to the other a few times: the
// direction that parts a rounded shape from a corner. Any direction is a valid
// upper bound.
func (b *block) corner(c *block) float64 {
	p := c.at
	for range 4 {
		p = c.nearest(b.nearest(p))
	}
	n := p.Sub(b.nearest(p))
	l := n.Norm()
	if l < 1e-9 {
		return math.Inf(1)
	}
	d := c.at.Sub(b.at)
	return b.shadow(&n)/l + c.shadow(&n)/l + b.round + c.round - math.Abs(dot(&d, &n))/l
}

// nearest is the point of the block, its rounding left out, nearest to p.
func (b *block) nearest(p twinrig.Vec3) twinrig.Vec3 {
	d := p.Sub(b.at)
	out := b.at
	for i := range 3 {
		out = out.Add(b.axes[i].Scale(max(-b.half[i], min(b.half[i], dot(&d, &b.axes[i])))))
	}
	return out
}

// shadow is half the extent along n, times n's length, the rounding left out.
func (b *block) shadow(n *twinrig.Vec3) float64 {
	return b.half[0]*math.Abs(dot(&b.axes[0], n)) + b.half[1]*math.Abs(dot(&b.axes[1], n)) +
		b.half[2]*math.Abs(dot(&b.axes[2], n))
}

func dot(v, w *twinrig.Vec3) float64 { return v[0]*w[0] + v[1]*w[1] + v[2]*w[2] }
