// Package picture brings a camera's frame to the size that a policy was trained
// with, by the same arithmetic as the Python that trained it: a policy sees every
// difference.
package picture

import (
	"fmt"
	"image"

	"gocv.io/x/gocv"
	"golang.org/x/image/draw"

	"twinrig"
)

// Resize names a way to change a picture's size.
type Resize string

const (
	// None sends the frame as it is.
	None Resize = "none"
	// Pad keeps the proportions, with black at the edges: openpi-client's
	// resize_with_pad, bilinear with Pillow's anti-aliasing.
	Pad Resize = "pad"
	// Lanczos ignores the proportions: OpenCV's INTER_LANCZOS4, as open-pi-zero's
	// Bridge adapter has it.
	Lanczos Resize = "lanczos"
)

// Known tells whether there is such a way.
func (r Resize) Known() bool { return r == None || r == Pad || r == Lanczos }

// To returns f as w x h RGB bytes, row by row, top first. With None the size must
// be f's. The result may share f's memory.
func To(f *twinrig.Frame, how Resize, w, h int) ([]byte, error) {
	if len(f.RGB) != 3*f.W*f.H || f.W < 1 || f.H < 1 {
		return nil, fmt.Errorf("picture: frame of %dx%d has %d bytes, not three a pixel", f.W, f.H, len(f.RGB))
	}
	if f.W == w && f.H == h {
		return f.RGB, nil
	}
	switch how {
	case Pad:
		return pad(f, w, h), nil
	case Lanczos:
		return lanczos(f, w, h)
	case None:
		return nil, fmt.Errorf("picture: frame is %dx%d, must be %dx%d, and is not to be resized", f.W, f.H, w, h)
	default:
		return nil, fmt.Errorf("picture: resize %q is not known (%s, %s, %s)", how, None, Pad, Lanczos)
	}
}

// Inside is the rectangle of a padded w x h picture that has the frame in it.
func Inside(frameW, frameH, w, h int) image.Rectangle {
	ratio := max(float64(frameW)/float64(w), float64(frameH)/float64(h))
	rw, rh := int(float64(frameW)/ratio), int(float64(frameH)/ratio)
	x, y := (w-rw)/2, (h-rh)/2
	return image.Rect(x, y, x+rw, y+rh)
}

func pad(f *twinrig.Frame, w, h int) []byte {
	src := image.NewRGBA(image.Rect(0, 0, f.W, f.H))
	for i, j := 0, 0; i < len(f.RGB); i, j = i+3, j+4 {
		src.Pix[j], src.Pix[j+1], src.Pix[j+2], src.Pix[j+3] = f.RGB[i], f.RGB[i+1], f.RGB[i+2], 0xff
	}
	dst := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.BiLinear.Scale(dst, Inside(f.W, f.H, w, h), src, src.Bounds(), draw.Src, nil)
	out := make([]byte, 0, 3*w*h)
	for j := 0; j < len(dst.Pix); j += 4 {
		out = append(out, dst.Pix[j:j+3]...)
	}
	return out
}

func lanczos(f *twinrig.Frame, w, h int) ([]byte, error) {
	src, err := gocv.NewMatFromBytes(f.H, f.W, gocv.MatTypeCV8UC3, f.RGB)
	if err != nil {
		return nil, fmt.Errorf("picture: %w", err)
	}
	defer src.Close() //nolint:errcheck // memory only
	dst := gocv.NewMat()
	defer dst.Close() //nolint:errcheck // memory only
	gocv.Resize(src, &dst, image.Pt(w, h), 0, 0, gocv.InterpolationLanczos4)
	return dst.ToBytes(), nil
}
