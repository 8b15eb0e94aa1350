package target

import (
	"errors"
	"fmt"
	"image"
	"math"

	"gocv.io/x/gocv"
)

// Why a picture gives no corners.
var (
	// ErrNoBoard: the board is not in the picture, or hidden, or blurred.
	ErrNoBoard = errors.New("no board found")
	// ErrWrongBoard: another board is in the picture.
	ErrWrongBoard = errors.New("wrong board")
	// ErrMirrored: the picture is mirrored. Only a ChArUco board tells: a
	// chessboard's mirror image is a chessboard.
	ErrMirrored = errors.New("mirrored picture")
)

// minChArUco is how many corners make a view: below, a view says less than the
// six numbers of its pose cost.
const minChArUco = 8

// Corner is an inner corner in a picture.
type Corner struct {
	ID int     `json:"id"`
	X  float64 `json:"x_px"`
	Y  float64 `json:"y_px"`
}

// Detection is a board in a picture.
type Detection struct {
	Corners []Corner
	// BlurPx is how wide the squares' edges are, in pixels, in the direction
	// in which they are widest; 1 to 2.5 is sharp.
	BlurPx float64
}

// Detector finds a board.
type Detector struct {
	board Board
	// Quick gives up early on a picture without a board, and does not look for
	// what else may be there: for live pictures.
	Quick bool
}

// NewDetector returns a detector of b.
func NewDetector(b Board) (*Detector, error) {
	if err := b.Validate(); err != nil {
		return nil, err
	}
	return &Detector{board: b}, nil
}

// Method names what finds the corners, for the files that hold them.
func (d *Detector) Method() string {
	if d.board.Kind == ChArUco {
		return "opencv " + gocv.OpenCVVersion() + " interpolateCornersCharuco, cornerSubPix clear of the markers"
	}
	return "opencv " + gocv.OpenCVVersion() + " findChessboardCorners, cornerSubPix within 0.4 of a square"
}

// Detect finds the board. An error is ErrNoBoard, ErrWrongBoard or ErrMirrored
// with what was seen.
func (d *Detector) Detect(p *Picture) (Detection, error) {
	if p.W < 16 || p.H < 16 || len(p.Grey) != p.W*p.H {
		return Detection{}, fmt.Errorf("%w: picture of %d x %d pixels has %d bytes", ErrNoPicture, p.W, p.H, len(p.Grey))
	}
	find := d.chessboard
	if d.board.Kind == ChArUco {
		find = d.charuco
	}
	corners, err := find(p)
	if err != nil {
		return Detection{}, err
	}
	return Detection{Corners: corners, BlurPx: d.blur(p, corners)}, nil
}

func (d *Detector) charuco(p *Picture) ([]Corner, error) {
	f, err := d.board.findChArUco(p)
	switch {
	case err != nil:
		return nil, err
	case f.foreign > 0:
		return nil, fmt.Errorf("%w: %d of its markers are not on a %s", ErrWrongBoard, f.foreign, &d.board)
	case len(f.corners) >= minChArUco:
		return f.corners, d.refineChArUco(p, f.corners)
	}
	if !d.Quick {
		m := p.mirrored()
		other, err := d.board.findChArUco(&m)
		if err == nil && len(other.corners) >= minChArUco {
			return nil, fmt.Errorf("%w: its markers are readable only in a mirror; end the flip in the camera's settings", ErrMirrored)
		}
	}
	return nil, fmt.Errorf("%w: %d corners of a %s by %d markers, at least %d are needed; light it evenly, come nearer, and check --board and the dictionary",
		ErrNoBoard, len(f.corners), &d.board, f.markers, minChArUco)
}

func (d *Detector) chessboard(p *Picture) ([]Corner, error) {
	m, err := p.mat()
	if err != nil {
		return nil, err
	}
	defer m.Close()
	corners, err := findChessboard(&m, d.board.Cols, d.board.Rows, d.Quick)
	if err != nil {
		return nil, err
	}
	if corners != nil {
		sides := rims(p, corners, d.board.Cols, d.board.Rows)
		switch {
		case isPart(sides):
			return nil, fmt.Errorf("%w: has more than %d x %d inner corners", ErrWrongBoard, d.board.Cols, d.board.Rows)
		case !madeUp(sides):
			return corners, nil
		}
	}
	if d.Quick {
		return nil, d.noChessboard()
	}
	// A neighbouring size is the usual mistake: squares counted instead of
	// corners, or another board on the table.
	for _, o := range [][2]int{{-1, -1}, {1, 1}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}} {
		cols, rows := d.board.Cols+o[0], d.board.Rows+o[1]
		if min(cols, rows) < minSide {
			continue
		}
		other, err := findChessboard(&m, cols, rows, true)
		if err != nil {
			return nil, err
		}
		if other == nil {
			continue
		}
		if sides := rims(p, other, cols, rows); !isPart(sides) && !madeUp(sides) {
			return nil, fmt.Errorf("%w: has %d x %d inner corners, not %d x %d", ErrWrongBoard, cols, rows, d.board.Cols, d.board.Rows)
		}
	}
	return nil, d.noChessboard()
}

func (d *Detector) noChessboard() error {
	return fmt.Errorf("%w: no %dx%d chessboard, or it is blurred, cut or partly hidden", ErrNoBoard, d.board.Cols, d.board.Rows)
}

// findChessboard returns the corners to a fraction of a pixel, or none.
func findChessboard(m *gocv.Mat, cols, rows int, quick bool) ([]Corner, error) {
	found := gocv.NewMat()
	defer found.Close()
	flags := gocv.CalibCBAdaptiveThresh | gocv.CalibCBNormalizeImage
	if quick {
		flags |= gocv.CalibCBFastCheck
	}
	if !gocv.FindChessboardCorners(*m, image.Pt(cols, rows), &found, flags) || found.Rows() != cols*rows {
		return nil, nil
	}
	xy, err := found.DataPtrFloat32()
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	corners := make([]Corner, cols*rows)
	for i := range corners {
		corners[i] = Corner{ID: i, X: float64(xy[2*i]), Y: float64(xy[2*i+1])}
	}
	// The window must not reach the next corner: on small squares OpenCV's
	// usual 11 px does, and errs by pixels.
	return corners, refine(m, corners, 0.4*spacing(corners, cols))
}

// refineChArUco finds the corners anew where the squares meet, in a window that
// stays clear of the markers.
func (d *Detector) refineChArUco(p *Picture, corners []Corner) error {
	m, err := p.mat()
	if err != nil {
		return err
	}
	defer m.Close()
	clear := (1 - d.board.MarkerM/d.board.SquareM) / 2
	return refine(&m, corners, max(clear*spacing(corners, d.board.Cols), minWindow))
}

// The least and the largest half of the window in which a corner is refined, in
// pixels.
const minWindow, maxWindow = 3, 11

// refine moves the corners to where, within half a window, the gradients say.
func refine(m *gocv.Mat, corners []Corner, half float64) error {
	points := gocv.NewMatWithSize(len(corners), 1, gocv.MatTypeCV32FC2)
	defer points.Close()
	xy, err := points.DataPtrFloat32()
	if err != nil {
		return fmt.Errorf("target: %w", err)
	}
	for i, c := range corners {
		xy[2*i], xy[2*i+1] = float32(c.X), float32(c.Y)
	}
	w := min(max(int(half), 2), maxWindow)
	gocv.CornerSubPix(*m, &points, image.Pt(w, w), image.Pt(-1, -1), gocv.NewTermCriteria(gocv.Count|gocv.EPS, 60, 1e-4))
	for i := range corners {
		corners[i].X, corners[i].Y = float64(xy[2*i]), float64(xy[2*i+1])
	}
	return nil
}

// spacing is the least distance between neighbours.
func spacing(corners []Corner, cols int) float64 {
	at := make(map[int]*Corner, len(corners))
	for i := range corners {
		at[corners[i].ID] = &corners[i]
	}
	least := math.Inf(1)
	for _, c := range corners {
		for _, next := range []int{1, cols} {
			if n := at[c.ID+next]; n != nil && (next != 1 || (c.ID+1)%cols != 0) {
				least = min(least, math.Hypot(c.X-n.X, c.Y-n.Y))
			}
		}
	}
	return least
}
