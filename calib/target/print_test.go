package target

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// rectangle is a filled one of a PDF's content, in points from the bottom left.
type rectangle struct{ x, y, w, h, grey float64 }

var painted = regexp.MustCompile(`(?m)^([\d.]+) g$|^(-?[\d.]+) (-?[\d.]+) (-?[\d.]+) (-?[\d.]+) re f$`)

func rectangles(t *testing.T, pdf []byte) []rectangle {
	t.Helper()
	number := func(b []byte) float64 {
		v, err := strconv.ParseFloat(string(b), 64)
		require.NoError(t, err)
		return v
	}
	var out []rectangle
	grey := 0.0
	for _, m := range painted.FindAllSubmatch(pdf, -1) {
		if len(m[1]) > 0 {
			grey = number(m[1])
			continue
		}
		r := rectangle{number(m[2]), number(m[3]), number(m[4]), number(m[5]), grey}
		if r.h < 0 {
			r.y, r.h = r.y+r.h, -r.h
		}
		out = append(out, r)
	}
	return out
}

func printed(t *testing.T, b Board, paper string) []byte {
	t.Helper()
	var pdf bytes.Buffer
	require.NoError(t, b.WritePDF(&pdf, paper))
	return pdf.Bytes()
}

// raster is a sheet as a camera that looks straight at it would see it: scale
// pixels a point, each pixel the mean of 4 x 4 samples.
func raster(rects []rectangle, pageW, pageH, scale float64) Picture {
	const over = 4
	w, h := int(pageW*scale), int(pageH*scale)
	fine := bytes.Repeat([]byte{255}, w*h*over*over)
	for _, r := range rects {
		x0, x1 := int(math.Round(r.x*scale*over)), int(math.Round((r.x+r.w)*scale*over))
		y0, y1 := int(math.Round((pageH-r.y-r.h)*scale*over)), int(math.Round((pageH-r.y)*scale*over))
		for y := y0; y < y1; y++ {
			for x := x0; x < x1; x++ {
				fine[y*w*over+x] = byte(255 * r.grey)
			}
		}
	}
	p := Picture{W: w, H: h, Grey: make([]byte, w*h)}
	for i := range p.Grey {
		sum := 0
		for k := range over * over {
			sum += int(fine[(i/w*over+k/over)*w*over+i%w*over+k%over])
		}
		p.Grey[i] = byte(sum / (over * over))
	}
	return p
}

const pointsPerMM = 72 / 25.4

// What is printed must be what is found, with the corners that Corner says, at
// the size that was asked for.
func TestPrintedBoardIsFoundAtItsSize(t *testing.T) {
	const scale = 1.5
	for _, c := range []struct {
		board func() (Board, error)
		paper string
		w, h  float64
	}{
		{func() (Board, error) { return NewChessboard(9, 6, 0.025) }, "a4", 841.89, 595.28},
		{func() (Board, error) { return NewChessboard(9, 6, 0.025) }, "letter", 792, 612},
		{func() (Board, error) { return NewChArUco(9, 6, 0.025, 0, "") }, "a4", 841.89, 595.28},
		{func() (Board, error) { return NewChArUco(6, 9, 0.020, 0.014, "5x5_100") }, "a4", 595.28, 841.89},
		{func() (Board, error) { return NewChArUco(7, 7, 0.020, 0, "6x6_250") }, "letter", 792, 612},
	} {
		b, err := c.board()
		require.NoError(t, err)
		t.Run(b.String()+" "+c.paper, func(t *testing.T) {
			pdf := printed(t, b, c.paper)
			require.True(t, bytes.Contains(pdf, fmt.Appendf(nil, "/MediaBox [0 0 %.2f %.2f]", c.w, c.h)))
			p := raster(rectangles(t, pdf), c.w, c.h, scale)
			d, err := NewDetector(b)
			require.NoError(t, err)
			got, err := d.Detect(&p)
			require.NoError(t, err)
			require.Len(t, got.Corners, b.Corners())
			require.Less(t, got.BlurPx, 2.0)

			turn := 1.0
			if got.Corners[0].X > got.Corners[b.Corners()-1].X {
				require.Equal(t, Chessboard, b.Kind, "its markers say where the top is")
				turn = -1 // by half a turn a chessboard looks like itself
			}
			// In the middle of the sheet; a pixel's number is that of its centre.
			var offX, offY float64
			for _, k := range got.Corners {
				at := b.Corner(k.ID).Sub(b.Centre()).Scale(turn * 1000 * pointsPerMM * scale)
				dx, dy := k.X-(c.w*scale/2-0.5+at[0]), k.Y-(c.h*scale/2-0.5+at[1])
				require.InDelta(t, 0, dx, 0.25, "corner %d", k.ID)
				require.InDelta(t, 0, dy, 0.25, "corner %d", k.ID)
				offX, offY = offX+dx/float64(len(got.Corners)), offY+dy/float64(len(got.Corners))
			}
			require.InDelta(t, 0, offX, 0.08, "all are off")
			require.InDelta(t, 0, offY, 0.08, "all are off")
		})
	}
}

func TestPrintIsTheSameTwice(t *testing.T) {
	b, err := NewChArUco(9, 6, 0.025, 0, "")
	require.NoError(t, err)
	require.Equal(t, printed(t, b, "a4"), printed(t, b, "a4"))
}

// The rulers are 100 mm long, one in each direction.
func TestRulers(t *testing.T) {
	b, err := NewChessboard(9, 6, 0.025)
	require.NoError(t, err)
	lines := regexp.MustCompile(`(?m)^([\d.]+) ([\d.]+) m ([\d.]+) ([\d.]+) l S$`).FindAllSubmatch(printed(t, b, "a4"), -1)
	require.NotEmpty(t, lines)
	var flat, upright int
	for _, l := range lines {
		var v [4]float64
		for i := range v {
			v[i], err = strconv.ParseFloat(string(l[i+1]), 64)
			require.NoError(t, err)
		}
		switch {
		case math.Abs(math.Abs(v[2]-v[0])-100*pointsPerMM) < 0.02:
			flat++
		case math.Abs(math.Abs(v[3]-v[1])-100*pointsPerMM) < 0.02:
			upright++
		}
	}
	require.Equal(t, [2]int{1, 1}, [2]int{flat, upright})
}

func TestBoardTooLargeForItsPaper(t *testing.T) {
	b, err := NewChessboard(9, 6, 0.040)
	require.NoError(t, err)
	require.EqualError(t, b.WritePDF(&bytes.Buffer{}, "a4"), "board: 400 x 280 mm of squares do not fit on a4: make squares of at most 26 mm")
	require.EqualError(t, b.WritePDF(&bytes.Buffer{}, "a5"), `board: paper "a5" is none of [a4 letter]`)
}
