package target

import (
	"bytes"
	"image"
	"image/png"
	"testing"

	"github.com/stretchr/testify/require"
	"gocv.io/x/gocv"

	"twinrig"
)

// sheet is a printed board as a picture.
func sheet(t *testing.T, b Board) Picture {
	t.Helper()
	return raster(rectangles(t, printed(t, b, "a4")), 841.89, 595.28, 1)
}

func chessboard(t *testing.T, cols, rows int) Board {
	t.Helper()
	b, err := NewChessboard(cols, rows, 0.02)
	require.NoError(t, err)
	return b
}

func charuco(t *testing.T, cols, rows int) Board {
	t.Helper()
	b, err := NewChArUco(cols, rows, 0.02, 0, "")
	require.NoError(t, err)
	return b
}

func blurred(t *testing.T, p Picture, sigma float64) Picture {
	t.Helper()
	m, err := p.mat()
	require.NoError(t, err)
	defer m.Close()
	gocv.GaussianBlur(m, &m, image.Pt(0, 0), sigma, sigma, gocv.BorderReplicate)
	return Picture{W: p.W, H: p.H, Grey: m.ToBytes()}
}

func TestWhatIsWrongIsNamed(t *testing.T) {
	mirror := sheet(t, charuco(t, 9, 6))
	mirror = mirror.mirrored()
	empty := Picture{W: 640, H: 480, Grey: bytes.Repeat([]byte{90}, 640*480)}
	for _, c := range []struct {
		name    string
		board   Board
		picture Picture
		is      error
		text    string
	}{
		{"squares counted for corners", chessboard(t, 10, 7), sheet(t, chessboard(t, 9, 6)), ErrWrongBoard, "has 9 x 6 inner corners, not 10 x 7"},
		{"a part of a larger board", chessboard(t, 8, 6), sheet(t, chessboard(t, 9, 6)), ErrWrongBoard, "has 9 x 6 inner corners, not 8 x 6"},
		{"another chessboard", chessboard(t, 9, 6), sheet(t, chessboard(t, 9, 7)), ErrWrongBoard, "has 9 x 7 inner corners, not 9 x 6"},
		{"empty table", chessboard(t, 9, 6), empty, ErrNoBoard, "no 9x6 chessboard"},
		{"empty table, charuco", charuco(t, 9, 6), empty, ErrNoBoard, "0 corners of a 9x6 charuco"},
		{"mirrored", charuco(t, 9, 6), mirror, ErrMirrored, "only in a mirror"},
		{"larger charuco", charuco(t, 6, 5), sheet(t, charuco(t, 9, 6)), ErrWrongBoard, "14 of its markers are not on a 6x5 charuco"},
		{"no picture", chessboard(t, 9, 6), Picture{W: 640, H: 480}, ErrNoPicture, "has 0 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := NewDetector(c.board)
			require.NoError(t, err)
			_, err = d.Detect(&c.picture)
			require.ErrorIs(t, err, c.is)
			require.ErrorContains(t, err, c.text)
		})
	}
}

// The width of an edge blurred by a Gaussian of sigma is 2.5 sigma; a pixel and
// the slope's span add to it.
func TestBlurIsMeasured(t *testing.T) {
	for _, b := range []Board{chessboard(t, 9, 6), charuco(t, 9, 6)} {
		p := sheet(t, b)
		d, err := NewDetector(b)
		require.NoError(t, err)
		for _, sigma := range []float64{1, 1.5, 2} {
			soft := blurred(t, p, sigma)
			got, err := d.Detect(&soft)
			require.NoError(t, err)
			require.InDelta(t, 2.5*sigma, got.BlurPx, 0.2+0.2*2.5*sigma, "%s, sigma %g", b.Kind, sigma)
		}
	}
}

func TestDecode(t *testing.T) {
	want := sheet(t, chessboard(t, 9, 6))
	var file bytes.Buffer
	require.NoError(t, png.Encode(&file, &image.Gray{Pix: want.Grey, Stride: want.W, Rect: image.Rect(0, 0, want.W, want.H)}))
	got, err := Decode(file.Bytes())
	require.NoError(t, err)
	require.Equal(t, want, got)

	for _, bad := range [][]byte{nil, []byte("GIF89a"), file.Bytes()[:20]} {
		_, err := Decode(bad)
		require.ErrorIs(t, err, ErrNoPicture)
	}
}

func TestFromFrame(t *testing.T) {
	f := twinrig.Frame{W: 2, H: 1, RGB: []byte{255, 255, 255, 10, 200, 30}}
	require.Equal(t, Picture{W: 2, H: 1, Grey: []byte{255, 124}}, FromFrame(&f))
}

// In perspective, and with a third of it hidden, a ChArUco board's corners are
// where they are, each with its own ID.
func TestChArUcoInPerspective(t *testing.T) {
	b := charuco(t, 9, 6)
	const scale = 3
	flat := raster(rectangles(t, printed(t, b, "a4")), 841.89, 595.28, scale)
	m, err := flat.mat()
	require.NoError(t, err)
	defer m.Close()
	h := gocv.NewMatWithSize(3, 3, gocv.MatTypeCV64F)
	defer h.Close()
	rows := [3][3]float64{{0.26, 0.05, -10}, {0.03, 0.24, 10}, {0.0001, 0.00007, 1}}
	for i, row := range rows {
		for j, v := range row {
			h.SetDoubleAt(i, j, v)
		}
	}
	// Softened first, as the lens does: the picture is four times smaller.
	gocv.GaussianBlur(m, &m, image.Pt(0, 0), 2.5, 2.5, gocv.BorderReplicate)
	out := gocv.NewMat()
	defer out.Close()
	gocv.WarpPerspective(m, &out, h, image.Pt(640, 480))
	p := Picture{W: 640, H: 480, Grey: out.ToBytes()}
	where := func(id int) (u, v float64) {
		at := b.Corner(id).Sub(b.Centre()).Scale(1000 * pointsPerMM * scale)
		x, y := at[0]+841.89*scale/2-0.5, at[1]+595.28*scale/2-0.5
		w := rows[2][0]*x + rows[2][1]*y + 1
		return (rows[0][0]*x + rows[0][1]*y + rows[0][2]) / w, (rows[1][0]*x + rows[1][1]*y + rows[1][2]) / w
	}
	d, err := NewDetector(b)
	require.NoError(t, err)
	for _, hidden := range []bool{false, true} {
		if hidden {
			for i := range p.Grey {
				if i%p.W < p.W/3 {
					p.Grey[i] = 128
				}
			}
		}
		got, err := d.Detect(&p)
		require.NoError(t, err)
		if hidden {
			require.Less(t, len(got.Corners), b.Corners())
			require.Greater(t, len(got.Corners), 20)
		} else {
			require.Len(t, got.Corners, b.Corners())
		}
		var offX, offY float64
		for _, c := range got.Corners {
			u, v := where(c.ID)
			require.InDelta(t, u, c.X, 0.3, "corner %d", c.ID)
			require.InDelta(t, v, c.Y, 0.3, "corner %d", c.ID)
			offX, offY = offX+(c.X-u)/float64(len(got.Corners)), offY+(c.Y-v)/float64(len(got.Corners))
		}
		require.InDelta(t, 0, offX, 0.06)
		require.InDelta(t, 0, offY, 0.06)
	}
}
