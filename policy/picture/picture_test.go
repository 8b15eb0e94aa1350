package picture

import (
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
)

func load(t *testing.T, name string) *twinrig.Frame {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name))
	require.NoError(t, err)
	defer file.Close() //nolint:errcheck // only read
	img, err := png.Decode(file)
	require.NoError(t, err)
	f := &twinrig.Frame{W: img.Bounds().Dx(), H: img.Bounds().Dy()}
	for y := range f.H {
		for x := range f.W {
			r, g, b, _ := img.At(x, y).RGBA()
			f.RGB = append(f.RGB, byte(r>>8), byte(g>>8), byte(b>>8))
		}
	}
	return f
}

// Every byte is within one grey level of what Python makes, red first.
func TestAsPythonHasIt(t *testing.T) {
	frame := load(t, "frame.png")
	for name, how := range map[string]Resize{"pad.png": Pad, "pad_up.png": Pad, "lanczos.png": Lanczos} {
		t.Run(name, func(t *testing.T) {
			want := load(t, name)
			got, err := To(frame, how, want.W, want.H)
			require.NoError(t, err)
			require.Len(t, got, len(want.RGB))
			worst, at := 0, 0
			for i := range got {
				d := int(got[i]) - int(want.RGB[i])
				if d = max(d, -d); d > worst {
					worst, at = d, i
				}
			}
			require.LessOrEqual(t, worst, 1, "byte %d: pixel %d, %d, channel %d", at, at/3%want.W, at/3/want.W, at%3)
		})
	}
}

func TestInside(t *testing.T) {
	r := Inside(640, 480, 224, 224)
	require.Equal(t, "(0,28)-(224,196)", r.String())
}

func TestTo(t *testing.T) {
	f := &twinrig.Frame{W: 2, H: 1, RGB: []byte{1, 2, 3, 4, 5, 6}}
	got, err := To(f, None, 2, 1)
	require.NoError(t, err)
	require.Equal(t, f.RGB, got)
	for says, tc := range map[string]struct {
		f   *twinrig.Frame
		how Resize
	}{
		"frame is 2x1, must be 4x4":     {f, None},
		`resize "bicubic" is not known`: {f, "bicubic"},
		"frame of 2x2 has 6 bytes":      {&twinrig.Frame{W: 2, H: 2, RGB: f.RGB}, Pad},
		"frame of 0x0 has 0 bytes":      {&twinrig.Frame{}, Pad},
	} {
		_, err := To(tc.f, tc.how, 4, 4)
		require.ErrorContains(t, err, says)
	}
}
