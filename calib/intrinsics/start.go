package intrinsics

import (
	"math"
	"slices"

	"twinrig"
)

// The focal lengths that are tried, as shares of the picture's width: from a 130
// degree to a 6 degree lens.
const (
	shortest, longest = 0.23, 9.5
	tries             = 40
)

// start is a first solution: no distortion, the principal point in the middle,
// and the focal length under which the median view fits best, so that bad views
// have no say.
func (p *problem) start(w, h int, maps []homography) (state, error) {
	best, bestErr := state{}, math.Inf(1)
	for i := range tries {
		f := float64(w) * shortest * math.Pow(longest/shortest, float64(i)/(tries-1))
		s := state{lens: Lens{f, f, float64(w-1) / 2, float64(h-1) / 2}}
		errs := make([]float64, len(maps))
		for v := range maps {
			x, ok := maps[v].pose(&s.lens, p.board.Centre())
			if !ok {
				x = twinrig.Pose{R: twinrig.Quat{1}, P: twinrig.Vec3{0, 0, 1}}
			}
			s.poses = append(s.poses, x)
			errs[v] = rms(p.distances(&s, v))
		}
		if m := median(errs); m < bestErr {
			best, bestErr = s, m
		}
	}
	if math.IsInf(bestErr, 1) {
		return state{}, errSingular
	}
	return best, nil
}

func rms(d []float64) float64 {
	var sum float64
	for _, v := range d {
		sum += v * v
	}
	r := math.Sqrt(sum / float64(len(d)))
	if math.IsNaN(r) {
		return math.Inf(1)
	}
	return r
}

func mean(d []float64) float64 {
	var sum float64
	for _, v := range d {
		sum += v
	}
	return sum / float64(len(d))
}

// median is the middle value, the mean of the two middle ones of an even number.
func median(d []float64) float64 {
	d = slices.Sorted(slices.Values(d))
	n := len(d)
	return (d[(n-1)/2] + d[n/2]) / 2
}
