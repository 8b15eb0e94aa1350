package target

import (
	"fmt"
	"io"
	"math"
	"time"

	"codeberg.org/go-pdf/fpdf"
)

// Papers are the sheets that a board is printed on.
var Papers = []string{"a4", "letter"}

// Sizes of the sheets, long side first, and what a printer leaves white, in mm.
var paperMM = map[string][2]float64{"a4": {297, 210}, "letter": {279.4, 215.9}}

const (
	rimMM   = 5.0   // what printers leave white
	rulerMM = 100.0 // the rulers' length
	// quietMM is the white that must be left between the squares and the
	// rulers.
	quietMM = 3.0
	// rulerBandMM is what a ruler takes of its edge, with its rim.
	rulerBandMM = rimMM + 4
)

// WritePDF prints the board on one sheet, at its true size when printed at
// 100 %, with a ruler along both directions that tells whether it was. The same
// board gives the same bytes.
func (b *Board) WritePDF(w io.Writer, paper string) error {
	sheet, ok := paperMM[paper]
	if !ok {
		return fmt.Errorf("board: paper %q is none of %v", paper, Papers)
	}
	if err := b.Validate(); err != nil {
		return err
	}
	bw, bh := b.printMM()
	turn := "L"
	if bw < bh {
		turn, sheet = "P", [2]float64{sheet[1], sheet[0]}
	}
	if room := min((sheet[0]-2*rulerBandMM-2*quietMM)/bw, (sheet[1]-2*rulerBandMM-2*quietMM)/bh); room < 1 {
		return fmt.Errorf("board: %.0f x %.0f mm of squares do not fit on %s: make squares of at most %.0f mm", bw, bh, paper, math.Floor(room*b.SquareM*1000))
	}
	size := fpdf.SizeType{Wd: min(sheet[0], sheet[1]), Ht: max(sheet[0], sheet[1])}
	pdf := fpdf.NewCustom(&fpdf.InitType{OrientationStr: turn, UnitStr: "mm", Size: size})
	// What says when it was made would make each copy another file.
	pdf.SetCreationDate(time.Unix(0, 0).UTC())
	pdf.SetModificationDate(time.Unix(0, 0).UTC())
	pdf.SetCatalogSort(true)
	pdf.SetCompression(false)
	pdf.SetTitle("Calibration board: "+b.String(), false)
	pdf.SetMargins(0, 0, 0)
	pdf.SetAutoPageBreak(false, 0)
	pdf.AddPage()
	pdf.SetFillColor(0, 0, 0)
	x, y := (sheet[0]-bw)/2, (sheet[1]-bh)/2
	if err := b.drawSquares(pdf, x, y); err != nil {
		return err
	}
	b.drawRulers(pdf, sheet)
	if err := pdf.Output(w); err != nil {
		return fmt.Errorf("board: pdf: %w", err)
	}
	return nil
}

// printMM is the size of all squares.
func (b *Board) printMM() (w, h float64) {
	s := 1000 * b.SquareM
	return float64(b.Cols+1) * s, float64(b.Rows+1) * s
}

// drawSquares draws the black squares, of which the top left one is the first,
// and the markers on the white ones.
func (b *Board) drawSquares(pdf *fpdf.Fpdf, x0, y0 float64) error {
	s := 1000 * b.SquareM
	for row := range b.Rows + 1 {
		for col := range b.Cols + 1 {
			if (row+col)%2 == 0 {
				pdf.Rect(x0+float64(col)*s, y0+float64(row)*s, s, s, "F")
			}
		}
	}
	if b.Kind != ChArUco {
		return nil
	}
	for i := range b.markers() {
		m, err := b.marker(i)
		if err != nil {
			return err
		}
		m.draw(pdf, x0+1000*m.x, y0+1000*m.y, 1000*b.MarkerM)
	}
	return nil
}

// draw paints the marker black and its white cells over it: black cells side by
// side would show a seam.
func (m *cells) draw(pdf *fpdf.Fpdf, x, y, side float64) {
	pdf.Rect(x, y, side, side, "F")
	pdf.SetFillColor(255, 255, 255)
	cell := side / float64(m.side)
	for i, black := range m.black {
		if !black {
			pdf.Rect(x+float64(i%m.side)*cell, y+float64(i/m.side)*cell, cell, cell, "F")
		}
	}
	pdf.SetFillColor(0, 0, 0)
}

// drawRulers draws a ruler at the bottom and one at the left, and says what
// they are for.
func (b *Board) drawRulers(pdf *fpdf.Fpdf, sheet [2]float64) {
	pdf.SetLineWidth(0.2)
	left, bottom := 3*rimMM, sheet[1]-rimMM
	top, edge := (sheet[1]-rulerMM)/2, rimMM
	pdf.Line(left, bottom, left+rulerMM, bottom)
	pdf.Line(edge, top, edge, top+rulerMM)
	for i := range int(rulerMM) + 1 {
		tick := 1.0
		switch {
		case i%10 == 0:
			tick = 3
		case i%5 == 0:
			tick = 2
		}
		at := float64(i)
		pdf.Line(left+at, bottom, left+at, bottom-tick)
		pdf.Line(edge, top+at, edge+tick, top+at)
	}
	pdf.SetFont("Helvetica", "", 7)
	pdf.SetXY(left+rulerMM+2, bottom-3.5)
	pdf.CellFormat(0, 3.5, "100 mm, as at the left edge? If not, print at 100 %.", "", 0, "L", false, 0, "")
	pdf.SetXY(rimMM, rimMM)
	pdf.CellFormat(0, 3.5, b.String()+", inner corners counted. Measure both rulers; a square's true side is --square-mm. Glue it to something flat.", "", 0, "L", false, 0, "")
}
