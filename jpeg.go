package twinrig

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
)

// DefaultJPEGQuality loses nothing that a policy or a person would notice.
const DefaultJPEGQuality = 90

// JPEGEncoder turns frames into JPEG. The same frame gives the same bytes. It
// keeps its memory between calls; use it from one goroutine.
type JPEGEncoder struct {
	// Quality is 1 to 100; 0 means DefaultJPEGQuality.
	Quality int

	rgba image.RGBA
	out  bytes.Buffer
}

// Encode returns f as JPEG, valid until the next call.
func (e *JPEGEncoder) Encode(f *Frame) ([]byte, error) {
	if f.W <= 0 || f.H <= 0 || len(f.RGB) != 3*f.W*f.H {
		return nil, fmt.Errorf("jpeg: frame of %d x %d pixels has %d bytes", f.W, f.H, len(f.RGB))
	}
	// The encoder of the standard library has a fast path for RGBA alone.
	if n := 4 * f.W * f.H; cap(e.rgba.Pix) < n {
		e.rgba.Pix = make([]byte, n)
	}
	e.rgba.Pix = e.rgba.Pix[:4*f.W*f.H]
	e.rgba.Stride = 4 * f.W
	e.rgba.Rect = image.Rect(0, 0, f.W, f.H)
	for i, o := 0, 0; i < len(f.RGB); i, o = i+3, o+4 {
		src, dst := f.RGB[i:i+3:i+3], e.rgba.Pix[o:o+4:o+4]
		dst[0], dst[1], dst[2], dst[3] = src[0], src[1], src[2], 255
	}
	quality := e.Quality
	if quality == 0 {
		quality = DefaultJPEGQuality
	}
	e.out.Reset()
	if err := jpeg.Encode(&e.out, &e.rgba, &jpeg.Options{Quality: quality}); err != nil {
		return nil, fmt.Errorf("jpeg: %w", err)
	}
	return e.out.Bytes(), nil
}

// DecodeJPEG decodes data into f's size and RGB, reusing f.RGB's memory when it
// is large enough. Stamp and Seq stay.
func DecodeJPEG(data []byte, f *Frame) error {
	img, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("jpeg: %w", err)
	}
	b := img.Bounds()
	f.W, f.H = b.Dx(), b.Dy()
	if n := 3 * f.W * f.H; cap(f.RGB) < n {
		f.RGB = make([]byte, n)
	}
	f.RGB = f.RGB[:3*f.W*f.H]
	i := 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, bl := rgbAt(img, x, y)
			f.RGB[i], f.RGB[i+1], f.RGB[i+2] = r, g, bl
			i += 3
		}
	}
	return nil
}

// rgbAt is a pixel of a decoded JPEG, which is YCbCr but for grey pictures.
func rgbAt(img image.Image, x, y int) (r, g, b uint8) {
	if yc, ok := img.(*image.YCbCr); ok {
		at := yc.YOffset(x, y)
		ct := yc.COffset(x, y)
		return color.YCbCrToRGB(yc.Y[at], yc.Cb[ct], yc.Cr[ct])
	}
	c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
	return c.R, c.G, c.B
}
