package extrinsics

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"twinrig"
)

var errSingular = errors.New("the views do not determine where the camera is")

// Levenberg-Marquardt's limits,.
const (
	maxSteps   = 60
	maxDamping = 1e6
	stepDone   = 1e-9
)

// total builds the equations of all views and of what is known of the zeros.
func (p *problem) total(s *state) equations {
	e := newEquations(p.params())
	for i := range p.views {
		v := p.linearise(s, i, true)
		e.add(&v)
	}
	for j := 1; j < twinrig.NumJoints; j++ {
		at := atZeros + j - 1
		z, w := s.zeros[j], 1/sq(p.zero)
		e.h.SetSym(at, at, e.h.At(at, at)+w)
		e.g.SetVec(at, e.g.AtVec(at)+w*z)
		e.chi2 += w * z * z
	}
	return e
}

// cost is twice the negative logarithm of how likely s is, up to a constant.
func (p *problem) cost(s *state) float64 {
	var chi2 float64
	for i := range p.views {
		e := p.linearise(s, i, false)
		chi2 += e.chi2
	}
	for j := 1; j < twinrig.NumJoints; j++ {
		chi2 += sq(s.zeros[j] / p.zero)
	}
	if math.IsNaN(chi2) {
		return math.Inf(1)
	}
	return chi2
}

// refine moves s to the least cost near it and returns that cost with the
// equations there.
func (p *problem) refine(s *state) (equations, error) {
	cost := p.cost(s)
	if math.IsInf(cost, 1) {
		return equations{}, errSingular
	}
	damping := 1e-4
	for range maxSteps {
		e := p.total(s)
		for {
			if damping > maxDamping {
				return p.total(s), nil // no step gains: this is the bottom
			}
			if next, ok := p.step(s, &e, damping); ok {
				if c := p.cost(&next); c <= cost {
					gain := cost - c
					*s, cost = next, c
					damping = max(damping/10, 1e-12)
					if gain <= stepDone*cost {
						return p.total(s), nil
					}
					break
				}
			}
			damping *= 10
		}
	}
	return p.total(s), nil
}

// step solves the damped equations.
func (p *problem) step(s *state, e *equations, damping float64) (state, bool) {
	n := e.h.SymmetricDim()
	h := mat.NewSymDense(n, nil)
	h.CopySym(e.h)
	for j := range n {
		h.SetSym(j, j, h.At(j, j)*(1+damping)+1e-300)
	}
	var chol mat.Cholesky
	var d mat.VecDense
	if !chol.Factorize(h) || chol.SolveVecTo(&d, e.g) != nil {
		return *s, false
	}
	step := make([]float64, n)
	for j := range step {
		step[j] = -d.AtVec(j)
	}
	return p.moved(*s, step), true
}

// deviations are the parameters' standard deviations if readings and corners err
// as they are thought to, and the condition of the equations with every
// parameter in its own deviation's unit.
func deviations(e *equations) (dev []float64, condition float64, err error) {
	n := e.h.SymmetricDim()
	unit := mat.NewSymDense(n, nil)
	scale := make([]float64, n)
	for i := range scale {
		scale[i] = 1 / math.Sqrt(max(e.h.At(i, i), 1e-300))
	}
	for i := range scale {
		for j := i; j < n; j++ {
			unit.SetSym(i, j, e.h.At(i, j)*scale[i]*scale[j])
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(unit) || chol.Cond() > 1e12 {
		return nil, math.Inf(1), errSingular
	}
	var cov mat.SymDense
	if err := chol.InverseTo(&cov); err != nil {
		return nil, math.Inf(1), errSingular
	}
	dev = make([]float64, n)
	for i := range dev {
		dev[i] = math.Sqrt(cov.At(i, i)) * scale[i]
	}
	var eig mat.EigenSym
	if !eig.Factorize(unit, false) {
		return nil, math.Inf(1), errSingular
	}
	w := eig.Values(nil)
	return dev, math.Sqrt(w[n-1] / w[0]), nil
}
