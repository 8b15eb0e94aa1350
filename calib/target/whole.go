package target

import "math"

// rim is what is along one side of a found chessboard.
type rim struct {
	// seen counts the corners whose surroundings are in the picture, beyond
	// those where the pattern goes on outside of them, none those where no four
	// squares meet.
	seen, beyond, none int
}

// mostly is the share of a side's corners that says something of the side.
const mostly = 0.75

// rims looks at the four sides of a chessboard's found corners. OpenCV takes a
// part of a larger board for a smaller one, and now and then a board with a
// column made up for a larger one.
func rims(p *Picture, corners []Corner, cols, rows int) [4]rim {
	at := func(col, row int) *Corner { return &corners[row*cols+col] }
	// The next corner along a side; for the last one, the one before it.
	next := func(i, n int) int {
		if i+1 == n {
			return i - 1
		}
		return i + 1
	}
	var sides [4]rim
	for row := range rows {
		other := next(row, rows)
		sides[0].look(p, at(0, row), at(1, row), at(0, other))
		sides[1].look(p, at(cols-1, row), at(cols-2, row), at(cols-1, other))
	}
	for col := range cols {
		other := next(col, cols)
		sides[2].look(p, at(col, 0), at(col, 1), at(other, 0))
		sides[3].look(p, at(col, rows-1), at(col, rows-2), at(other, rows-1))
	}
	return sides
}

// isPart says that the board has more corners than were found, madeUp that it
// has less.
func isPart(sides [4]rim) bool {
	for _, s := range sides {
		// Where the picture ends nothing is said.
		if s.seen >= minSide && float64(s.beyond) >= mostly*float64(s.seen) {
			return true
		}
	}
	return false
}

func madeUp(sides [4]rim) bool {
	for _, s := range sides {
		if s.seen >= minSide && float64(s.none) >= mostly*float64(s.seen) {
			return true
		}
	}
	return false
}

// look counts corner c of the side. Its neighbour inwards is in, its neighbour
// along the side next.
func (r *rim) look(p *Picture, c, in, next *Corner) {
	ox, oy := c.X-in.X, c.Y-in.Y
	ax, ay := next.X-c.X, next.Y-c.Y
	here, ok := saddle(p, c.X, c.Y, ox, oy, ax, ay)
	if !ok {
		return
	}
	there, ok := saddle(p, c.X+ox, c.Y+oy, ox, oy, ax, ay)
	if !ok {
		return
	}
	inner, ok := saddle(p, in.X, in.Y, ox, oy, ax, ay)
	if !ok {
		return
	}
	r.seen++
	switch {
	case !swaps(inner, here):
		r.none++
	case swaps(here, there):
		r.beyond++
	}
}

// swaps says that the colours swap from one corner to the next, as they do as
// long as the pattern goes on.
func swaps(one, next float64) bool {
	return one*next < 0 && math.Abs(next) > 0.4*math.Abs(one)
}

// saddle is how much brighter one pair of opposite quadrants about a point is
// than the other pair; 0 when the pairs overlap, as at a rim. ok is false at the
// picture's border.
func saddle(p *Picture, x, y, ox, oy, ax, ay float64) (contrast float64, ok bool) {
	const reach = 0.25
	var q [4]float64
	for i, s := range [4][2]float64{{1, 1}, {1, -1}, {-1, -1}, {-1, 1}} {
		if q[i], ok = p.at(x+reach*(s[0]*ox+s[1]*ax), y+reach*(s[0]*oy+s[1]*ay)); !ok {
			return 0, false
		}
	}
	switch {
	case min(q[0], q[2]) > max(q[1], q[3]):
		return min(q[0], q[2]) - max(q[1], q[3]), true
	case min(q[1], q[3]) > max(q[0], q[2]):
		return max(q[0], q[2]) - min(q[1], q[3]), true
	}
	return 0, true
}
