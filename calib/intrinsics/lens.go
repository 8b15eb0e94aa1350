package intrinsics

import (
	"math"

	"twinrig"
	"twinrig/calib"
)

// NumParams is how many numbers a lens has.
const NumParams = 9

// ParamNames are a lens's parameters in the order of their arrays, each with its
// unit.
var ParamNames = [NumParams]string{"fx_px", "fy_px", "cx_px", "cy_px", "k1", "k2", "p1", "p2", "k3"}

// Lens is fx, fy, cx, cy in pixels and k1, k2, p1, p2, k3 without unit.
type Lens [NumParams]float64

// LensOf is the lens of a calibrated camera.
func LensOf(c *calib.Camera) Lens {
	l := Lens{c.FxPx, c.FyPx, c.CxPx, c.CyPx}
	copy(l[4:], c.Distortion[:])
	return l
}

// Put writes the lens into the record of a camera with pictures of w x h pixels.
// Where the camera stands is left as it is.
func (l *Lens) Put(c *calib.Camera, w, h int) {
	c.WidthPx, c.HeightPx = w, h
	c.FxPx, c.FyPx, c.CxPx, c.CyPx = l[0], l[1], l[2], l[3]
	copy(c.Distortion[:], l[4:])
}

// Project returns the pixel of a point in the camera's optical frame (x right, y
// down, z forward). A point that is not before the camera has none: NaN.
func (l *Lens) Project(p twinrig.Vec3) (u, v float64) {
	if !(p[2] > 0) {
		return math.NaN(), math.NaN()
	}
	x, y := p[0]/p[2], p[1]/p[2]
	xd, yd := l.distort(x, y)
	return l[0]*xd + l[2], l[1]*yd + l[3]
}

// distort moves a point of the plane z = 1 as the lens does.
func (l *Lens) distort(x, y float64) (xd, yd float64) {
	return calib.Distort([5]float64(l[4:]), x, y)
}

// slopes are the derivatives of a pixel by the lens and by the point.
type slopes struct {
	lens  [2][NumParams]float64
	point [2][3]float64
}

// projectWith is Project with its derivatives, for a point before the camera.
func (l *Lens) projectWith(p twinrig.Vec3, d *slopes) (u, v float64) {
	fx, fy := l[0], l[1]
	k1, k2, p1, p2, k3 := l[4], l[5], l[6], l[7], l[8]
	iz := 1 / p[2]
	x, y := p[0]*iz, p[1]*iz
	xx, yy, xy := x*x, y*y, x*y
	r2 := xx + yy
	r4, r6 := r2*r2, r2*r2*r2
	radial := 1 + k1*r2 + k2*r4 + k3*r6
	growth := k1 + 2*k2*r2 + 3*k3*r4
	xd := x*radial + 2*p1*xy + p2*(r2+2*xx)
	yd := y*radial + p1*(r2+2*yy) + 2*p2*xy

	d.lens[0] = [NumParams]float64{xd, 0, 1, 0, fx * x * r2, fx * x * r4, fx * 2 * xy, fx * (r2 + 2*xx), fx * x * r6}
	d.lens[1] = [NumParams]float64{0, yd, 0, 1, fy * y * r2, fy * y * r4, fy * (r2 + 2*yy), fy * 2 * xy, fy * y * r6}

	cross := 2*xy*growth + 2*p1*x + 2*p2*y
	ux := fx * (radial + 2*xx*growth + 2*p1*y + 6*p2*x)
	uy := fx * cross
	vx := fy * cross
	vy := fy * (radial + 2*yy*growth + 6*p1*y + 2*p2*x)
	d.point[0] = [3]float64{ux * iz, uy * iz, -(ux*x + uy*y) * iz}
	d.point[1] = [3]float64{vx * iz, vy * iz, -(vx*x + vy*y) * iz}
	return fx*xd + l[2], fy*yd + l[3]
}
