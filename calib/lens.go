package calib

import (
	"fmt"
	"math"
)

// Distort moves a point of the plane z = 1 before a camera as its lens does:
// Brown's model in OpenCV's order, k1, k2, p1, p2, k3.
func Distort(k [5]float64, x, y float64) (xd, yd float64) {
	k1, k2, p1, p2, k3 := k[0], k[1], k[2], k[3], k[4]
	r2 := x*x + y*y
	radial := 1 + r2*(k1+r2*(k2+r2*k3))
	return x*radial + 2*p1*x*y + p2*(r2+2*x*x), y*radial + p1*(r2+2*y*y) + 2*p2*x*y
}

// Undistort is the inverse of Distort near the axis, by Newton's method. A point
// that no point goes to is an error: the lens's numbers are not of this picture.
func Undistort(k [5]float64, xd, yd float64) (x, y float64, err error) {
	const step = 1e-6
	x, y = xd, yd
	for range 50 {
		u, v := Distort(k, x, y)
		du, dv := u-xd, v-yd
		if math.Hypot(du, dv) < 1e-10 {
			return x, y, nil
		}
		ux, vx := Distort(k, x+step, y)
		uy, vy := Distort(k, x, y+step)
		a, b, c, d := (ux-u)/step, (uy-u)/step, (vx-v)/step, (vy-v)/step
		det := a*d - b*c
		if !(det > 0.05) { // beyond, the model folds the picture over
			break
		}
		x, y = x-(d*du-b*dv)/det, y-(a*dv-c*du)/det
	}
	return 0, 0, fmt.Errorf("calib: distortion %v has no inverse at %.3f, %.3f", k, xd, yd)
}
