package target

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"twinrig"
)

// Kind is the pattern of a board.
type Kind string

// The kinds of board.
const (
	Chessboard Kind = "chessboard"
	ChArUco    Kind = "charuco"
)

// Board is a printed plane of squares.
type Board struct {
	Kind Kind `json:"kind"`
	// Cols and Rows count the inner corners, where four squares meet: a board
	// of 10 x 7 squares is 9 x 6.
	Cols int `json:"cols"`
	Rows int `json:"rows"`
	// SquareM is the side of a square in m.
	SquareM float64 `json:"square_m"`
	// MarkerM and Dictionary are a ChArUco board's: the side of a marker in m
	// and the name of its dictionary, as in "4x4_50".
	MarkerM    float64 `json:"marker_m,omitempty"`
	Dictionary string  `json:"dictionary,omitempty"`
}

// Limits of a board: OpenCV finds none with less than 3 corners a side.
const (
	minSide, maxSide       = 3, 40
	minSquareM, maxSquareM = 0.002, 0.5
	// markerShare is the usual marker's share of its square's side.
	markerShare = 0.75
)

// ParseSize reads "9x6", the inner corners of a row and of a column.
func ParseSize(s string) (cols, rows int, err error) {
	a, b, _ := strings.Cut(strings.ToLower(s), "x")
	cols, errCols := strconv.Atoi(a)
	rows, errRows := strconv.Atoi(b)
	if errCols != nil || errRows != nil {
		return 0, 0, fmt.Errorf("board %q: write the inner corners of a row and of a column, as in 9x6", s)
	}
	return cols, rows, nil
}

// NewChessboard returns a plain board of cols x rows inner corners.
func NewChessboard(cols, rows int, squareM float64) (Board, error) {
	b := Board{Kind: Chessboard, Cols: cols, Rows: rows, SquareM: squareM}
	return b, b.Validate()
}

// NewChArUco returns a board whose white squares bear markers. A markerM of 0
// is three quarters of the square; an empty dictionary is the smallest of 4x4
// bits that has enough markers.
func NewChArUco(cols, rows int, squareM, markerM float64, dictionary string) (Board, error) {
	b := Board{Kind: ChArUco, Cols: cols, Rows: rows, SquareM: squareM, MarkerM: markerM, Dictionary: dictionary}
	if b.MarkerM == 0 {
		b.MarkerM = math.Round(markerShare*squareM*1e9) / 1e9
	}
	if b.Dictionary == "" {
		b.Dictionary = smallestDictionary(b.markers())
	}
	return b, b.Validate()
}

// Validate names what is out of its limit.
func (b *Board) Validate() error {
	switch {
	case b.Cols < minSide || b.Cols > maxSide || b.Rows < minSide || b.Rows > maxSide:
		return fmt.Errorf("board: %d x %d inner corners are outside %d to %d a side", b.Cols, b.Rows, minSide, maxSide)
	case !(b.SquareM >= minSquareM && b.SquareM <= maxSquareM):
		return fmt.Errorf("board: squares of %.6g mm are outside %g to %g mm", 1000*b.SquareM, 1000*minSquareM, 1000*maxSquareM)
	case b.Kind == Chessboard:
		return nil
	case b.Kind != ChArUco:
		return fmt.Errorf("board: kind %q is neither %s nor %s", b.Kind, Chessboard, ChArUco)
	case !(b.MarkerM >= 0.3*b.SquareM && b.MarkerM <= 0.95*b.SquareM):
		return fmt.Errorf("board: markers of %.6g mm are outside 0.3 to 0.95 of the %.6g mm square", 1000*b.MarkerM, 1000*b.SquareM)
	}
	d, ok := dictionaries[b.Dictionary]
	if !ok {
		return fmt.Errorf("board: dictionary %q is none of %s", b.Dictionary, dictionaryNames())
	}
	if n := b.markers(); n > d.size {
		return fmt.Errorf("board: needs %d markers, dictionary %s has %d; take %s", n, b.Dictionary, d.size, smallestDictionary(n))
	}
	return nil
}

// String names the board as its maker would: "9x6 chessboard, 25 mm".
func (b *Board) String() string {
	s := fmt.Sprintf("%dx%d %s, %.6g mm", b.Cols, b.Rows, b.Kind, 1000*b.SquareM)
	if b.Kind == ChArUco {
		s += fmt.Sprintf(", markers %.6g mm of %s", 1000*b.MarkerM, b.Dictionary)
	}
	return s
}

// Corners returns how many inner corners there are.
func (b *Board) Corners() int { return b.Cols * b.Rows }

// Corner returns where corner id is, in the board's frame, in m.
func (b *Board) Corner(id int) twinrig.Vec3 {
	return twinrig.Vec3{float64(id%b.Cols) * b.SquareM, float64(id/b.Cols) * b.SquareM, 0}
}

// Centre returns the middle of the inner corners, in the board's frame, in m.
func (b *Board) Centre() twinrig.Vec3 {
	return twinrig.Vec3{float64(b.Cols-1) / 2 * b.SquareM, float64(b.Rows-1) / 2 * b.SquareM, 0}
}

// markers is how many white squares there are: those whose row and column are
// not both even or both odd.
func (b *Board) markers() int { return (b.Cols + 1) * (b.Rows + 1) / 2 }
