package extrinsics

import (
	"fmt"
	"math"

	"twinrig"
)

// fill writes the result of a fit, and checks it on each view with a solution
// that the view had no part in.
func (r *Result) fill(p *problem, s *state, samples []Sample) error {
	parts, e := p.parts(s)
	dev, condition, err := deviations(&e)
	if err != nil {
		return fmt.Errorf("%w: %w; turn the hand about more axes", ErrDegenerate, err)
	}
	// Where corners and readings err by more than they are thought to.
	more := math.Sqrt(max(1, e.chi2/p.freedom()))
	r.BaseFromCamera, r.HandFromBoard, r.Zeros, r.Condition = s.camera, s.board, s.zeros, condition
	r.PixelPx = p.pixel
	for i := range r.Deviation {
		r.Deviation[i] = more * dev[atCamera+i]
	}
	for j := 1; j < twinrig.NumJoints; j++ {
		r.ZerosDeviation[j] = more * dev[atZeros+j-1]
	}
	byName := map[string]*Sample{}
	for i := range samples {
		byName[samples[i].View.Name] = &samples[i]
	}
	for i := range p.views {
		v := View{Sample: *byName[p.views[i].name], CameraFromBoard: p.inCamera(s, i, nil)}
		res := p.residuals(nil, s, i, nil)
		d := p.distances(s, i)
		for k := range d {
			v.Residuals = append(v.Residuals, [2]float64{res[2*k], res[2*k+1]})
			v.MaxPx = max(v.MaxPx, d[k])
		}
		v.MeanPx, v.RMSPx = mean(d), rms(d)
		r.Views = append(r.Views, v)
		if p.views[i].isTurned {
			r.Turned = append(r.Turned, p.views[i].name)
		}
	}
	all := p.all(s)
	r.MeanPx, r.RMSPx = mean(all), rms(all)
	r.holdOut(p, s, parts, &e)
	return nil
}

// freedom is how many more numbers were seen than solved for.
func (p *problem) freedom() float64 {
	n := -p.params()
	for i := range p.views {
		n += 2 * len(p.views[i].corners)
	}
	return float64(max(n, 1))
}

// parts are each view's equations at s, and all together.
func (p *problem) parts(s *state) (parts []equations, all equations) {
	for i := range p.views {
		parts = append(parts, p.linearise(s, i, true))
	}
	return parts, p.total(s)
}

// holdOut leaves out each view in turn, by a step of Gauss and Newton from the
// solution: how far the camera moves is its jackknife deviation, how well the
// rest explains the view is its held-out residual.
func (r *Result) holdOut(p *problem, s *state, parts []equations, e *equations) {
	n := len(parts)
	var moves [][6]float64
	var all []float64
	for i := range parts {
		rest := newEquations(p.params())
		rest.h.CopySym(e.h)
		for a := range p.params() {
			rest.g.SetVec(a, e.g.AtVec(a)-parts[i].g.AtVec(a))
			for b := a; b < p.params(); b++ {
				rest.h.SetSym(a, b, e.h.At(a, b)-parts[i].h.At(a, b))
			}
		}
		without, ok := p.step(s, &rest, 0)
		if !ok {
			continue // the rest does not stand without it: enough is far from so few
		}
		d := p.distances(&without, i)
		r.Views[i].HeldOutRMSPx = rms(d)
		all = append(all, d...)
		turn := without.camera.R.Mul(s.camera.R.Inv()).RotVec()
		shift := without.camera.P.Sub(s.camera.P)
		moves = append(moves, [6]float64{turn[0], turn[1], turn[2], shift[0], shift[1], shift[2]})
	}
	r.HeldOutMeanPx, r.HeldOutRMSPx = mean(all), rms(all)
	for k := range r.Jackknife {
		var sum, square float64
		for i := range moves {
			sum += moves[i][k] / float64(len(moves))
		}
		for i := range moves {
			square += sq(moves[i][k] - sum)
		}
		r.Jackknife[k] = math.Sqrt(float64(n-1) / float64(n) * square)
	}
}

// Limits of the board's size by the arm's measure.
const (
	maxScaleOff    = 0.015
	scaleDeviation = 5
)

// cross checks a fit in ways that its residual does not show: the board's size by
// the arm's measure, a small jump, and the inverse.
func (r *Result) cross(p *problem, s *state) error {
	free := *p
	free.sized = true
	sized := *s
	e, err := free.refine(&sized)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDegenerate, err)
	}
	dev, _, err := deviations(&e)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDegenerate, err)
	}
	r.Scale, r.ScaleDeviation = sized.scale, dev[numFixed]*math.Sqrt(max(1, e.chi2/free.freedom()))
	// A wrong size and a small jump can look alike: what explains more counts.
	jump, jumped := p.jumped(s)
	if err := p.wrongSize(r.Scale, r.ScaleDeviation); err != nil && (!jumped || e.chi2+jumpCost*float64(free.params()) < jump.cost) {
		return err
	}
	if jumped {
		return jump.name()
	}
	inverse := *s
	inverse.camera = s.camera.Inv()
	r.InversePx = median(p.all(&inverse))
	return nil
}

// wrongSize refuses a board that is not as large as it is said to be.
func (p *problem) wrongSize(scale, deviation float64) error {
	if off := math.Abs(scale - 1); off < maxScaleOff || off < scaleDeviation*deviation {
		return nil
	}
	return fmt.Errorf("%w: by the arm's measure its squares are %.2f mm, not %.2f: measure the print, and give the side as measured", ErrWrongBoard, 1000*scale*p.board.SquareM, 1000*p.board.SquareM)
}
