package extrinsics

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"twinrig"
)

// tiny is the step of numerical derivatives, in rad and m.
const tiny = 1e-6

// equations are a view's, or all views', normal equations, and twice the cost.
type equations struct {
	h    *mat.SymDense
	g    *mat.VecDense
	chi2 float64
}

func newEquations(n int) equations {
	return equations{h: mat.NewSymDense(n, nil), g: mat.NewVecDense(n, nil)}
}

func (e *equations) add(o *equations) {
	e.h.AddSym(e.h, o.h)
	e.g.AddVec(e.g, o.g)
	e.chi2 += o.chi2
}

// linearise builds a view's equations at s. The errors of its joint readings are
// unknowns that are eliminated (Woodbury): what they explain does not count.
func (p *problem) linearise(s *state, i int, withSlopes bool) equations {
	n := 0
	if withSlopes {
		n = p.params()
	}
	r := p.residuals(nil, s, i, nil)
	w := p.weights(r)
	rows := len(r)
	a := mat.NewDense(rows, n+1, nil) // slopes, and the residuals last
	for k, v := range r {
		a.Set(k, n, w[k]*v)
	}
	jq := mat.NewDense(rows, twinrig.NumJoints, nil)
	for j := range twinrig.NumJoints {
		var off twinrig.Joints
		off[j] = tiny
		hi := p.residuals(nil, s, i, &off)
		off[j] = -tiny
		slope(jq, j, w, hi, p.residuals(nil, s, i, &off))
	}
	step := make([]float64, p.params())
	for j := range n {
		if joint := j - atZeros + 1; joint >= 1 && joint < twinrig.NumJoints {
			a.SetCol(j, mat.Col(nil, joint, jq)) // a zero acts as a reading does
			continue
		}
		step[j] = tiny
		hi := p.moved(*s, step)
		step[j] = -tiny
		lo := p.moved(*s, step)
		step[j] = 0
		slope(a, j, w, p.residuals(nil, &hi, i, nil), p.residuals(nil, &lo, i, nil))
	}
	var inner mat.SymDense
	inner.SymOuterK(1, jq.T())
	for j := range twinrig.NumJoints {
		inner.SetSym(j, j, inner.At(j, j)+1/(p.reading*p.reading))
	}
	var both mat.SymDense
	both.SymOuterK(1, a.T())
	var chol mat.Cholesky
	if chol.Factorize(&inner) { // always, unless a corner is behind the camera
		var cross, solved, part mat.Dense
		cross.Mul(jq.T(), a)
		if chol.SolveTo(&solved, &cross) == nil {
			part.Mul(cross.T(), &solved)
			for x := range n + 1 {
				for y := x; y < n+1; y++ {
					both.SetSym(x, y, both.At(x, y)-part.At(x, y))
				}
			}
		}
	}
	e := equations{chi2: both.At(n, n)}
	if p.cauchy > 0 {
		e.chi2 += p.rest(r)
	}
	if !withSlopes {
		return e
	}
	e.h, e.g = mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for x := range n {
		e.g.SetVec(x, both.At(x, n))
		for y := x; y < n; y++ {
			e.h.SetSym(x, y, both.At(x, y))
		}
	}
	return e
}

func slope(to *mat.Dense, j int, w, hi, lo []float64) {
	for k := range hi {
		to.Set(k, j, w[k]*(hi[k]-lo[k])/(2*tiny))
	}
}

// weights are one over each residual's standard deviation, less for a corner
// that is far off what the view's other corners are: by Cauchy's loss about the
// view's median offset, for play moves all corners of a view together.
func (p *problem) weights(r []float64) []float64 {
	w := make([]float64, len(r))
	for k := range w {
		w[k] = 1 / p.pixel
	}
	if p.cauchy == 0 {
		return w
	}
	for k, d := range offMedian(r) {
		f := 1 / math.Sqrt(1+sq(d/(p.cauchy*p.pixel)))
		w[2*k] *= f
		w[2*k+1] *= f
	}
	return w
}

// rest is what Cauchy's loss adds over the weighted squares, so that a cost with
// weights that follow the residuals still falls as they do.
func (p *problem) rest(r []float64) float64 {
	var sum float64
	for _, d := range offMedian(r) {
		t := sq(d / (p.cauchy * p.pixel))
		sum += sq(p.cauchy) * (math.Log1p(t) - t/(1+t))
	}
	return sum
}

// offMedian is how far each corner's residual is off the median one.
func offMedian(r []float64) []float64 {
	us, vs := make([]float64, len(r)/2), make([]float64, len(r)/2)
	for k := range us {
		us[k], vs[k] = r[2*k], r[2*k+1]
	}
	mu, mv := median(us), median(vs)
	d := make([]float64, len(us))
	for k := range d {
		d[k] = math.Hypot(us[k]-mu, vs[k]-mv)
	}
	return d
}

func sq(v float64) float64 { return v * v }
