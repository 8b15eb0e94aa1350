package extrinsics

import (
	"math"

	"twinrig"
	"twinrig/calib/intrinsics"
	"twinrig/calib/target"
)

// view is a picture's corners with the joints at its exposure.
type view struct {
	name    string
	joints  twinrig.Joints
	corners []target.Corner
	// start is the board in the camera's frame, xCT, from this view alone, and
	// noise what its corners are off, RMS px, even so.
	start twinrig.Pose
	noise float64
	// isTurned says that its corners are counted from the other end.
	isTurned bool
}

// forwarder is the arm's kinematics: xBE.
type forwarder interface {
	Forward(q twinrig.Joints) twinrig.Pose
}

// jump is what is different from a view on, in the hypotheses about a bad fit.
type jump uint8

const (
	nothing jump = iota
	camera       // the camera, or the arm's base, was moved
	board        // the board was moved in the hand
	slip         // a joint's zero jumped; jumpJoint says which
)

// problem is everything that is given.
type problem struct {
	kin   forwarder
	lens  *intrinsics.Lens
	board *target.Board
	views []view
	// pixel is what a corner errs by, reading what a joint's reading errs by
	// in a view, zero what a joint's zero may be off: standard deviations.
	pixel, reading, zero float64
	// cauchy is the distance, in those of a corner's error, beyond which a
	// corner loses its weight; 0 is plain least squares.
	cauchy float64
	// Hypotheses: the hands' poses are inverted, the squares' size is unknown,
	// something jumps at view jumpAt.
	inverted, sized   bool
	jump              jump
	jumpAt, jumpJoint int
}

// state is a solution.
type state struct {
	camera twinrig.Pose   // xBC
	board  twinrig.Pose   // xET
	zeros  twinrig.Joints // added to the readings; the waist's stays 0
	scale  float64        // of the board
	// after replaces camera or board from the jump on, slipped is added to a
	// joint.
	after   twinrig.Pose
	slipped float64
}

// Parameters, in this order; a pose is three of a rotation vector from the left,
// about its own origin, and three of its shift.
const (
	atCamera = 0
	atBoard  = 6
	atZeros  = 12 // joints 1 to 5
	numFixed = atZeros + twinrig.NumJoints - 1
)

// params is how many parameters the problem has.
func (p *problem) params() int {
	n := numFixed
	if p.sized {
		n++
	}
	switch p.jump {
	case camera, board:
		n += 6
	case slip:
		n++
	case nothing:
	}
	return n
}

// moved is s with a step of all parameters.
func (p *problem) moved(s state, d []float64) state {
	s.camera = nudged(s.camera, d[atCamera:atCamera+6])
	s.board = nudged(s.board, d[atBoard:atBoard+6])
	for i := 1; i < twinrig.NumJoints; i++ {
		s.zeros[i] += d[atZeros+i-1]
	}
	d = d[numFixed:]
	if p.sized {
		s.scale += d[0]
		d = d[1:]
	}
	switch p.jump {
	case camera, board:
		s.after = nudged(s.after, d)
	case slip:
		s.slipped += d[0]
	case nothing:
	}
	return s
}

// nudged turns a pose by a rotation vector and shifts it.
func nudged(x twinrig.Pose, d []float64) twinrig.Pose {
	turn := twinrig.Vec3(d[:3])
	if angle := turn.Norm(); angle > 0 {
		x.R = twinrig.QuatFromAxisAngle(turn.Scale(1/angle), angle).Mul(x.R).Normalized()
	}
	x.P = x.P.Add(twinrig.Vec3(d[3:6]))
	return x
}

// inCamera is xCT of a view, its readings off by error.
func (p *problem) inCamera(s *state, i int, off *twinrig.Joints) twinrig.Pose {
	q := p.views[i].joints.Add(s.zeros)
	if off != nil {
		q = q.Add(*off)
	}
	xBC, xET := s.camera, s.board
	if i >= p.jumpAt {
		switch p.jump {
		case camera:
			xBC = s.after
		case board:
			xET = s.after
		case slip:
			q[p.jumpJoint] += s.slipped
		case nothing:
		}
	}
	hand := p.kin.Forward(q)
	if p.inverted {
		hand = hand.Inv()
	}
	return xBC.Inv().Mul(hand).Mul(xET)
}

// residuals appends reprojection less detection of a view's corners, in pixels,
// u and v in turn; a corner behind the camera is not a number.
func (p *problem) residuals(to []float64, s *state, i int, off *twinrig.Joints) []float64 {
	x := p.inCamera(s, i, off)
	m := x.R.Matrix()
	for k := range p.views[i].corners {
		c := &p.views[i].corners[k]
		b := p.board.Corner(c.ID).Scale(s.scale)
		at := x.P
		for j := range at {
			at[j] += m[j][0]*b[0] + m[j][1]*b[1] // the board is flat: b[2] is 0
		}
		u, v := p.lens.Project(at)
		to = append(to, u-c.X, v-c.Y)
	}
	return to
}

// distances are the reprojection distances of a view's corners, in pixels.
func (p *problem) distances(s *state, i int) []float64 {
	r := p.residuals(nil, s, i, nil)
	d := make([]float64, len(r)/2)
	for k := range d {
		if d[k] = math.Hypot(r[2*k], r[2*k+1]); math.IsNaN(d[k]) {
			d[k] = math.Inf(1)
		}
	}
	return d
}

// all are the distances of every corner.
func (p *problem) all(s *state) []float64 {
	var d []float64
	for i := range p.views {
		d = append(d, p.distances(s, i)...)
	}
	return d
}
