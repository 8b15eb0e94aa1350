package target

import (
	"math"
	"slices"
)

// profileStep is how finely an edge is sampled across, in pixels.
const profileStep = 0.25

// blur is the width of the squares' edges in pixels: full contrast divided by
// the steepest slope, the median over the edges along rows and along columns,
// of which the larger counts, since motion blurs one direction only. It is 0
// where no edge lies in the picture. An edge blurred by a Gaussian of sigma is
// 2.5 sigma wide.
func (d *Detector) blur(p *Picture, corners []Corner) float64 {
	byID := make([]*Corner, d.board.Corners())
	for i := range corners {
		byID[corners[i].ID] = &corners[i]
	}
	reach := 0.4
	if d.board.Kind == ChArUco {
		// Short of the marker.
		reach = (1 - d.board.MarkerM/d.board.SquareM) / 2
	}
	var widest float64
	for _, next := range []int{1, d.board.Cols} {
		var slopes, levels []float64
		for id, a := range byID {
			if id+next >= len(byID) || next == 1 && (id+1)%d.board.Cols == 0 {
				continue
			}
			if b := byID[id+next]; a != nil && b != nil {
				slope, samples := edge(p, a, b, reach)
				slopes, levels = append(slopes, slope), append(levels, samples...)
			}
		}
		if len(slopes) == 0 || len(levels) == 0 {
			continue
		}
		slices.Sort(levels)
		contrast := levels[len(levels)*9/10] - levels[len(levels)/10]
		widest = max(widest, contrast/max(median(slopes), 1e-3))
	}
	return widest
}

// edge samples brightness across the middle of the edge from a to b, to reach of
// its length on both sides, and returns the steepest slope per pixel.
func edge(p *Picture, a, b *Corner, reach float64) (steepest float64, samples []float64) {
	dx, dy := b.X-a.X, b.Y-a.Y
	length := math.Hypot(dx, dy)
	nx, ny := -dy/length, dx/length
	half := int(math.Ceil(max(reach*length, 1.5) / profileStep))
	// One pixel either side of the point: the slope as a pixel sees it.
	const span = int(1 / profileStep)
	for k := -half; k <= half; k++ {
		t := float64(k) * profileStep
		v, ok := p.at((a.X+b.X)/2+t*nx, (a.Y+b.Y)/2+t*ny)
		if !ok {
			return 0, nil
		}
		samples = append(samples, v)
		if n := len(samples); n > span {
			steepest = max(steepest, math.Abs(v-samples[n-1-span]))
		}
	}
	return steepest, samples
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}
