package sim

import (
	"fmt"
	"math"

	"twinrig/calib"
)

// oversample is how many pixels of the wide picture lie along one of the lens's.
const oversample = 2

// lens bends a wide pinhole picture as a camera's lens does. Each pixel is the
// mean of four points of it.
type lens struct {
	wide CameraSpec
	// from are the places in the wide picture, x and y, of each pixel's points.
	from []float32
}

// newLens replaces c by the wide pinhole that is to be drawn. It is nil, and
// changes nothing, for a camera without distortion.
func newLens(c *CameraSpec) (*lens, error) {
	if c.Distortion == [5]float64{} {
		return nil, nil
	}
	// The grid of the points' places on the plane z = 1.
	cols, rows := 2*c.W, 2*c.H
	xs, ys := make([]float64, cols*rows), make([]float64, cols*rows)
	lo, hi := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for i := range xs {
		u, v := float64(i%cols)/2-0.25, float64(i/cols)/2-0.25
		x, y, err := calib.Undistort(c.Distortion, (u-c.CxPx)/c.FxPx, (v-c.CyPx)/c.FyPx)
		if err != nil {
			return nil, fmt.Errorf("sim: camera %s: %w", c.Name, err)
		}
		xs[i], ys[i] = x, y
		lo[0], lo[1] = min(lo[0], x), min(lo[1], y)
		hi[0], hi[1] = max(hi[0], x), max(hi[1], y)
	}
	w := *c
	w.Distortion = [5]float64{}
	w.FxPx, w.FyPx = oversample*c.FxPx, oversample*c.FyPx
	// One pixel more on each side, for the interpolation.
	w.CxPx, w.CyPx = 1-lo[0]*w.FxPx, 1-lo[1]*w.FyPx
	w.W = int(math.Ceil(hi[0]*w.FxPx+w.CxPx)) + 2
	w.H = int(math.Ceil(hi[1]*w.FyPx+w.CyPx)) + 2
	if err := w.validate(); err != nil {
		return nil, fmt.Errorf("sim: camera %s: seen through its lens: %w", c.Name, err)
	}
	l := &lens{wide: w, from: make([]float32, 0, 8*c.W*c.H)}
	for v := range c.H {
		for u := range c.W {
			for _, i := range [4]int{2*v*cols + 2*u, 2*v*cols + 2*u + 1, (2*v+1)*cols + 2*u, (2*v+1)*cols + 2*u + 1} {
				l.from = append(l.from, float32(xs[i]*w.FxPx+w.CxPx), float32(ys[i]*w.FyPx+w.CyPx))
			}
		}
	}
	*c = w
	return l, nil
}

// look fills rgb with what is seen of the wide picture.
func (l *lens) look(wide, rgb []byte) {
	stride := 3 * l.wide.W
	for p := range len(rgb) / 3 {
		var sum [3]float32
		for k := range 4 {
			x, y := l.from[8*p+2*k], l.from[8*p+2*k+1]
			i, j := int(x), int(y)
			a, b := x-float32(i), y-float32(j)
			at := stride*j + 3*i
			for c := range sum {
				top := float32(wide[at+c])*(1-a) + float32(wide[at+3+c])*a
				low := float32(wide[at+stride+c])*(1-a) + float32(wide[at+stride+3+c])*a
				sum[c] += top*(1-b) + low*b
			}
		}
		for c := range sum {
			rgb[3*p+c] = byte(sum[c]/4 + 0.5)
		}
	}
}
