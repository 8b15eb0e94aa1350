package scene

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOutlineGap(t *testing.T) {
	board := Object{Shape: Box, Size: []float64{0.20, 0.10, 0.01}}
	pen := Object{Shape: Box, Size: []float64{0.12, 0.02, 0.01}}
	can := Object{Shape: Cylinder, Size: []float64{0.06, 0.1}}
	eighth := math.Pi / 4
	for _, c := range []struct {
		name string
		a, b Object
		at   Spot // of b; a stands at the origin
		want float64
	}{
		{"two cans", can, can, Spot{0.06, 0.08, 1}, 0.04},
		{"two cans in one place", can, can, Spot{}, -0.06},
		{"side to side", board, pen, Spot{0, 0.09, 0}, 0.03},
		{"end to side", board, pen, Spot{0.05, 0.14, math.Pi / 2}, 0.03},
		{"corner to corner", board, pen, Spot{0.16 + 0.03, 0.06 + 0.04, 0}, 0.05},
		{"corner to side", board, board, Spot{0.1 + 0.15*math.Sqrt2/2 + 0.01, 0, eighth}, 0.01},
		{"crossed", board, pen, Spot{0, 0, math.Pi / 2}, -0.11},
		{"a can at a side", board, can, Spot{0.03, -0.10, 2}, 0.02},
		{"a can at a corner", board, can, Spot{0.13, 0.09, 2}, 0.02},
		{"a can inside", board, can, Spot{0.05, 0.01, 2}, -0.07},
	} {
		a, b := c.a.outline(Spot{}), c.b.outline(c.at)
		require.InDelta(t, c.want, a.gap(b), 1e-12, c.name)
		require.InDelta(t, c.want, b.gap(a), 1e-12, c.name+", the other way round")
	}
}

// The gap is the distance between the nearest two of many points on the edges.
func TestOutlineGapAgainstPoints(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	box := func() (Object, Spot) {
		o := Object{Shape: Box, Size: []float64{0.02 + 0.15*rng.Float64(), 0.02 + 0.05*rng.Float64(), 0.01}}
		return o, Spot{0.3 * rng.Float64(), 0.3 * rng.Float64(), 7 * rng.Float64()}
	}
	edge := func(o *Object, at Spot) [][2]float64 {
		var points [][2]float64
		l := o.outline(at)
		for i, c := range l.corners() {
			d := l.corners()[(i+1)%4]
			for s := range 200 {
				k := float64(s) / 200
				points = append(points, [2]float64{c[0] + k*(d[0]-c[0]), c[1] + k*(d[1]-c[1])})
			}
		}
		return points
	}
	apart := 0
	for range 200 {
		a, atA := box()
		b, atB := box()
		nearest := math.Inf(1)
		for _, p := range edge(&a, atA) {
			for _, q := range edge(&b, atB) {
				nearest = min(nearest, math.Hypot(p[0]-q[0], p[1]-q[1]))
			}
		}
		gap := a.outline(atA).gap(b.outline(atB))
		if gap > 0 {
			apart++
			require.InDelta(t, nearest, gap, 5e-4)
		} else {
			inside := a.outline(atA).off([2]float64{atB.X, atB.Y})
			require.True(t, nearest < 1e-3 || max(inside[0], inside[1]) < 0 || b.outline(atB).nearest(a.outline(atA)) == 0)
		}
	}
	require.Greater(t, apart, 50)
}
