package ghost

// Mask is a set of pixels, row-major, top row first.
type Mask struct {
	W, H int
	On   []bool
}

// NewMask is an empty one.
func NewMask(w, h int) Mask { return Mask{W: w, H: h, On: make([]bool, w*h)} }

// Count is how many pixels are in it.
func (m *Mask) Count() int {
	n := 0
	for _, on := range m.On {
		if on {
			n++
		}
	}
	return n
}

// Grown is the mask with every pixel within r of it, in both directions.
func (m *Mask) Grown(r int) Mask {
	return m.along(r, 1, m.W, m.H, m.W).along(r, m.W, m.H, m.W, 1)
}

// along grows lines of n pixels that lie step apart; count lines begin next apart.
func (m Mask) along(r, step, n, count, next int) Mask {
	out := NewMask(m.W, m.H)
	for line := range count {
		at := line * next
		near := -1 - r // the last pixel that was on
		for i := range n {
			if m.On[at+i*step] {
				near = i
			}
			if near >= 0 && i-near <= r {
				out.On[at+i*step] = true
			}
		}
		near = n + r
		for i := n - 1; i >= 0; i-- {
			if m.On[at+i*step] {
				near = i
			}
			if near < n && near-i <= r {
				out.On[at+i*step] = true
			}
		}
	}
	return out
}

// Closed fills gaps and holes that are up to 2r wide.
func (m *Mask) Closed(r int) Mask {
	grown := m.Grown(r)
	for i := range grown.On {
		grown.On[i] = !grown.On[i]
	}
	out := grown.Grown(r)
	for i := range out.On {
		out.On[i] = !out.On[i]
	}
	return out
}

// Opened removes specks that are up to 2r wide.
func (m *Mask) Opened(r int) Mask {
	out := NewMask(m.W, m.H)
	for i := range m.On {
		out.On[i] = !m.On[i]
	}
	out = out.Closed(r)
	for i := range out.On {
		out.On[i] = !out.On[i]
	}
	return out
}

// Fill adds a convex polygon, corners in px in either order.
func (m *Mask) Fill(polygon [][2]float64) {
	for y := range m.H {
		for x := range m.W {
			if within(polygon, float64(x), float64(y)) {
				m.On[y*m.W+x] = true
			}
		}
	}
}

// within tells whether a point is in a convex polygon: on one side of all edges.
func within(polygon [][2]float64, x, y float64) bool {
	left, right := false, false
	for i, a := range polygon {
		b := polygon[(i+1)%len(polygon)]
		if side := (b[0]-a[0])*(y-a[1]) - (b[1]-a[1])*(x-a[0]); side > 0 {
			left = true
		} else if side < 0 {
			right = true
		}
	}
	return !(left && right)
}
