package extrinsics

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"twinrig"
)

// The subsets of views that starts are tried from: how many, of how many views.
const (
	tries      = 150
	subset     = 4
	startSeeds = 0x657874
)

// start is a first solution: the linear one of the subset under which the median
// view fits best.
func (p *problem) start() (state, error) {
	hands := make([]twinrig.Pose, len(p.views))
	for i := range hands {
		if hands[i] = p.kin.Forward(p.views[i].joints); p.inverted {
			hands[i] = hands[i].Inv()
		}
	}
	rng := rand.New(rand.NewPCG(startSeeds, uint64(len(hands))))
	best, bestErr := state{}, math.Inf(1)
	for range tries {
		pick := rng.Perm(len(hands))[:min(subset, len(hands))]
		s, err := p.linear(hands, pick)
		if err != nil {
			continue
		}
		errs := make([]float64, len(p.views))
		for i := range errs {
			errs[i] = rms(p.distances(&s, i))
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

// linear solves xBE xET = xBC xCT for the two unknown poses over some views:
// first both rotations, as the singular vectors of the sum of Kronecker products,
// then both translations by least squares.
func (p *problem) linear(hands []twinrig.Pose, pick []int) (state, error) {
	k := mat.NewDense(9, 9, nil)
	for _, i := range pick {
		var kron mat.Dense
		kron.Kronecker(dense(p.views[i].start.R), dense(hands[i].R))
		k.Add(k, &kron)
	}
	var svd mat.SVD
	if !svd.Factorize(k, mat.SVDFull) {
		return state{}, errSingular
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	xBC, ok := rotation(&u)
	xET, ok2 := rotation(&v)
	if !ok || !ok2 {
		return state{}, errSingular
	}
	// A board of unknown size scales how far the camera sees it.
	unknowns := 6
	if p.sized {
		unknowns++
	}
	a := mat.NewDense(3*len(pick), unknowns, nil)
	b := mat.NewVecDense(3*len(pick), nil)
	for n, i := range pick {
		r := hands[i].R.Matrix()
		seen := xBC.Rotate(p.views[i].start.P)
		rhs := hands[i].P.Scale(-1)
		if !p.sized {
			rhs = rhs.Add(seen)
		}
		for x := range 3 {
			for y := range 3 {
				a.Set(3*n+x, y, r[x][y])
			}
			a.Set(3*n+x, 3+x, -1)
			if p.sized {
				a.Set(3*n+x, 6, -seen[x])
			}
			b.SetVec(3*n+x, rhs[x])
		}
	}
	var t mat.VecDense
	if err := t.SolveVec(a, b); err != nil {
		return state{}, errSingular
	}
	scale := 1.0
	if p.sized {
		scale = t.AtVec(6)
	}
	return state{
		scale:  scale,
		board:  twinrig.Pose{R: xET, P: twinrig.Vec3{t.AtVec(0), t.AtVec(1), t.AtVec(2)}},
		camera: twinrig.Pose{R: xBC, P: twinrig.Vec3{t.AtVec(3), t.AtVec(4), t.AtVec(5)}},
		after:  twinrig.IdentityPose,
	}, nil
}

// rotation is the one nearest to the first singular vector, which stacks its
// columns and has an open sign.
func rotation(vectors *mat.Dense) (twinrig.Quat, bool) {
	m := mat.NewDense(3, 3, nil)
	for i := range 9 {
		m.Set(i%3, i/3, vectors.At(i, 0))
	}
	if mat.Det(m) < 0 {
		m.Scale(-1, m)
	}
	var svd mat.SVD
	if !svd.Factorize(m, mat.SVDFull) {
		return twinrig.Quat{}, false
	}
	var u, v, r mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	r.Mul(&u, v.T())
	if mat.Det(&r) < 0 {
		return twinrig.Quat{}, false
	}
	var out [3][3]float64
	for i := range 9 {
		out[i/3][i%3] = r.At(i/3, i%3)
	}
	return twinrig.QuatFromMatrix(out).Normalized(), true
}

func dense(q twinrig.Quat) *mat.Dense {
	m := q.Matrix()
	d := mat.NewDense(3, 3, nil)
	for i := range 9 {
		d.Set(i/3, i%3, m[i/3][i%3])
	}
	return d
}
