package twinrig_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
)

// gradient differs in every channel and direction, so that swaps show.
func gradient(w, h int) *twinrig.Frame {
	f := &twinrig.Frame{Seq: 7, W: w, H: h, RGB: make([]byte, 3*w*h)}
	for y := range h {
		for x := range w {
			i := 3 * (y*w + x)
			f.RGB[i] = byte(200 * x / w)
			f.RGB[i+1] = byte(50 + 200*y/h)
			f.RGB[i+2] = byte(30 + 100*(x+y)/(w+h))
		}
	}
	return f
}

func TestJPEGKeepsThePicture(t *testing.T) {
	for _, size := range [][2]int{{64, 48}, {33, 17}, {1, 1}} {
		in := gradient(size[0], size[1])
		var enc twinrig.JPEGEncoder
		data, err := enc.Encode(in)
		require.NoError(t, err)
		out := twinrig.Frame{Seq: 9}
		require.NoError(t, twinrig.DecodeJPEG(data, &out))
		require.Equal(t, [2]int{out.W, out.H}, size)
		require.Equal(t, uint64(9), out.Seq)
		for i := range in.RGB {
			require.InDelta(t, float64(in.RGB[i]), float64(out.RGB[i]), 12, "byte %d", i)
		}
	}
}

func TestJPEGIsDeterministic(t *testing.T) {
	var a, b twinrig.JPEGEncoder
	large, small := gradient(64, 48), gradient(16, 8)
	first, err := a.Encode(small)
	require.NoError(t, err)
	want := string(first)

	// A used encoder gives the same bytes as a fresh one.
	_, err = b.Encode(large)
	require.NoError(t, err)
	again, err := b.Encode(small)
	require.NoError(t, err)
	require.Equal(t, want, string(again))
}

func TestJPEGQuality(t *testing.T) {
	size := math.MaxInt
	for _, q := range []int{100, 90, 60, 20} {
		enc := twinrig.JPEGEncoder{Quality: q}
		data, err := enc.Encode(gradient(64, 48))
		require.NoError(t, err)
		require.Less(t, len(data), size)
		size = len(data)
	}
}

func TestJPEGRefusesWrongSizes(t *testing.T) {
	var enc twinrig.JPEGEncoder
	_, err := enc.Encode(&twinrig.Frame{W: 2, H: 2, RGB: make([]byte, 11)})
	require.EqualError(t, err, "jpeg: frame of 2 x 2 pixels has 11 bytes")
	require.ErrorContains(t, twinrig.DecodeJPEG([]byte("not a picture"), &twinrig.Frame{}), "jpeg: ")
}

func BenchmarkJPEGEncode(b *testing.B) {
	var enc twinrig.JPEGEncoder
	f := gradient(640, 480)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := enc.Encode(f); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkJPEGDecode(b *testing.B) {
	var enc twinrig.JPEGEncoder
	data, err := enc.Encode(gradient(640, 480))
	require.NoError(b, err)
	var f twinrig.Frame
	for b.Loop() {
		if err := twinrig.DecodeJPEG(data, &f); err != nil {
			b.Fatal(err)
		}
	}
}
