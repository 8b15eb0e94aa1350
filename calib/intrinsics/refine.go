package intrinsics

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"twinrig"
)

// Levenberg-Marquardt's limits.
const (
	maxSteps   = 100
	maxDamping = 1e12
	// stepDone ends the search when a step gains less than this share.
	stepDone = 1e-12
)

// refine moves s to the least cost near it and returns that cost.
func (p *problem) refine(s *state) (float64, error) {
	cost := p.cost(s)
	if math.IsInf(cost, 1) {
		return 0, errSingular
	}
	damping := 1e-4
	for range maxSteps {
		e := p.linearise(s)
		for {
			if damping > maxDamping {
				return cost, nil // no step gains: this is the bottom
			}
			next, err := p.step(s, &e, damping)
			if err == nil {
				if c := p.cost(&next); c <= cost {
					gain := cost - c
					*s, cost = next, c
					damping = max(damping/10, 1e-12)
					if gain <= stepDone*cost {
						return cost, nil
					}
					break
				}
			}
			damping *= 10
		}
	}
	return cost, nil
}

// step solves the damped equations and moves a copy of s.
func (p *problem) step(s *state, e *equations, damping float64) (state, error) {
	d := e.damped(damping)
	next := s.clone()
	lens := mat.NewVecDense(NumParams, nil)
	var factors []mat.Cholesky
	if p.fixed {
		factors = make([]mat.Cholesky, len(d.pose))
		for i := range d.pose {
			if !factors[i].Factorize(d.pose[i]) {
				return next, errSingular
			}
		}
	} else {
		schur, g, f, err := d.reduced()
		if err != nil {
			return next, err
		}
		var chol mat.Cholesky
		if !chol.Factorize(schur) || chol.SolveVecTo(lens, g) != nil {
			return next, errSingular
		}
		factors = f
	}
	for j := range NumParams {
		next.lens[j] -= lens.AtVec(j)
	}
	for i := range d.pose {
		// The pose's part, given the lens's step.
		var rhs, m mat.VecDense
		rhs.MulVec(d.couple[i].T(), lens)
		rhs.SubVec(d.gPose[i], &rhs)
		if factors[i].SolveVecTo(&m, &rhs) != nil {
			return next, errSingular
		}
		turn := twinrig.Vec3{-m.AtVec(0), -m.AtVec(1), -m.AtVec(2)}
		shift := twinrig.Vec3{-m.AtVec(3), -m.AtVec(4), -m.AtVec(5)}
		next.poses[i] = moved(next.poses[i], turn, shift)
	}
	return next, nil
}

// moved turns a pose by a rotation vector from the left, about its own origin,
// and shifts it.
func moved(x twinrig.Pose, turn, shift twinrig.Vec3) twinrig.Pose {
	if angle := turn.Norm(); angle > 0 {
		x.R = twinrig.QuatFromAxisAngle(turn.Scale(1/angle), angle).Mul(x.R).Normalized()
	}
	x.P = x.P.Add(shift)
	return x
}

// damped is a copy with its diagonals grown by a share (Marquardt).
func (e *equations) damped(share float64) equations {
	grow := func(m *mat.SymDense) *mat.SymDense {
		n := m.SymmetricDim()
		c := mat.NewSymDense(n, nil)
		c.CopySym(m)
		for i := range n {
			c.SetSym(i, i, m.At(i, i)*(1+share)+1e-300)
		}
		return c
	}
	d := *e
	d.lens = grow(e.lens)
	d.pose = make([]*mat.SymDense, len(e.pose))
	for i := range e.pose {
		d.pose[i] = grow(e.pose[i])
	}
	return d
}

// deviations are the lens's standard deviations if every corner errs alike and
// by itself.
func (p *problem) deviations(s *state) ([NumParams]float64, error) {
	var out [NumParams]float64
	e := p.linearise(s)
	schur, _, _, err := e.reduced()
	if err != nil {
		return out, err
	}
	// Scaled to a unit diagonal, so that its condition tells.
	scale := make([]float64, NumParams)
	for i := range scale {
		scale[i] = 1 / math.Sqrt(max(schur.At(i, i), 1e-300))
	}
	unit := mat.NewSymDense(NumParams, nil)
	for i := range scale {
		for j := i; j < NumParams; j++ {
			unit.SetSym(i, j, schur.At(i, j)*scale[i]*scale[j])
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(unit) || chol.Cond() > 1e14 {
		return out, errSingular
	}
	var cov mat.SymDense
	if err := chol.InverseTo(&cov); err != nil {
		return out, errSingular
	}
	corners := len(p.all(s))
	free := 2*corners - NumParams - numPose*len(p.views)
	if free < 1 {
		return out, errSingular
	}
	variance := 2 * p.cost(s) / float64(free)
	for i := range out {
		out[i] = math.Sqrt(variance*cov.At(i, i)) * scale[i]
	}
	return out, nil
}
