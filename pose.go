package twinrig

import "math"

// Vec3 is a position (m) or another triple, x y z.
type Vec3 [3]float64

// Add returns v + w.
func (v Vec3) Add(w Vec3) Vec3 { return Vec3{v[0] + w[0], v[1] + w[1], v[2] + w[2]} }

// Sub returns v - w.
func (v Vec3) Sub(w Vec3) Vec3 { return Vec3{v[0] - w[0], v[1] - w[1], v[2] - w[2]} }

// Scale returns a*v.
func (v Vec3) Scale(a float64) Vec3 { return Vec3{a * v[0], a * v[1], a * v[2]} }

// Cross returns v × w.
func (v Vec3) Cross(w Vec3) Vec3 {
	return Vec3{v[1]*w[2] - v[2]*w[1], v[2]*w[0] - v[0]*w[2], v[0]*w[1] - v[1]*w[0]}
}

// Norm returns the Euclidean length.
func (v Vec3) Norm() float64 { return math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2]) }

// Quat is a unit quaternion in the order w, x, y, z (as MuJoCo's).
type Quat [4]float64

// IdentityQuat is no rotation.
var IdentityQuat = Quat{1, 0, 0, 0}

// Mul returns the rotation that does r first, then q.
func (q Quat) Mul(r Quat) Quat {
	return Quat{
		q[0]*r[0] - q[1]*r[1] - q[2]*r[2] - q[3]*r[3],
		q[0]*r[1] + q[1]*r[0] + q[2]*r[3] - q[3]*r[2],
		q[0]*r[2] - q[1]*r[3] + q[2]*r[0] + q[3]*r[1],
		q[0]*r[3] + q[1]*r[2] - q[2]*r[1] + q[3]*r[0],
	}
}

// Inv returns the inverse rotation of a unit quaternion.
func (q Quat) Inv() Quat { return Quat{q[0], -q[1], -q[2], -q[3]} }

// Normalized returns q scaled to unit length. The zero quaternion stays zero.
func (q Quat) Normalized() Quat {
	n := math.Sqrt(q[0]*q[0] + q[1]*q[1] + q[2]*q[2] + q[3]*q[3])
	if n == 0 {
		return q
	}
	return Quat{q[0] / n, q[1] / n, q[2] / n, q[3] / n}
}

// Rotate returns v rotated by q.
func (q Quat) Rotate(v Vec3) Vec3 {
	u := Vec3{q[1], q[2], q[3]}
	t := u.Cross(v).Scale(2)
	return v.Add(t.Scale(q[0])).Add(u.Cross(t))
}

// Angle returns the true rotation angle in [0, pi].
func (q Quat) Angle() float64 {
	return 2 * math.Atan2(Vec3{q[1], q[2], q[3]}.Norm(), math.Abs(q[0]))
}

// RotVec returns the rotation vector (axis times angle, rad), angle in [0, pi].
func (q Quat) RotVec() Vec3 {
	if q[0] < 0 {
		q = Quat{-q[0], -q[1], -q[2], -q[3]}
	}
	u := Vec3{q[1], q[2], q[3]}
	s := u.Norm()
	if s < 1e-12 {
		return u.Scale(2)
	}
	return u.Scale(2 * math.Atan2(s, q[0]) / s)
}

// QuatFromAxisAngle rotates by angle rad about a unit axis.
func QuatFromAxisAngle(axis Vec3, angle float64) Quat {
	s, c := math.Sincos(angle / 2)
	return Quat{c, axis[0] * s, axis[1] * s, axis[2] * s}
}

// QuatFromRPY composes R = Rz(yaw) Ry(pitch) Rx(roll), rad: rotations about the
// fixed x, then y, then z axes.
func QuatFromRPY(roll, pitch, yaw float64) Quat {
	return QuatFromAxisAngle(Vec3{0, 0, 1}, yaw).
		Mul(QuatFromAxisAngle(Vec3{0, 1, 0}, pitch)).
		Mul(QuatFromAxisAngle(Vec3{1, 0, 0}, roll))
}

// RPY is the inverse of QuatFromRPY, pitch in [-pi/2, pi/2]. At pitch ±pi/2
// roll and yaw are not separable; then roll is 0.
func (q Quat) RPY() (roll, pitch, yaw float64) {
	m := q.Matrix()
	if c := math.Hypot(m[0][0], m[1][0]); c > 1e-9 {
		return math.Atan2(m[2][1], m[2][2]), math.Atan2(-m[2][0], c), math.Atan2(m[1][0], m[0][0])
	}
	return 0, math.Atan2(-m[2][0], 0), math.Atan2(-m[0][1], m[1][1])
}

// Matrix returns the 3x3 rotation matrix, rows first.
func (q Quat) Matrix() [3][3]float64 {
	w, x, y, z := q[0], q[1], q[2], q[3]
	return [3][3]float64{
		{1 - 2*(y*y+z*z), 2 * (x*y - w*z), 2 * (x*z + w*y)},
		{2 * (x*y + w*z), 1 - 2*(x*x+z*z), 2 * (y*z - w*x)},
		{2 * (x*z - w*y), 2 * (y*z + w*x), 1 - 2*(x*x+y*y)},
	}
}

// QuatFromMatrix is the inverse of Matrix for a proper rotation, w >= 0.
func QuatFromMatrix(m [3][3]float64) Quat {
	// Shepperd's method: start from the largest of the four squares.
	tr := m[0][0] + m[1][1] + m[2][2]
	var q Quat
	switch {
	case tr >= m[0][0] && tr >= m[1][1] && tr >= m[2][2]:
		q = Quat{1 + tr, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]}
	case m[0][0] >= m[1][1] && m[0][0] >= m[2][2]:
		q = Quat{m[2][1] - m[1][2], 1 + m[0][0] - m[1][1] - m[2][2], m[0][1] + m[1][0], m[0][2] + m[2][0]}
	case m[1][1] >= m[2][2]:
		q = Quat{m[0][2] - m[2][0], m[0][1] + m[1][0], 1 - m[0][0] + m[1][1] - m[2][2], m[1][2] + m[2][1]}
	default:
		q = Quat{m[1][0] - m[0][1], m[0][2] + m[2][0], m[1][2] + m[2][1], 1 - m[0][0] - m[1][1] + m[2][2]}
	}
	if q[0] < 0 {
		q = Quat{-q[0], -q[1], -q[2], -q[3]}
	}
	return q.Normalized()
}

// Pose is a rigid transform: xAB = Pose{R: rAB, P: pAB} takes points from frame
// B to frame A.
type Pose struct {
	R Quat
	P Vec3
}

// IdentityPose changes nothing.
var IdentityPose = Pose{R: IdentityQuat}

// Mul composes: xAB.Mul(xBC) is xAC.
func (x Pose) Mul(y Pose) Pose {
	return Pose{R: x.R.Mul(y.R).Normalized(), P: x.P.Add(x.R.Rotate(y.P))}
}

// Inv returns xBA for xAB.
func (x Pose) Inv() Pose {
	r := x.R.Inv()
	return Pose{R: r, P: r.Rotate(x.P).Scale(-1)}
}

// Apply takes a point from frame B to frame A.
func (x Pose) Apply(p Vec3) Vec3 { return x.P.Add(x.R.Rotate(p)) }

// Gap returns how far y is from x: metres between the origins and the true
// rotation angle in rad.
func (x Pose) Gap(y Pose) (dist, angle float64) {
	return y.P.Sub(x.P).Norm(), x.R.Inv().Mul(y.R).Angle()
}
