package extrinsics

import (
	"fmt"
	"math"
)

// When a view is an outlier.
const (
	// A view is far off a first solution that is off by so many pixels, and by so
	// many times what the median view is.
	farPx, farFactor = 25, 5
	// Joint readings that would have to be off by so many of their standard
	// deviations, all joints together, are no readings of this arm; nor are
	// those off by so many times what they are in the median view.
	readingSigmas, readingFactor = 6, 2.5
	// Corners of one view that are off each other by so many pixels, and so many
	// times as much as in the median view, were misread.
	cornersPx, cornersFactor = 1, 4
	// cornerCauchy is problem.cauchy: corners that are further off their view's
	// others lose their weight.
	cornerCauchy = 5
)

// dropFar takes views out that are far off a first solution.
func (p *problem) dropFar(s *state) []Dropped {
	off := make([]float64, len(p.views))
	for i := range off {
		off[i] = rms(p.distances(s, i))
	}
	mid := median(off)
	return p.drop(func(i int) string {
		if off[i] <= max(farFactor*mid, farPx) {
			return ""
		}
		return fmt.Sprintf("residual %.0f px where the median view has %.1f: bumped arm, board touched, or corners misread", off[i], mid)
	})
}

// dropOutliers takes views out that servo play and noise do not explain.
func (p *problem) dropOutliers(s *state) []Dropped {
	sigmas, noise := make([]float64, len(p.views)), make([]float64, len(p.views))
	for i := range sigmas {
		v := &p.views[i]
		noise[i] = v.noise
		e := p.linearise(s, i, false)
		own := float64(len(v.corners)) * sq(v.noise/p.pixel)
		sigmas[i] = math.Sqrt(max(e.chi2-own, 0))
	}
	limit := max(readingFactor*median(sigmas), readingSigmas)
	corners := max(cornersFactor*median(noise), cornersPx)
	return p.drop(func(i int) string {
		switch {
		case noise[i] > corners:
			return fmt.Sprintf("corners misread, or the board is bent: they are %.2f px off each other where %.2f are the limit", noise[i], corners)
		case sigmas[i] > limit:
			return fmt.Sprintf("residual %.1f px, its joint readings would be off by %.0f standard deviations where %.0f are the limit: bumped or loaded arm, or board touched", rms(p.distances(s, i)), sigmas[i], limit)
		}
		return ""
	})
}

// drop takes out the views that there is something to say against.
func (p *problem) drop(why func(int) string) []Dropped {
	var kept []view
	var bad []Dropped
	for i := range p.views {
		if w := why(i); w != "" {
			bad = append(bad, Dropped{p.views[i].name, w})
			continue
		}
		kept = append(kept, p.views[i])
	}
	p.views = kept
	return bad
}
