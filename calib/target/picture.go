package target

import (
	"errors"
	"fmt"

	"gocv.io/x/gocv"

	"twinrig"
)

// Picture is a grey picture, row-major, top row first, one byte a pixel.
type Picture struct {
	W, H int
	Grey []byte
}

// ErrNoPicture says that the data is no picture that OpenCV reads.
var ErrNoPicture = errors.New("is no picture")

// Decode reads a picture file's content. Its orientation tag is ignored: a lens
// is calibrated as it sits on its sensor.
func Decode(data []byte) (Picture, error) {
	if len(data) == 0 {
		return Picture{}, fmt.Errorf("%w: is empty", ErrNoPicture)
	}
	m, err := gocv.IMDecode(data, gocv.IMReadGrayScale|gocv.IMReadIgnoreOrientation)
	if err != nil {
		return Picture{}, fmt.Errorf("%w: %w", ErrNoPicture, err)
	}
	defer m.Close()
	if m.Empty() {
		return Picture{}, ErrNoPicture
	}
	return Picture{W: m.Cols(), H: m.Rows(), Grey: m.ToBytes()}, nil
}

// FromFrame copies a camera's frame, in the weights of ITU-R BT.601.
func FromFrame(f *twinrig.Frame) Picture {
	p := Picture{W: f.W, H: f.H, Grey: make([]byte, f.W*f.H)}
	for i := range p.Grey {
		r, g, b := int(f.RGB[3*i]), int(f.RGB[3*i+1]), int(f.RGB[3*i+2])
		p.Grey[i] = byte((299*r + 587*g + 114*b + 500) / 1000)
	}
	return p
}

// at is the brightness between pixels, by bilinear interpolation; ok is false
// outside the picture.
func (p *Picture) at(x, y float64) (v float64, ok bool) {
	if x < 0 || y < 0 || x >= float64(p.W-1) || y >= float64(p.H-1) {
		return 0, false
	}
	i, j := int(x), int(y)
	u, w := x-float64(i), y-float64(j)
	at := j*p.W + i
	top := float64(p.Grey[at])*(1-u) + float64(p.Grey[at+1])*u
	low := float64(p.Grey[at+p.W])*(1-u) + float64(p.Grey[at+p.W+1])*u
	return top*(1-w) + low*w, true
}

// mirrored swaps left and right.
func (p *Picture) mirrored() Picture {
	m := Picture{W: p.W, H: p.H, Grey: make([]byte, len(p.Grey))}
	for y := range p.H {
		for x := range p.W {
			m.Grey[y*p.W+x] = p.Grey[y*p.W+p.W-1-x]
		}
	}
	return m
}

// mat is the picture in OpenCV's memory; the caller closes it.
func (p *Picture) mat() (gocv.Mat, error) {
	m := gocv.NewMatWithSize(p.H, p.W, gocv.MatTypeCV8U)
	into, err := m.DataPtrUint8()
	if err != nil {
		m.Close()
		return gocv.Mat{}, fmt.Errorf("target: %w", err)
	}
	copy(into, p.Grey)
	return m, nil
}
