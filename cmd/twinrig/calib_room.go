package main

import (
	"errors"
	"fmt"
	"math"

	"twinrig"
	"twinrig/agent"
	"twinrig/calib/target"
	"twinrig/sim"
)

// room is where an arm with a board in its hand may be.
type room struct {
	kin       *sim.Kinematics
	workspace *agent.Workspace
	clearance *sim.Clearance
	camera    twinrig.Vec3  // in B
	board     *target.Board // nil: the hand holds none
	held      twinrig.Pose  // xET
}

const (
	// cameraRoom is how near anything of the arm's axis or the board may come to
	// the camera, m: its body, half the arm's width, and what is not known of
	// where it is.
	cameraRoom = 0.13
	// boardFloor is how low the board may come, m.
	boardFloor = 0.03
	// boardRim is how far the board's plate goes beyond its inner corners, in
	// squares.
	plateRim = 2
	// armRadius is half of the arm's width, m.
	armRadius = 0.045
	// wayPoints are looked at on the way between two poses.
	wayPoints = 16
)

// clear refuses joints in which the arm or the board would be in something.
func (r *room) clear(q twinrig.Joints) error {
	if err := twinrig.PositionLimits.Check(q); err != nil {
		return err
	}
	xBE := r.kin.Forward(q)
	if d := r.workspace.Outside(xBE); d > 0 {
		return fmt.Errorf("the hand would be %.1f mm outside the workspace", 1000*d)
	}
	points := r.kin.Origins(q)
	for i := 1; i < len(points); i++ {
		if d := fromSegment(r.camera, points[i-1], points[i]); d < cameraRoom {
			return fmt.Errorf("the arm would be %.0f mm from the camera", 1000*d)
		}
	}
	for _, p := range r.plate() {
		at := xBE.Mul(r.held).Apply(p)
		if at[2] < boardFloor {
			return fmt.Errorf("the board would be %.0f mm over the table", 1000*at[2])
		}
		if d := at.Sub(r.camera).Norm(); d < cameraRoom {
			return fmt.Errorf("the board would be %.0f mm from the camera", 1000*d)
		}
	}
	return r.clearance.Clear(q, shotGrip)
}

// plate are the corners and the middle of the board's plate, in its frame: none
// without a board.
func (r *room) plate() []twinrig.Vec3 {
	if r.board == nil {
		return nil
	}
	s := r.board.SquareM
	x0, y0 := -plateRim*s, -plateRim*s
	x1, y1 := (float64(r.board.Cols-1)+plateRim)*s, (float64(r.board.Rows-1)+plateRim)*s
	return []twinrig.Vec3{{x0, y0, 0}, {x1, y0, 0}, {x0, y1, 0}, {x1, y1, 0}, r.board.Centre()}
}

// fromSegment is how far p is from the segment a to b.
func fromSegment(p, a, b twinrig.Vec3) float64 {
	ab, ap := b.Sub(a), p.Sub(a)
	dot := func(u, v twinrig.Vec3) float64 { return u[0]*v[0] + u[1]*v[1] + u[2]*v[2] }
	t := 0.0
	if n := dot(ab, ab); n > 0 {
		t = math.Min(math.Max(dot(ap, ab)/n, 0), 1)
	}
	return ap.Sub(ab.Scale(t)).Norm()
}

// way tells whether the straight way in joint space is clear.
func (r *room) way(from, to twinrig.Joints) bool {
	for i := 1; i <= wayPoints; i++ {
		if r.clear(from.Add(to.Sub(from).Scale(float64(i)/wayPoints))) != nil {
			return false
		}
	}
	return true
}

// hidden tells whether the arm is between the camera and the board.
func (r *room) hidden(q twinrig.Joints) bool {
	xBT := r.kin.Forward(q).Mul(r.held)
	points := r.kin.Origins(q)
	for _, p := range r.plate() {
		at := xBT.Apply(p)
		for k := 1; k < wayPoints; k++ {
			ray := r.camera.Add(at.Sub(r.camera).Scale(float64(k) / wayPoints))
			for i := 1; i < len(points); i++ {
				if fromSegment(ray, points[i-1], points[i]) < armRadius {
					return true
				}
			}
		}
	}
	return false
}

// open refuses poses that cannot be got to from the hub, and back.
func (r *room) open(q, hub twinrig.Joints) error {
	if err := r.clear(q); err != nil {
		return err
	}
	if !r.way(hub, q) {
		return errors.New("there is no clear way")
	}
	return nil
}

// stop is a pose on a route: of a planned view, or -1 on the way to one.
type stop struct {
	q    twinrig.Joints
	view int
}

// route visits the wanted poses, which can be got to from the hub, the nearest
// next: straight where that way is clear, else through the hub.
func (r *room) route(from, hub twinrig.Joints, poses []twinrig.Joints, want []int) []stop {
	left := append([]int(nil), want...)
	var out []stop
	at := from
	for len(left) > 0 {
		best, near := 0, math.Inf(1)
		for k, v := range left {
			if d := poses[v].Sub(at).MaxAbs(); d < near && r.way(at, poses[v]) {
				best, near = k, d
			}
		}
		v := left[best]
		if math.IsInf(near, 1) {
			out = append(out, stop{hub, -1})
		}
		out = append(out, stop{poses[v], v})
		at, left = poses[v], append(left[:best], left[best+1:]...)
	}
	return out
}
