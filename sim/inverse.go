package sim

import (
	"errors"
	"math"

	"twinrig"
)

// ErrUnreachable is returned by Kinematics.Inverse for a pose that the arm
// cannot take.
var ErrUnreachable = errors.New("sim: pose is out of the arm's reach")

// ErrJump is returned by Kinematics.Inverse for a pose that the arm can take
// only by folding itself another way than it is now.
var ErrJump = errors.New("sim: pose needs another configuration of the arm")

const (
	// onAxis is how close to a singular direction counts as singular: m for
	// the waist, a sine for the wrist.
	onAxis = 1e-9
	// atLimit is how far past a joint limit rounding may reach, rad.
	atLimit = 1e-9
	// beyondReach is how far past the stretched arm rounding may reach, as a
	// cosine.
	beyondReach = 1e-9
	// jump is how much farther than the nearest solution, in rad, the nearest
	// one inside the limits may be.
	jump = 0.5
)

// Inverse returns the joints, inside PositionLimits, that bring E to xBE. Of
// the up to eight ways to do that it takes the one nearest to seed, by the
// joint that moves most. The result is exact to rounding.
//
// It returns ErrUnreachable when there is no way, and ErrJump when the limits
// forbid the nearest way and leave only one that is far from it: then the arm
// would have to fold over, which no small correction should make it do.
// Where a joint does not matter (the waist with the wrist on its axis, forearm
// and hand in one line) it stays as near to seed as it can. Close to these
// places a small change of pose may truly need a large turn: compare the result
// with seed where that matters.
func (k *Kinematics) Inverse(xBE twinrig.Pose, seed twinrig.Joints) (twinrig.Joints, error) {
	s := k.solve(xBE, seed)
	switch {
	case math.IsInf(s.in, 1):
		return seed, ErrUnreachable
	case s.in > s.all+jump:
		return seed, ErrJump
	}
	return s.best, nil
}

// Solve is Inverse for a pose that is not beside seed, such as the goal of a motion
// from the home pose: the nearest solution inside PositionLimits, however the arm
// must fold for it. It never returns ErrJump.
func (k *Kinematics) Solve(xBE twinrig.Pose, seed twinrig.Joints) (twinrig.Joints, error) {
	s := k.solve(xBE, seed)
	if math.IsInf(s.in, 1) {
		return seed, ErrUnreachable
	}
	return s.best, nil
}

func (k *Kinematics) solve(xBE twinrig.Pose, seed twinrig.Joints) search {
	s := search{k: k, seed: seed, in: math.Inf(1), all: math.Inf(1)}
	r := xBE.R.Normalized().Matrix()
	xE := twinrig.Vec3{r[0][0], r[1][0], r[2][0]}
	if !finite(xBE.P[0], xBE.P[1], xBE.P[2], xE[0], xE[1], xE[2]) || !seed.Finite() || xBE.R == (twinrig.Quat{}) {
		return s
	}

	// the wrist's three axes meet in one point, which fixes the first three
	// joints; the hand's direction then fixes the others
	s.r = r
	w := xBE.P.Sub(xE.Scale(k.tool))
	waist := seed[twinrig.Waist]
	if math.Hypot(w[0], w[1]) > onAxis {
		waist = math.Atan2(w[1], w[0])
	}
	rho := w[0]*math.Cos(waist) + w[1]*math.Sin(waist)
	z := w[2] - chain[twinrig.Waist].origin[2] - chain[twinrig.Shoulder].origin[2]
	s.arms(waist, rho, z)
	s.arms(waist+math.Pi, -rho, z)
	return s
}

// search goes through the solutions.
type search struct {
	k    *Kinematics
	r    [3][3]float64
	seed twinrig.Joints
	best twinrig.Joints
	// in is the distance of best from seed, all that of the nearest solution,
	// inside the limits or not; both infinite when there is none.
	in, all float64
}

// arms tries both ways to reach a wrist centre rho before and z above the
// shoulder with upper arm and forearm.
func (s *search) arms(waist, rho, z float64) {
	k := s.k
	// angles in the arm's plane are from the vertical towards the front
	d2 := rho*rho + z*z
	c := (d2 - k.upper*k.upper - k.fore*k.fore) / (2 * k.upper * k.fore)
	if math.Abs(c) > 1+beyondReach {
		return
	}
	fold := math.Acos(max(-1, min(1, c)))
	for _, b := range [2]float64{fold, -fold} {
		sb, cb := math.Sincos(b)
		a := math.Atan2(rho, z) - math.Atan2(k.fore*sb, k.upper+k.fore*cb)
		// at zero the upper arm stands at bend and the forearm at 90 degrees
		s.wrists(waist, a-k.bend, b+k.bend-math.Pi/2)
	}
}

// wrists tries both ways to turn the hand, the first three joints given.
func (s *search) wrists(waist, shoulder, elbow float64) {
	// m is the hand's rotation in the forearm: Rx(roll) Ry(angle) Rx(rotate)
	sw, cw := math.Sincos(waist)
	sp, cp := math.Sincos(shoulder + elbow)
	var m [3][3]float64
	for j := range 3 {
		x, y, z := s.r[0][j], s.r[1][j], s.r[2][j]
		f := cw*x + sw*y
		m[0][j], m[1][j], m[2][j] = cp*f-sp*z, cw*y-sw*x, sp*f+cp*z
	}
	q := twinrig.Joints{waist, shoulder, elbow}
	sine := math.Hypot(m[1][0], m[2][0])
	if sine < onAxis {
		s.straight(q, &m)
		return
	}
	for _, sign := range [2]float64{1, -1} {
		q[twinrig.ForearmRoll] = math.Atan2(sign*m[1][0], -sign*m[2][0])
		q[twinrig.WristAngle] = math.Atan2(sign*sine, m[0][0])
		q[twinrig.WristRotate] = math.Atan2(sign*m[0][1], sign*m[0][2])
		s.consider(q)
	}
}

// straight handles forearm and hand in one line: only the sum of the two
// rotations about it matters, and the change is shared between them.
func (s *search) straight(q twinrig.Joints, m *[3][3]float64) {
	// the hand cannot fold back onto the forearm
	if m[0][0] < 0 {
		return
	}
	sum := math.Atan2(m[2][1], m[1][1])
	change := math.Remainder(sum-s.seed[twinrig.ForearmRoll]-s.seed[twinrig.WristRotate], 2*math.Pi)
	limits := &twinrig.PositionLimits
	roll := s.seed[twinrig.ForearmRoll] + change/2
	roll = max(limits.Lower[twinrig.ForearmRoll], min(limits.Upper[twinrig.ForearmRoll], roll))
	q[twinrig.ForearmRoll], q[twinrig.WristAngle] = roll, 0
	q[twinrig.WristRotate] = s.seed[twinrig.ForearmRoll] + s.seed[twinrig.WristRotate] + change - roll
	s.consider(q)
}

// consider turns each joint the way round that is nearest to seed, and keeps q
// when it is nearer than what was found before.
func (s *search) consider(q twinrig.Joints) {
	limits := &twinrig.PositionLimits
	in, all, inside := 0.0, 0.0, true
	for i := range q {
		near := s.seed[i] + math.Remainder(q[i]-s.seed[i], 2*math.Pi)
		all = math.Max(all, math.Abs(near-s.seed[i]))
		// the other way round, when this one is out of the limits
		if near > limits.Upper[i]+atLimit {
			near -= 2 * math.Pi
		} else if near < limits.Lower[i]-atLimit {
			near += 2 * math.Pi
		}
		inside = inside && near <= limits.Upper[i]+atLimit && near >= limits.Lower[i]-atLimit
		q[i] = max(limits.Lower[i], min(limits.Upper[i], near))
		in = math.Max(in, math.Abs(q[i]-s.seed[i]))
	}
	s.all = math.Min(s.all, all)
	if inside && in < s.in {
		s.in, s.best = in, q
	}
}
