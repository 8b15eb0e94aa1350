package extrinsics

import (
	"errors"
	"fmt"
	"math"

	"twinrig"
	"twinrig/calib/intrinsics"
	"twinrig/calib/target"
	"twinrig/sim"
)

// Options are what Solve takes as known beside the samples.
type Options struct {
	// Reading is what a joint's reading errs by from view to view, and Zero
	// what a joint's zero may be off: standard deviations in rad.
	Reading, Zero float64
	// BoardThickness is that of the board which lies on the table, m.
	BoardThickness float64
}

// DefaultOptions suit servos of 4096 steps a turn with the quarter degree of
// play that their maker allows, and joints that were homed with care.
func DefaultOptions() Options { return Options{Reading: 0.06 / deg, Zero: 0.2 / deg} }

// When views are left out, and when a fit is no fit.
const (
	// maxSpread is how far in rad a joint may have moved about the exposure.
	maxSpread = 0.3 / deg
	// maxBlur is the width of an edge in pixels beyond which a picture is blurred.
	maxBlur = 6
	// maxMedian is the reprojection distance of the median view beyond which
	// the views do not fit one camera: 5 px are half a degree of each joint.
	maxMedian = 5
	// mostDropped is the share of bad views from which on it is not the views.
	mostDropped = 0.3
)

// Solve finds where the camera of the lens stands. Views that do not fit the
// others are named in the result's Dropped and have no part in it. It is a pure
// function: the same samples give the same result. With an error the result
// holds what was dropped until then.
func Solve(samples []Sample, lens intrinsics.Lens, o Options) (*Result, error) {
	r := &Result{}
	inHand, onTable, err := r.usable(samples, &lens)
	if err != nil {
		return r, err
	}
	p := problemOf(&r.Board, &lens, inHand, o)
	if err := r.enough(len(p.views)); err != nil {
		return r, err
	}
	if r.Turns = p.turns(); r.Turns.enough() != nil {
		return r, r.Turns.enough()
	}
	kept, s, bad, err := p.fit()
	if err != nil {
		return r, fmt.Errorf("%w: %w; show the board in more places and at more angles", ErrDegenerate, err)
	}
	if err := p.judge(kept, &s, bad); err != nil {
		return r, err
	}
	for _, b := range bad {
		r.drop(b.Name, "%s", b.Why)
	}
	if err := r.enough(len(kept.views)); err != nil {
		return r, err
	}
	if r.Turns = kept.turns(); r.Turns.enough() != nil {
		return r, r.Turns.enough()
	}
	if err := r.cross(kept, &s); err != nil {
		return r, err
	}
	if err := r.fill(kept, &s, inHand); err != nil {
		return r, err
	}
	if r.Table, err = tableOf(&lens, r.BaseFromCamera, o.BoardThickness, onTable); err != nil {
		return r, fmt.Errorf("board on the table: %w", err)
	}
	r.warn(o)
	return r, nil
}

func (r *Result) drop(name, format string, args ...any) {
	r.Dropped = append(r.Dropped, Dropped{Name: name, Why: fmt.Sprintf(format, args...)})
}

func (r *Result) enough(n int) error {
	if n >= MinViews {
		return nil
	}
	why := ""
	for _, d := range r.Dropped[:min(len(r.Dropped), 6)] {
		why += "; " + d.Name + ": " + d.Why
	}
	return fmt.Errorf("%w: %d usable, at least %d are needed and 20 are good%s", ErrTooFewViews, n, MinViews, why)
}

// usable leaves out what can be judged without a solution. All views must be of
// one board, or of two if one lies on the table.
func (r *Result) usable(samples []Sample, lens *intrinsics.Lens) (inHand, onTable []Sample, err error) {
	var blur []float64
	mirrored := 0
	for i := range samples {
		s := &samples[i]
		if err := s.Validate(); err != nil {
			r.drop(s.View.Name, "%v", err)
			continue
		}
		_, _, poseErr := lens.BoardPose(&s.View.Board, s.View.Corners)
		switch {
		case s.Where == InHand && s.Spread > maxSpread:
			r.drop(s.View.Name, "arm moved or was bumped: a joint went %.2f deg off its mean during the exposure, %.1f are the limit", s.Spread*deg, maxSpread*deg)
		case s.View.BlurPx > maxBlur:
			r.drop(s.View.Name, "blurred: edges are %.1f px wide, %d is the limit", s.View.BlurPx, maxBlur)
		case poseErr != nil:
			if errors.Is(poseErr, intrinsics.ErrMirrored) {
				mirrored++
			}
			r.drop(s.View.Name, "%v", poseErr)
		case s.Where == OnTable:
			onTable = append(onTable, *s)
		default:
			inHand, blur = append(inHand, *s), append(blur, s.View.BlurPx)
		}
	}
	if mirrored > 0 && 2*mirrored >= len(samples) {
		return nil, nil, fmt.Errorf("%w: the corners of %d views run the wrong way round; end the flip in the camera's settings", ErrMirrored, mirrored)
	}
	if len(inHand) == 0 {
		return nil, nil, r.enough(0)
	}
	first := &inHand[0].View
	r.Board, r.WidthPx, r.HeightPx = first.Board, first.WidthPx, first.HeightPx
	sharp := inHand[:0:0]
	for i := range inHand {
		v := &inHand[i].View
		switch {
		case v.Board != r.Board:
			return nil, nil, fmt.Errorf("%w: %s is of a %s, %s of a %s: one board must stay in the hand", ErrWrongBoard, first.Name, &first.Board, v.Name, &v.Board)
		case v.WidthPx != r.WidthPx || v.HeightPx != r.HeightPx:
			return nil, nil, fmt.Errorf("%w: %s has %d x %d pixels, %s %d x %d: the camera's mode was changed", ErrCameraMoved, first.Name, first.WidthPx, first.HeightPx, v.Name, v.WidthPx, v.HeightPx)
		case v.BlurPx > 2*median(blur):
			r.drop(v.Name, "blurred: edges are %.1f px wide where the median view has %.1f", v.BlurPx, median(blur))
		default:
			sharp = append(sharp, inHand[i])
		}
	}
	return sharp, onTable, nil
}

// problemOf is the problem of samples that have passed usable.
func problemOf(b *target.Board, lens *intrinsics.Lens, samples []Sample, o Options) *problem {
	p := &problem{kin: sim.NewKinematics(), lens: lens, board: b, reading: o.Reading, zero: o.Zero}
	for i := range samples {
		v := &samples[i].View
		x, noise, err := lens.BoardPose(b, v.Corners)
		if err != nil {
			continue // usable has named it
		}
		p.views = append(p.views, view{name: v.Name, joints: samples[i].Joints, corners: v.Corners, start: x, noise: noise})
	}
	p.measurePixel()
	return p
}

// measurePixel takes what corners err by from how they fit their own view.
func (p *problem) measurePixel() {
	if len(p.views) == 0 {
		return
	}
	var noise []float64
	for i := range p.views {
		n := float64(2 * len(p.views[i].corners))
		// RMS of a distance to standard deviation of one direction, six numbers
		// of the pose allowed for.
		noise = append(noise, p.views[i].noise/math.Sqrt2*math.Sqrt(n/max(n-6, 1)))
	}
	p.pixel = max(median(noise), 0.02)
}

// fit solves and leaves out the views that do not fit, which it returns beside a
// problem of those that do.
func (p *problem) fit() (*problem, state, []Dropped, error) {
	s, err := p.start()
	if err != nil {
		return p, s, nil, err
	}
	kept := *p
	kept.cauchy = cornerCauchy
	kept.unturn(&s)
	bad := kept.dropFar(&s)
	for len(kept.views) >= subset {
		if _, err := kept.refine(&s); err != nil {
			return &kept, s, bad, err
		}
		more := kept.dropOutliers(&s)
		if len(more) == 0 {
			break
		}
		bad = append(bad, more...)
	}
	return &kept, s, bad, nil
}

// unturn counts the corners of a chessboard from the other end in the views in
// which that fits far better.
func (p *problem) unturn(s *state) {
	if p.board.Kind != target.Chessboard {
		return
	}
	views := append([]view(nil), p.views...)
	p.views = views
	for i := range views {
		here := rms(p.distances(s, i))
		before := views[i]
		views[i] = before.turned(p.board)
		if !(rms(p.distances(s, i)) < here/4) {
			views[i] = before
		}
	}
}

// turned is the view with its corners counted from the other end.
func (v view) turned(b *target.Board) view {
	corners := append([]target.Corner(nil), v.corners...)
	for i := range corners {
		corners[i].ID = b.Corners() - 1 - corners[i].ID
	}
	v.corners, v.isTurned = corners, !v.isTurned
	half := twinrig.Pose{R: twinrig.Quat{0, 0, 0, 1}, P: b.Centre().Scale(2)}
	v.start = v.start.Mul(half)
	return v
}

// warn names what a user should know of a result.
func (r *Result) warn(o Options) {
	warn := func(format string, args ...any) { r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...)) }
	if len(r.Views) < 15 {
		warn("%d views; 20 are good", len(r.Views))
	}
	for j, z := range r.Zeros {
		if math.Abs(z) > 3*o.Zero {
			warn("%s seems to be %+.2f deg off its zero: calibrate the joints, then this again", twinrig.AxisNames[j], z*deg)
		}
	}
	if len(r.Turned) > 0 {
		warn("%d views had the chessboard's corners counted from its other end and were turned round; a ChArUco board leaves no doubt", len(r.Turned))
	}
	if off := math.Abs(r.Scale - 1); off > 0.005 && off > 3*r.ScaleDeviation {
		warn("by the arm's measure the board's squares are %.2f mm, not %.2f: measure the print", 1000*r.Scale*r.Board.SquareM, 1000*r.Board.SquareM)
	}
}
