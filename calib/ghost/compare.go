package ghost

import (
	"errors"
	"fmt"
	"math"

	"twinrig"
)

// Picture is a frame with what is known of it.
type Picture struct {
	Frame twinrig.Frame
	// Ghost is where the arm should be.
	Ghost Mask
	// Ignore, if any, is what says nothing, as a board in the hand.
	Ignore Mask
}

// How the arm is told from its background.
const (
	// reach is how near the ghost, px, a pixel may be the arm's, as far as a
	// camera that is to be found out about may have moved.
	reach = 24
	// changed is by how many of 255 levels the arm differs from the background.
	changed = 28
	// A shadow darkens all colours alike, to no less than shadowDepth, within
	// shadowTint.
	shadowDepth, shadowTint = 0.5, 0.1
	// speck and gap are removed and filled, px.
	speck, gap = 1, 2
	// leastShare is the least share of all pixels that count in which the ghosts
	// must be for a comparison to mean something.
	leastShare = 0.01
	// MinPictures is how many pictures make a background.
	MinPictures = 4
)

// ErrNothingToCompare says that the pictures do not show the arm move.
var ErrNothingToCompare = errors.New("ghost: nothing to compare")

// Comparison is how arms and ghosts agree.
type Comparison struct {
	// IoU is the intersection over the union of arms and ghosts, all pictures
	// together; Each is that of each picture.
	IoU  float64
	Each []float64
	// Shift is by how many px, right and down, the ghosts must be moved to agree
	// best, and Best the IoU then.
	Shift [2]int
	Best  float64
	// Arms are where the arm was found, Counts which pixels count.
	Arms, Counts []Mask
	pictures     []Picture
}

// Compare finds the arms in pictures of one camera that stands still.
func Compare(pictures []Picture) (*Comparison, error) {
	if len(pictures) < MinPictures {
		return nil, fmt.Errorf("%w: %d pictures, at least %d are needed", ErrNothingToCompare, len(pictures), MinPictures)
	}
	w, h := pictures[0].Ghost.W, pictures[0].Ghost.H
	near := make([]Mask, len(pictures))
	for i := range pictures {
		p := &pictures[i]
		if p.Frame.W != w || p.Frame.H != h || p.Ghost.W != w || p.Ghost.H != h {
			return nil, fmt.Errorf("ghost: picture %d has %d x %d pixels, its ghost %d x %d, the first one %d x %d", i, p.Frame.W, p.Frame.H, p.Ghost.W, p.Ghost.H, w, h)
		}
		near[i] = p.Ghost.Grown(reach)
		for k, on := range p.Ignore.On {
			near[i].On[k] = near[i].On[k] || on
		}
	}
	back, known := background(pictures, near)
	c := &Comparison{pictures: pictures}
	ghosts, all := 0, 0
	for i := range pictures {
		p := &pictures[i]
		counts := NewMask(w, h)
		for k := range counts.On {
			counts.On[k] = known.On[k] && (len(p.Ignore.On) == 0 || !p.Ignore.On[k])
			if counts.On[k] {
				all++
				if p.Ghost.On[k] {
					ghosts++
				}
			}
		}
		arm := differing(&p.Frame, back)
		opened := arm.Opened(speck)
		arm = opened.Closed(gap)
		for k := range arm.On {
			arm.On[k] = arm.On[k] && counts.On[k]
		}
		c.Arms, c.Counts = append(c.Arms, arm), append(c.Counts, counts)
	}
	if float64(ghosts) < leastShare*float64(max(all, 1)) {
		return nil, fmt.Errorf("%w: the arm should be in %.1f %% of what can be compared, %.0f %% are needed: take it to more places in view", ErrNothingToCompare, 100*float64(ghosts)/float64(max(all, 1)), 100*leastShare)
	}
	for i := range pictures {
		both, either := c.overlap(i, 0, 0)
		c.Each = append(c.Each, share(both, either))
	}
	c.IoU = c.at(0, 0)
	c.search()
	return c, nil
}

func share(both, either int) float64 {
	if either == 0 {
		return 1
	}
	return float64(both) / float64(either)
}

// background is the mean of each pixel over the pictures in which no arm is near
// it, and which pixels have one.
func background(pictures []Picture, near []Mask) (back []byte, known Mask) {
	known = NewMask(near[0].W, near[0].H)
	back = make([]byte, 3*len(known.On))
	for k := range known.On {
		var sum [3]int
		n := 0
		for i := range pictures {
			if near[i].On[k] {
				continue
			}
			n++
			for c := range sum {
				sum[c] += int(pictures[i].Frame.RGB[3*k+c])
			}
		}
		if n == 0 {
			continue
		}
		known.On[k] = true
		for c := range sum {
			back[3*k+c] = byte(sum[c] / n)
		}
	}
	return back, known
}

// differing are the pixels that are neither background nor its shadow.
func differing(f *twinrig.Frame, back []byte) Mask {
	m := NewMask(f.W, f.H)
	for k := range m.On {
		most, least, dark := 0, math.Inf(1), 0.0
		for c := range 3 {
			v, b := int(f.RGB[3*k+c]), int(back[3*k+c])
			most = max(most, v-b, b-v)
			ratio := float64(v) / float64(max(b, 1))
			least, dark = min(least, ratio), max(dark, ratio)
		}
		shadow := least >= shadowDepth && dark <= 1 && dark-least <= shadowTint
		m.On[k] = most > changed && !shadow
	}
	return m
}

// overlap counts the pixels of a picture that count and are in both arm and
// moved ghost, and in either.
func (c *Comparison) overlap(i, dx, dy int) (both, either int) {
	arm, counts, ghost := &c.Arms[i], &c.Counts[i], &c.pictures[i].Ghost
	for y := max(0, dy); y < min(ghost.H, ghost.H+dy); y++ {
		row, from := y*ghost.W, (y-dy)*ghost.W-dx
		for x := max(0, dx); x < min(ghost.W, ghost.W+dx); x++ {
			if !counts.On[row+x] {
				continue
			}
			a, g := arm.On[row+x], ghost.On[from+x]
			if a && g {
				both++
			}
			if a || g {
				either++
			}
		}
	}
	return both, either
}

// at is the IoU of all pictures with the ghosts moved.
func (c *Comparison) at(dx, dy int) float64 {
	both, either := 0, 0
	for i := range c.Arms {
		b, e := c.overlap(i, dx, dy)
		both, either = both+b, either+e
	}
	return share(both, either)
}

// search finds the best shift, from coarse to fine.
func (c *Comparison) search() {
	c.Best = c.IoU
	for step := 8; step >= 1; step /= 2 {
		for moved := true; moved; {
			moved = false
			from := c.Shift
			for _, d := range [][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
				x, y := from[0]+step*d[0], from[1]+step*d[1]
				if max(x, -x, y, -y) > 4*reach {
					continue
				}
				if v := c.at(x, y); v > c.Best {
					c.Best, c.Shift, moved = v, [2]int{x, y}, true
				}
			}
		}
	}
}

// Overlay draws the ghost's outline and the arm's over a picture: green where
// the model is, red where the arm was found.
func (c *Comparison) Overlay(i int) twinrig.Frame {
	f := c.pictures[i].Frame
	f.RGB = append([]byte(nil), f.RGB...)
	for _, layer := range []struct {
		mask   *Mask
		colour [3]byte
	}{{&c.Arms[i], [3]byte{230, 40, 40}}, {&c.pictures[i].Ghost, [3]byte{40, 220, 80}}} {
		for k, on := range layer.mask.rim().On {
			if on {
				copy(f.RGB[3*k:], layer.colour[:])
			}
		}
	}
	return f
}

// rim are the pixels of the mask with a neighbour that is not in it.
func (m *Mask) rim() Mask {
	out := NewMask(m.W, m.H)
	for y := 1; y < m.H-1; y++ {
		for x := 1; x < m.W-1; x++ {
			k := y*m.W + x
			out.On[k] = m.On[k] && !(m.On[k-1] && m.On[k+1] && m.On[k-m.W] && m.On[k+m.W])
		}
	}
	return out
}
