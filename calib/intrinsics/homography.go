package intrinsics

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"twinrig"
	"twinrig/calib/target"
)

var errFlat = errors.New("the corners lie on a line")

// homography maps the board's plane, in m, to pixels.
type homography [3][3]float64

// fitHomography solves for the map by the normalised direct linear transform
// (Hartley and Zisserman, Multiple View Geometry, algorithm 4.2).
func fitHomography(b *target.Board, corners []target.Corner) (homography, error) {
	from := make([][2]float64, len(corners))
	to := make([][2]float64, len(corners))
	for i, c := range corners {
		p := b.Corner(c.ID)
		from[i], to[i] = [2]float64{p[0], p[1]}, [2]float64{c.X, c.Y}
	}
	nf, nt := normaliser(from), normaliser(to)
	var gram mat.SymDense
	gram.ReuseAsSym(9)
	for i := range from {
		x, y := nf.apply(from[i])
		u, v := nt.apply(to[i])
		for _, row := range [][9]float64{
			{x, y, 1, 0, 0, 0, -u * x, -u * y, -u},
			{0, 0, 0, x, y, 1, -v * x, -v * y, -v},
		} {
			gram.SymRankOne(&gram, 1, mat.NewVecDense(9, row[:]))
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(&gram, true) {
		return homography{}, errFlat
	}
	// A second null direction: the corners do not span the plane.
	if w := eig.Values(nil); !(w[1] > 1e-9*w[8]) {
		return homography{}, errFlat
	}
	var vec mat.Dense
	eig.VectorsTo(&vec)
	var h homography
	for i := range 9 {
		h[i/3][i%3] = vec.At(i, 0)
	}
	return nt.undo(h, nf), nil
}

// normal scales points about their centre to a mean distance of sqrt 2.
type normal struct{ x, y, scale float64 }

func normaliser(pts [][2]float64) normal {
	var n normal
	for _, p := range pts {
		n.x += p[0] / float64(len(pts))
		n.y += p[1] / float64(len(pts))
	}
	var mean float64
	for _, p := range pts {
		mean += math.Hypot(p[0]-n.x, p[1]-n.y) / float64(len(pts))
	}
	n.scale = math.Sqrt2 / max(mean, 1e-12)
	return n
}

func (n normal) apply(p [2]float64) (x, y float64) {
	return (p[0] - n.x) * n.scale, (p[1] - n.y) * n.scale
}

// undo returns inverse(n) h from, of positive depth scale.
func (n normal) undo(h homography, from normal) homography {
	var m homography
	for i := range 3 {
		// Columns by from = [s 0 -sx; 0 s -sy; 0 0 1].
		m[i][0] = h[i][0] * from.scale
		m[i][1] = h[i][1] * from.scale
		m[i][2] = h[i][2] - from.scale*(h[i][0]*from.x+h[i][1]*from.y)
	}
	for j := range 3 {
		m[0][j] = m[0][j]/n.scale + n.x*m[2][j]
		m[1][j] = m[1][j]/n.scale + n.y*m[2][j]
	}
	return m
}

// mirrored says that the map turns the board over: its corners run the wrong way
// round, as in a mirror.
func (h *homography) mirrored(at twinrig.Vec3) bool {
	// The sign of the map's Jacobian is that of det h over depth cubed.
	w := h[2][0]*at[0] + h[2][1]*at[1] + h[2][2]
	det := h[0][0]*(h[1][1]*h[2][2]-h[1][2]*h[2][1]) -
		h[0][1]*(h[1][0]*h[2][2]-h[1][2]*h[2][0]) +
		h[0][2]*(h[1][0]*h[2][1]-h[1][1]*h[2][0])
	return det/w < 0
}

// pose is the board in the camera's frame, xCT, under a pinhole without
// distortion: the rotation nearest to the map's first two columns.
func (h *homography) pose(l *Lens, at twinrig.Vec3) (twinrig.Pose, bool) {
	var c [3]twinrig.Vec3
	for j := range 3 {
		c[j] = twinrig.Vec3{(h[0][j] - l[2]*h[2][j]) / l[0], (h[1][j] - l[3]*h[2][j]) / l[1], h[2][j]}
	}
	scale := 2 / (c[0].Norm() + c[1].Norm())
	if h[2][0]*at[0]+h[2][1]*at[1]+h[2][2] < 0 {
		scale = -scale
	}
	for j := range 3 {
		c[j] = c[j].Scale(scale)
	}
	n := c[0].Cross(c[1])
	var svd mat.SVD
	if !svd.Factorize(mat.NewDense(3, 3, []float64{
		c[0][0], c[1][0], n[0], c[0][1], c[1][1], n[1], c[0][2], c[1][2], n[2],
	}), mat.SVDFull) {
		return twinrig.Pose{}, false
	}
	var u, v, r mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	r.Mul(&u, v.T())
	var m [3][3]float64
	for i := range 9 {
		m[i/3][i%3] = r.At(i/3, i%3)
	}
	return twinrig.Pose{R: twinrig.QuatFromMatrix(m).Normalized(), P: c[2]}, mat.Det(&r) > 0
}
