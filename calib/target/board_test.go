package target

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseSize(t *testing.T) {
	for _, c := range []struct {
		in         string
		cols, rows int
		bad        bool
	}{
		{"9x6", 9, 6, false},
		{"9X6", 9, 6, false},
		{"11x8", 11, 8, false},
		{"9", 0, 0, true},
		{"9x", 0, 0, true},
		{"x6", 0, 0, true},
		{"9x6x3", 0, 0, true},
		{"", 0, 0, true},
		{"9x6 ", 0, 0, true},
		{"nine", 0, 0, true},
	} {
		cols, rows, err := ParseSize(c.in)
		if c.bad {
			require.ErrorContains(t, err, "as in 9x6", c.in)
			continue
		}
		require.NoError(t, err, c.in)
		require.Equal(t, [2]int{c.cols, c.rows}, [2]int{cols, rows}, c.in)
	}
}

func TestBoardsAreChecked(t *testing.T) {
	for _, c := range []struct {
		name  string
		board Board
		want  string
	}{
		{"small", Board{Kind: Chessboard, Cols: 2, Rows: 6, SquareM: 0.02}, "2 x 6 inner corners are outside 3 to 40"},
		{"square", Board{Kind: Chessboard, Cols: 9, Rows: 6, SquareM: 25}, "squares of 25000 mm are outside 2 to 500 mm"},
		{"kind", Board{Kind: "dots", Cols: 9, Rows: 6, SquareM: 0.02}, `kind "dots" is neither`},
		{"marker", Board{Kind: ChArUco, Cols: 9, Rows: 6, SquareM: 0.02, MarkerM: 0.02, Dictionary: "4x4_50"}, "markers of 20 mm are outside"},
		{"dictionary", Board{Kind: ChArUco, Cols: 9, Rows: 6, SquareM: 0.02, MarkerM: 0.015, Dictionary: "7x7"}, `dictionary "7x7" is none of 4x4_100`},
		{"too few markers", Board{Kind: ChArUco, Cols: 15, Rows: 9, SquareM: 0.02, MarkerM: 0.015, Dictionary: "4x4_50"}, "needs 80 markers, dictionary 4x4_50 has 50; take 4x4_100"},
	} {
		t.Run(c.name, func(t *testing.T) { require.ErrorContains(t, c.board.Validate(), c.want) })
	}
	b, err := NewChArUco(15, 9, 0.02, 0, "")
	require.NoError(t, err)
	require.Equal(t, "15x9 charuco, 20 mm, markers 15 mm of 4x4_100", b.String())
}
