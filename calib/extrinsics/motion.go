package extrinsics

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"twinrig"
)

// What a set of views must have.
const (
	// MinViews is the least number of views that are solved from.
	MinViews = 8
	// minTurn is how far, RMS, the hand must turn about its second axis: about
	// one axis alone, the camera's place along that axis is anything.
	minTurn = 6 / deg
)

// Turns are how far, RMS in rad, the hand turns from its mean attitude about the
// three axes that it turns about most, second most and least.
type Turns [3]float64

// turnsOf is the spread of the hands' attitudes.
func (p *problem) turns() Turns {
	var hands []twinrig.Quat
	for i := range p.views {
		hands = append(hands, p.kin.Forward(p.views[i].joints).R)
	}
	middle := middleOf(hands)
	var sum mat.SymDense
	sum.ReuseAsSym(3)
	for _, r := range hands {
		v := middle.Inv().Mul(r).RotVec()
		sum.SymRankOne(&sum, 1/float64(len(hands)), mat.NewVecDense(3, v[:]))
	}
	var t Turns
	var eig mat.EigenSym
	if !eig.Factorize(&sum, false) {
		return t
	}
	for i, w := range eig.Values(nil) {
		t[2-i] = math.Sqrt(max(w, 0))
	}
	return t
}

// middleOf is the mean attitude: the main eigenvector of the quaternions' outer
// products (Markley, Averaging Quaternions, J. Guidance 2007).
func middleOf(rs []twinrig.Quat) twinrig.Quat {
	var sum mat.SymDense
	sum.ReuseAsSym(4)
	for _, r := range rs {
		sum.SymRankOne(&sum, 1, mat.NewVecDense(4, r[:]))
	}
	var eig mat.EigenSym
	if !eig.Factorize(&sum, true) {
		return rs[0]
	}
	var v mat.Dense
	eig.VectorsTo(&v)
	return twinrig.Quat{v.At(0, 3), v.At(1, 3), v.At(2, 3), v.At(3, 3)}.Normalized()
}

// enough refuses motion that does not determine the camera.
func (t Turns) enough() error {
	if t[1] >= minTurn {
		return nil
	}
	return fmt.Errorf("%w: the hand turns by %.1f deg RMS about its main axis and by %.1f about any other, %.0f are needed: turn the wrist and the forearm too",
		ErrOneAxis, t[0]*deg, t[1]*deg, minTurn*deg)
}
