package extrinsics

import (
	"fmt"

	"twinrig/calib/target"
)

// judge names what is wrong with samples that have no fit: the views that are
// off are many, or lie together in time, or the others are far off too. kept and
// s are the fit, bad the views that are not in it.
func (p *problem) judge(kept *problem, s *state, bad []Dropped) error {
	if fits(p, kept, s, bad) {
		return nil
	}
	for _, h := range []struct {
		change func(*problem) bool
		name   error
		cure   string
	}{
		{(*problem).mirror, ErrMirrored, "the views fit when left and right are swapped; end the flip in the camera's settings"},
		{(*problem).invert, ErrInverted, "the views fit when the hand's poses are inverted: they are base in hand where hand in base is wanted"},
	} {
		q := *p
		if !h.change(&q) {
			continue
		}
		if k, t, b, err := q.fit(); err == nil && fits(&q, k, &t, b) {
			return fmt.Errorf("%w: %s", h.name, h.cure)
		}
	}
	if err := p.resize(); err != nil {
		return err
	}
	if err := p.broken(); err != nil {
		return err
	}
	return fmt.Errorf("%w: %d of %d are off, the median view by %.1f px: is the board fixed to the hand and flat, are the lens and the joints' zeros of this camera and arm?",
		ErrPoorFit, len(bad), len(p.views), p.medianOff(s))
}

// fits tells whether a fit explains its views.
func fits(all, kept *problem, s *state, bad []Dropped) bool {
	return float64(len(bad)) <= mostDropped*float64(len(all.views)) && !all.together(bad) && kept.medianOff(s) <= maxMedian
}

// mostlyBad is the share of the bad views that must lie together.
const mostlyBad = 0.6

// together tells whether most bad views are the first ones, or the last, with few
// good ones among them: three at least.
func (p *problem) together(bad []Dropped) bool {
	is := map[string]bool{}
	for _, b := range bad {
		is[b.Name] = true
	}
	want := max(3, mostlyBad*float64(len(bad)))
	n := len(p.views)
	first, last := 0.0, 0.0
	for i := range n {
		first += sign(is[p.views[i].name])
		last += sign(is[p.views[n-1-i].name])
		if first >= want || last >= want {
			return true
		}
	}
	return false
}

func sign(yes bool) float64 {
	if yes {
		return 1
	}
	return -1
}

func (p *problem) medianOff(s *state) float64 {
	off := make([]float64, len(p.views))
	for i := range off {
		off[i] = rms(p.distances(s, i))
	}
	return median(off)
}

// mirror swaps left and right in every picture; a chessboard's corners are then
// counted from its other side.
func (p *problem) mirror() bool {
	var views []view
	for _, v := range p.views {
		corners := append([]target.Corner(nil), v.corners...)
		for k := range corners {
			c := &corners[k]
			c.X = 2*p.lens[2] - c.X
			c.ID += p.board.Cols - 1 - 2*(c.ID%p.board.Cols)
		}
		x, _, err := p.lens.BoardPose(p.board, corners)
		if err != nil {
			continue
		}
		v.corners, v.start = corners, x
		views = append(views, v)
	}
	p.views = views
	return len(views) >= MinViews
}

func (p *problem) invert() bool {
	p.inverted = true
	return true
}

// resize tries a board of another size.
func (p *problem) resize() error {
	q := *p
	q.sized = true
	if kept, s, bad, err := q.fit(); err == nil && fits(&q, kept, &s, bad) {
		e := kept.total(&s)
		if dev, _, err := deviations(&e); err == nil {
			return p.wrongSize(s.scale, dev[numFixed])
		}
	}
	return nil // the size is not what is wrong
}
