package intrinsics

import (
	"fmt"
	"math"

	"twinrig/calib/target"
)

// When a view is an outlier.
const (
	// maxBlur is the width of an edge in pixels beyond which a picture is
	// blurred, whatever the others are.
	maxBlur = 6
	// blurFactor is how many times as wide as in the median view an edge may be.
	blurFactor = 2
	// madFactor is how many robust standard deviations (1.4826 times the median
	// absolute deviation) above the median a view's residual may lie; rmsFactor
	// times the median, and rmsFloor in pixels, are let pass in any case: no
	// detector is surely better than that.
	madFactor, rmsFactor, rmsFloor = 4, 1.5, 0.1
	// cornerFactor is how many times the median view's residual one corner may
	// be off, and cornerFloor what is let pass in any case, in pixels.
	cornerFactor, cornerFloor = 8, 1
	// fewCorners is the share of a view's corners up to which it is they that
	// are wrong, and not the view.
	fewCorners = 0.1
	// mostDropped is the share of views from which on it is not the views that
	// are wrong.
	mostDropped = 0.4
)

// usable leaves out what can be judged without a solution, and returns the rest
// with its maps from the board to the picture. The first picture's size, and
// board, count: those that most have.
func (r *Result) usable(samples []Sample) ([]Sample, []homography) {
	like := commonest(samples)
	var used []Sample
	var maps []homography
	seen := map[string]string{}
	blur := medianBlur(samples)
	for i := range samples {
		s := &samples[i]
		h, why := judge(s, like, blur)
		if why == "" && seen[s.PictureSHA256] != "" {
			why = "is the same picture as " + seen[s.PictureSHA256]
		}
		if why != "" {
			r.drop(s.Name, "%s", why)
			continue
		}
		if s.PictureSHA256 != "" {
			seen[s.PictureSHA256] = s.Name
		}
		used, maps = append(used, *s), append(maps, h)
	}
	return used, maps
}

// judge says why a sample is unusable.
func judge(s, like *Sample, blur float64) (homography, string) {
	if err := s.Validate(); err != nil {
		return homography{}, err.Error()
	}
	switch {
	case s.WidthPx != like.WidthPx || s.HeightPx != like.HeightPx:
		return homography{}, fmt.Sprintf("has %d x %d pixels where the others have %d x %d: another camera or another mode", s.WidthPx, s.HeightPx, like.WidthPx, like.HeightPx)
	case !sameBoard(&s.Board, &like.Board):
		return homography{}, fmt.Sprintf("wrong board: %s where the others have %s", &s.Board, &like.Board)
	case s.BlurPx > maxBlur:
		return homography{}, fmt.Sprintf("blurred: edges are %.1f px wide, %d is the limit", s.BlurPx, maxBlur)
	case s.BlurPx > blurFactor*blur:
		return homography{}, fmt.Sprintf("blurred: edges are %.1f px wide where the median view has %.1f", s.BlurPx, blur)
	}
	h, err := fitHomography(&s.Board, s.Corners)
	if err != nil {
		return h, err.Error()
	}
	if h.mirrored(s.Board.Centre()) {
		return h, "mirrored: its corners run the wrong way round"
	}
	return h, ""
}

// commonest is a sample whose picture size and board most samples have.
func commonest(samples []Sample) *Sample {
	best, most := &samples[0], 0
	for i := range samples {
		n := 0
		for j := range samples {
			if samples[i].WidthPx == samples[j].WidthPx && samples[i].HeightPx == samples[j].HeightPx &&
				sameBoard(&samples[i].Board, &samples[j].Board) {
				n++
			}
		}
		if n > most {
			best, most = &samples[i], n
		}
	}
	return best
}

func medianBlur(samples []Sample) float64 {
	var blur []float64
	for i := range samples {
		blur = append(blur, samples[i].BlurPx)
	}
	return median(blur)
}

// robust solves with a loss that bad corners have no hold on, drops the views
// that do not fit, and solves the rest by plain least squares, until all fit.
func (r *Result) robust(used *[]Sample, maps []homography) (state, error) {
	p := problemOf(*used)
	s, err := p.start(r.WidthPx, r.HeightPx, maps)
	if err != nil {
		return s, fmt.Errorf("%w: %w", ErrDegenerate, err)
	}
	// The loss's width follows the residuals, from coarse to fine.
	for range 4 {
		p.cauchy = max(2*median(p.all(&s)), 1e-6)
		if _, err := p.refine(&s); err != nil {
			return s, fmt.Errorf("%w: %w", ErrDegenerate, err)
		}
	}
	total := len(*used)
	for {
		n := len(*used)
		r.dropOutliers(&p, &s, used)
		if float64(total-len(*used)) >= mostDropped*float64(total) {
			return s, fmt.Errorf("%w: %d of %d do not fit one lens: was the zoom, the focus or the board changed between them, or is the board not flat?", ErrDegenerate, total-len(*used), total)
		}
		if err := r.enough(len(*used)); err != nil {
			return s, err
		}
		if len(*used) == n && p.cauchy == 0 {
			return s, nil
		}
		p = problemOf(*used)
		if _, err := p.refine(&s); err != nil {
			return s, fmt.Errorf("%w: %w", ErrDegenerate, err)
		}
	}
}

// dropOutliers takes the views that do not fit out of used and of s.
func (r *Result) dropOutliers(p *problem, s *state, used *[]Sample) {
	spread := make([]float64, len(*used))
	for i := range spread {
		spread[i] = spreadOf(p.distances(s, i))
	}
	mid := median(spread)
	off := make([]float64, len(spread))
	for i := range off {
		off[i] = math.Abs(spread[i] - mid)
	}
	limit := max(mid+madFactor*1.4826*median(off), rmsFactor*mid, rmsFloor)
	corner := max(cornerFactor*mid, cornerFloor)
	kept, poses := (*used)[:0:0], s.poses[:0:0]
	for i := range spread {
		d := p.distances(s, i)
		worst, at := worstOf(d, p.views[i])
		switch {
		case worst <= corner && spread[i] <= limit:
			kept, poses = append(kept, (*used)[i]), append(poses, s.poses[i])
		case share(d, 4*mid) <= fewCorners:
			r.drop((*used)[i].Name, "corner %d is %.1f px off: swapped or misread (residual %.2f px, median view %.2f)", at, worst, spread[i], mid)
		default:
			r.drop((*used)[i].Name, "residual %.2f px where the median view has %.2f and the limit is %.2f: wrong board, corners misread, bent board or blur", spread[i], mid, limit)
		}
	}
	*used, s.poses = kept, poses
}

// spreadOf is a view's residual with the six numbers of its pose allowed for, so
// that views of few corners compare with full ones.
func spreadOf(d []float64) float64 {
	n := float64(2 * len(d))
	return rms(d) * math.Sqrt(n/(n-numPose))
}

func worstOf(d []float64, corners []target.Corner) (worst float64, id int) {
	for i, v := range d {
		if !(v <= worst) {
			worst, id = v, corners[i].ID
		}
	}
	return worst, id
}

// share is the part of d that is above limit.
func share(d []float64, limit float64) float64 {
	n := 0
	for _, v := range d {
		if !(v <= limit) {
			n++
		}
	}
	return float64(n) / float64(len(d))
}
