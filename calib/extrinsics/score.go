package extrinsics

import "gonum.org/v1/gonum/mat"

// gain is by how much chi-square would fall, to first order, if the pose whose
// six parameters begin at block were another one in the later views (a score
// test: it needs no new solution).
func gain(all *equations, later []equations, block int) float64 {
	n := all.h.SymmetricDim()
	own, g, couple := mat.NewSymDense(6, nil), mat.NewVecDense(6, nil), mat.NewDense(n, 6, nil)
	for i := range later {
		e := &later[i]
		for a := range 6 {
			g.SetVec(a, g.AtVec(a)+e.g.AtVec(block+a))
			for b := range n {
				couple.Set(b, a, couple.At(b, a)+e.h.At(b, block+a))
			}
			for b := a; b < 6; b++ {
				own.SetSym(a, b, own.At(a, b)+e.h.At(block+a, block+b))
			}
		}
	}
	var whole, left mat.Cholesky
	if !whole.Factorize(all.h) {
		return 0
	}
	var half, fill mat.Dense
	if whole.SolveTo(&half, couple) != nil {
		return 0
	}
	fill.Mul(couple.T(), &half)
	for a := range 6 {
		for b := a; b < 6; b++ {
			own.SetSym(a, b, own.At(a, b)-(fill.At(a, b)+fill.At(b, a))/2)
		}
	}
	var d mat.VecDense
	if !left.Factorize(own) || left.SolveVecTo(&d, g) != nil {
		return 0
	}
	return mat.Dot(g, &d)
}
