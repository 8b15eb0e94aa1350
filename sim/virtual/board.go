package virtual

import (
	"fmt"

	"twinrig"
	"twinrig/sim"
)

// The calibration board that the operator of a virtual rig has: a chessboard by
// its inner corners, m.
const (
	BoardCols    = 7
	BoardRows    = 6
	BoardSquareM = 0.014
	// BoardThickM is how thick its plate is, m.
	BoardThickM = 0.002
	boardInk    = 0.0002
	// rim is how far the plate goes beyond its squares, in squares.
	rim = 0.6
)

// BoardPlace is where the operator has put the board.
type BoardPlace string

// The places.
const (
	BoardAway    BoardPlace = ""
	BoardInHand  BoardPlace = "board in the hand"
	BoardOnTable BoardPlace = "board on the table"
)

// boardGap is from the pinch point E to a held board's plate: the fingertips are
// 16 mm beyond E, and may be seen from the side. boardUp is how far a held board
// is above the hand's axis. In m.
const (
	boardGap = 0.0376
	boardUp  = 0.02
)

// HandFromBoard is xET as a board of cols x rows inner corners is meant to be
// held: its plate clear of the fingertips, flat with the hand's x-y plane and in
// its middle, face up. Its frame is that of the inner corners: x along a row (the
// hand's -y), y along a column (the hand's -x), z into the board. The operator
// does not hold it exactly so.
func HandFromBoard(cols, rows int, squareM float64) twinrig.Pose {
	return twinrig.Pose{
		R: twinrig.QuatFromMatrix([3][3]float64{{0, -1, 0}, {-1, 0, 0}, {0, 0, -1}}),
		P: twinrig.Vec3{boardGap + (float64(rows)+rim)*squareM, float64(cols-1) / 2 * squareM, boardUp},
	}
}

// PutBoard has the operator clear the table and put the board somewhere. The arm
// stays as it is, but stands still.
func (w *World) PutBoard(where BoardPlace) error {
	w.staging.Lock()
	defer w.staging.Unlock()
	next, err := w.boardStage(where)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	q, _, finger, _ := w.sim.Arm()
	if err := next.Reset(); err != nil {
		return fmt.Errorf("virtual: %w", err)
	}
	next.SetArm(q, finger)
	w.scene, w.sim = string(where), next
	return nil
}

// boardStage is the world with the board at a place.
func (w *World) boardStage(where BoardPlace) (*sim.World, error) {
	return w.stage(string(where), func() (*sim.World, error) {
		spec := w.spec(nil)
		switch where {
		case BoardInHand:
			held := HandFromBoard(BoardCols, BoardRows, BoardSquareM).Mul(w.hidden.HeldFromHeld)
			for _, g := range boardGeoms() {
				g.Pose = held.Mul(g.Pose)
				spec.Carried = append(spec.Carried, g)
			}
		case BoardOnTable:
			spec.Bodies = []sim.Body{{Name: "board", Geoms: boardGeoms(), Pose: w.hidden.BoardOnTable}}
		case BoardAway:
		}
		built, err := sim.NewWorld(spec)
		if err != nil {
			return nil, fmt.Errorf("virtual: %w", err)
		}
		return built, nil
	})
}

// boardGeoms are a white plate and the dark squares on it, in the board's frame.
func boardGeoms() []sim.Geom {
	geom := func(x, y, z, sx, sy, sz, shade float64) sim.Geom {
		return sim.Geom{
			Shape: sim.Box, Size: twinrig.Vec3{sx, sy, sz}, Layer: sim.Seen,
			Pose: twinrig.Pose{R: twinrig.IdentityQuat, P: twinrig.Vec3{x, y, z}},
			RGBA: [4]float64{shade, shade, shade, 1},
		}
	}
	const s = BoardSquareM
	all := []sim.Geom{geom((BoardCols-1)*s/2, (BoardRows-1)*s/2, BoardThickM/2,
		(BoardCols+1+2*rim)*s, (BoardRows+1+2*rim)*s, BoardThickM, 0.95)}
	for row := range BoardRows + 1 {
		for col := range BoardCols + 1 {
			if (row+col)%2 == 0 {
				all = append(all, geom((float64(col)-0.5)*s, (float64(row)-0.5)*s, 0, s, s, boardInk, 0.03))
			}
		}
	}
	return all
}

// CameraTruth is xBC as it is: for the judge of a calibration only.
func (w *World) CameraTruth() twinrig.Pose { return w.camera.BaseFromCamera }
