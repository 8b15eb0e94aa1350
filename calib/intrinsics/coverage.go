package intrinsics

import "twinrig/calib/target"

// The cells in which coverage is counted.
const (
	GridCols = 8
	GridRows = 6
)

// Coverage counts the corners seen in each cell of the picture.
type Coverage struct {
	W, H  int
	Cells [GridRows][GridCols]int
}

// NewCoverage is an empty count over a picture of w x h pixels.
func NewCoverage(w, h int) *Coverage { return &Coverage{W: w, H: h} }

// Add counts the corners of a view.
func (g *Coverage) Add(corners []target.Corner) {
	for _, c := range corners {
		col, row := int(c.X*GridCols/float64(g.W)), int(c.Y*GridRows/float64(g.H))
		if c.X >= 0 && c.Y >= 0 && col < GridCols && row < GridRows {
			g.Cells[row][col]++
		}
	}
}

// Share is the part of the cells that have a corner.
func (g *Coverage) Share() float64 {
	return float64(g.covered()) / (GridCols * GridRows)
}

// covered is how many cells have a corner.
func (g *Coverage) covered() int {
	n := 0
	for _, row := range g.Cells {
		for _, c := range row {
			if c > 0 {
				n++
			}
		}
	}
	return n
}
