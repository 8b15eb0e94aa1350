package extrinsics

import (
	"errors"

	"twinrig"
	"twinrig/calib/target"
)

// Why samples give no result. Each message says what was seen and the cure.
var (
	ErrTooFewViews  = errors.New("too few views")
	ErrOneAxis      = errors.New("motion about one axis only")
	ErrDegenerate   = errors.New("views do not determine where the camera is")
	ErrWrongBoard   = errors.New("wrong board")
	ErrMirrored     = errors.New("mirrored picture")
	ErrInverted     = errors.New("inverted poses")
	ErrCameraMoved  = errors.New("moved camera")
	ErrBoardSlipped = errors.New("board slipped in the hand")
	ErrArmBumped    = errors.New("bumped arm")
	ErrPoorFit      = errors.New("views do not fit one camera")
)

// Result is where the camera stands and how good that is.
type Result struct {
	Board             target.Board
	WidthPx, HeightPx int
	// BaseFromCamera is xBC, HandFromBoard xET.
	BaseFromCamera, HandFromBoard twinrig.Pose
	// Zeros are what the joints' zeros seem to be off, rad: to be added to the
	// readings. The waist's is no unknown. They are held near 0 and serve to
	// keep such errors out of the camera's pose.
	Zeros, ZerosDeviation twinrig.Joints
	// Deviation and Jackknife are standard deviations of xBC: the three of a
	// rotation vector in rad and the three of its position in m, in the base.
	// The first if corners and readings err by themselves as they are thought
	// to, the second from leaving out a view at a time.
	Deviation, Jackknife [6]float64
	// Condition is that of the normal equations (the ratio of the largest to
	// the least singular value, each parameter scaled to a unit diagonal).
	Condition float64
	Turns     Turns
	// PixelPx is what corners are off within their views, RMS of one direction.
	PixelPx float64
	// Views are those that were solved from, Dropped the others.
	Views   []View
	Dropped []Dropped
	// Turned names the views whose corners were counted from the other end of
	// the board, as happens with chessboards; they were turned round.
	Turned []string
	// Over every corner of Views: as measured, servo play and all.
	MeanPx, RMSPx float64
	// HeldOut is the same over views that were left out of the solution.
	HeldOutMeanPx, HeldOutRMSPx float64
	// InversePx is the median reprojection distance with the inverse of xBC in
	// its place: far larger, unless something is inverted. It is infinite when
	// the boards would be behind the camera.
	InversePx float64
	// Scale is the board's size as the arm measures it over what it is said to
	// be, and its standard deviation.
	Scale, ScaleDeviation float64
	// Table is nil without a board on the table.
	Table *Table
	// Timing is nil without a swing.
	Timing *Timing
	// Warnings are what a user should know, each with its cure.
	Warnings []string
}

// View is a view and what is left of it.
type View struct {
	Sample Sample
	// CameraFromBoard is xCT as the solution has it.
	CameraFromBoard twinrig.Pose
	// Residuals are reprojection less detection, of Sample.View.Corners, px.
	Residuals            [][2]float64
	MeanPx, RMSPx, MaxPx float64
	HeldOutRMSPx         float64
}

// Dropped is a view that was not solved from.
type Dropped struct {
	Name string `json:"name"`
	Why  string `json:"why"`
}

// PositionDeviation and RotationDeviation are the larger estimate of how well
// xBC is known: m and rad, all axes together.
func (r *Result) PositionDeviation() float64 {
	return max(norm3(r.Deviation[3:]), norm3(r.Jackknife[3:]))
}

// RotationDeviation is the same of the rotation, rad.
func (r *Result) RotationDeviation() float64 {
	return max(norm3(r.Deviation[:3]), norm3(r.Jackknife[:3]))
}

func norm3(v []float64) float64 { return twinrig.Vec3(v[:3]).Norm() }
