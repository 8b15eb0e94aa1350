package intrinsics

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"twinrig"
	"twinrig/calib/target"
)

// What a set of views must have.
const (
	// MinViews is the least number of views that are solved from; each gives
	// two constraints on the lens, and some must be left over to judge it.
	MinViews = 5
	// minTilt is the least largest angle between two boards: parallel boards
	// say nothing of the focal length.
	minTilt = 12 * math.Pi / 180
	// maxFocalDeviation is the largest relative standard deviation of the focal
	// length of a set that counts as determined.
	maxFocalDeviation = 0.02
)

// ErrDegenerate says that the views do not determine a lens. The message has the
// cure.
var ErrDegenerate = errors.New("views do not determine the lens")

// Solve finds the lens of the camera that took the samples. Views that do not
// fit the others are named in the result's Dropped and have no part in it. It is
// a pure function: the same samples give the same result. With ErrDegenerate the
// result holds what was dropped until then.
func Solve(samples []Sample) (*Result, error) {
	r := &Result{}
	if len(samples) == 0 {
		return r, fmt.Errorf("%w: there is none", ErrDegenerate)
	}
	used, maps := r.usable(samples)
	if err := r.enough(len(used)); err != nil {
		return r, err
	}
	r.Board, r.WidthPx, r.HeightPx = used[0].Board, used[0].WidthPx, used[0].HeightPx

	s, err := r.robust(&used, maps)
	if err != nil {
		return r, err
	}
	p := problemOf(used)
	if r.TiltRad = tilt(&s); r.TiltRad < minTilt {
		return r, fmt.Errorf("%w: all %d show the board at one angle (to %.1f degrees, %.0f are needed): tilt it by 20 to 45 degrees to the left, the right, up and down",
			ErrDegenerate, len(used), r.TiltRad*deg, minTilt*deg)
	}
	if r.Deviation, err = p.deviations(&s); err != nil {
		return r, fmt.Errorf("%w: %w; add views with the board tilted in more directions", ErrDegenerate, err)
	}
	r.Lens = s.lens
	r.fill(&p, &s, used)
	if err := r.check(&p, &s); err != nil {
		return r, err
	}
	if d := r.FocalDeviation(); d > maxFocalDeviation {
		return r, fmt.Errorf("%w: the focal length is known to %.1f %%, %.0f %% is the limit: add views with the board tilted by 20 to 45 degrees in all directions, near enough to fill half of the picture",
			ErrDegenerate, 100*d, 100*maxFocalDeviation)
	}
	r.warn()
	return r, nil
}

const deg = 180 / math.Pi

func (r *Result) drop(name, format string, args ...any) {
	r.Dropped = append(r.Dropped, Dropped{Name: name, Why: fmt.Sprintf(format, args...)})
}

// enough refuses too few views.
func (r *Result) enough(n int) error {
	if n >= MinViews {
		return nil
	}
	return fmt.Errorf("%w: %d usable, at least %d are needed: take more, 15 are good, with the board in every part of the picture and tilted%s", ErrDegenerate, n, MinViews, Names(r.Dropped))
}

// shownNames is how many dropped views an error names.
const shownNames = 6

// Names lists dropped views for the end of an error: "; a.jpg: blurred; ...".
func Names(dropped []Dropped) string {
	var s strings.Builder
	for i, d := range dropped {
		if i == shownNames {
			fmt.Fprintf(&s, "; and %d more", len(dropped)-i)
			break
		}
		s.WriteString("; " + d.Name + ": " + d.Why)
	}
	return s.String()
}

// problemOf is the plain least squares of the samples.
func problemOf(samples []Sample) problem {
	p := problem{board: &samples[0].Board}
	for i := range samples {
		p.views = append(p.views, samples[i].Corners)
	}
	return p
}

// tilt is the largest angle between two views' boards.
func tilt(s *state) float64 {
	var most float64
	for i := range s.poses {
		a := s.poses[i].R.Rotate(twinrig.Vec3{0, 0, 1})
		for j := range i {
			b := s.poses[j].R.Rotate(twinrig.Vec3{0, 0, 1})
			most = max(most, math.Atan2(a.Cross(b).Norm(), a[0]*b[0]+a[1]*b[1]+a[2]*b[2]))
		}
	}
	return most
}

// fill writes the views' residuals.
func (r *Result) fill(p *problem, s *state, used []Sample) {
	for i := range used {
		d := p.distances(s, i)
		v := View{Sample: used[i], CameraFromBoard: s.poses[i], MeanPx: mean(d), RMSPx: rms(d)}
		for k := range used[i].Corners {
			du, dv := s.residual(p.board, i, &used[i].Corners[k])
			v.Residuals = append(v.Residuals, [2]float64{du, dv})
			v.MaxPx = max(v.MaxPx, d[k])
		}
		r.Views = append(r.Views, v)
	}
	all := p.all(s)
	r.MeanPx, r.RMSPx = mean(all), rms(all)
	g := NewCoverage(r.WidthPx, r.HeightPx)
	for i := range used {
		g.Add(used[i].Corners)
	}
	r.Coverage = g.Share()
}

// wellCovered is the share of the picture beyond which the distortion is known
// all over it.
const wellCovered = 0.75

// warn collects what a user should know.
func (r *Result) warn() {
	if r.Coverage < wellCovered {
		r.Warnings = append(r.Warnings, fmt.Sprintf("corners were seen in %.0f %% of the picture: where there was none the distortion is a guess; add views with the board in the borders", 100*r.Coverage))
	}
	if r.TiltRad < 30/deg {
		r.Warnings = append(r.Warnings, fmt.Sprintf("boards differ by at most %.0f degrees: tilt more for a better focal length", r.TiltRad*deg))
	}
	if skew := math.Abs(r.Lens[0]/r.Lens[1] - 1); skew > 0.01 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("fx and fy differ by %.1f %%: check with the rulers that the board was printed at one scale in both directions", 100*skew))
	}
}

// sameBoard says that a board's corners are the other's.
func sameBoard(a, b *target.Board) bool {
	return a.Kind == b.Kind && a.Cols == b.Cols && a.Rows == b.Rows && a.SquareM == b.SquareM
}
