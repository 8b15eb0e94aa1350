package sim

import (
	"math"

	"twinrig"
)

// standardGravity is what Gravity reckons with, m/s^2.
const standardGravity = 9.81

// Kinematics is the arm's geometry and weight, in closed form, from the same
// table of numbers as the MuJoCo model. It needs no MuJoCo, allocates nothing,
// and changes nothing: goroutines may share it.
type Kinematics struct {
	// lumps are what hangs behind each joint: mass and centre of mass in the
	// joint's link.
	lumps [twinrig.NumJoints]link
	// upper and fore are the lengths shoulder to elbow and elbow to wrist;
	// bend is the angle of the first against its link's z axis.
	upper, fore, bend float64
	// tool is from the wrist's centre to E.
	tool float64
}

// NewKinematics prepares the constants.
func NewKinematics() *Kinematics {
	k := &Kinematics{lumps: movingLinks}
	finger := fingerLink
	finger.com[0] += fingersX
	k.lumps[twinrig.WristRotate] = merge("hand", []link{handLink(), finger, finger})

	elbow := chain[twinrig.Elbow].origin
	k.upper = math.Hypot(elbow[0], elbow[2])
	k.bend = math.Atan2(elbow[0], elbow[2])
	k.fore = chain[twinrig.ForearmRoll].origin[0] + chain[twinrig.WristAngle].origin[0]
	k.tool = chain[twinrig.WristRotate].origin[0] + pinchX
	return k
}

// frames are the links' frames in B at one pose of the arm.
type frames struct {
	origin, axis [twinrig.NumJoints]twinrig.Vec3
	cols         [twinrig.NumJoints][3]twinrig.Vec3 // columns of rB(link)
	pinch        twinrig.Vec3
}

// at walks the chain from the base to E.
func (f *frames) at(q *twinrig.Joints) {
	p := twinrig.Vec3{}
	c := [3]twinrig.Vec3{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
	for i := range chain {
		j := &chain[i]
		p = place(p, &c, j.origin)
		f.origin[i], f.axis[i] = p, c[j.axis]
		// turning about one axis mixes the other two columns
		a, b := (j.axis+1)%3, (j.axis+2)%3
		s, co := math.Sincos(q[i])
		ca, cb := c[a], c[b]
		c[a] = ca.Scale(co).Add(cb.Scale(s))
		c[b] = cb.Scale(co).Sub(ca.Scale(s))
		f.cols[i] = c
	}
	f.pinch = p.Add(c[0].Scale(pinchX))
}

// place is a point v of the frame with origin p and axes c.
func place(p twinrig.Vec3, c *[3]twinrig.Vec3, v twinrig.Vec3) twinrig.Vec3 {
	for i := range v {
		if v[i] != 0 {
			p = p.Add(c[i].Scale(v[i]))
		}
	}
	return p
}

// Forward returns xBE, the pose of the pinch point in the base.
func (k *Kinematics) Forward(q twinrig.Joints) twinrig.Pose {
	var f frames
	f.at(&q)
	return twinrig.Pose{R: rotation(&f.cols[twinrig.WristRotate]), P: f.pinch}
}

// rotation is the quaternion of a frame's axes.
func rotation(c *[3]twinrig.Vec3) twinrig.Quat {
	return twinrig.QuatFromMatrix([3][3]float64{
		{c[0][0], c[1][0], c[2][0]},
		{c[0][1], c[1][1], c[2][1]},
		{c[0][2], c[1][2], c[2][2]},
	})
}

// Jacobian returns how E moves per rad/s of each joint: rows 0 to 2 are its
// velocity in m/s, rows 3 to 5 its angular velocity in rad/s, both in B.
func (k *Kinematics) Jacobian(q twinrig.Joints) [6]twinrig.Joints {
	var f frames
	f.at(&q)
	var jac [6]twinrig.Joints
	for i := range chain {
		v := f.axis[i].Cross(f.pinch.Sub(f.origin[i]))
		for r := range 3 {
			jac[r][i], jac[r+3][i] = v[r], f.axis[i][r]
		}
	}
	return jac
}

// Gravity returns the torque in Nm that the motors supply when the arm stands
// still at q. The finger opening does not matter: the fingers balance.
func (k *Kinematics) Gravity(q twinrig.Joints) twinrig.Joints {
	var f frames
	f.at(&q)
	var tau twinrig.Joints
	// mass and first moment of all that hangs behind the joint, from the hand on
	mass, moment := 0.0, twinrig.Vec3{}
	for i := twinrig.NumJoints - 1; i >= 0; i-- {
		l := &k.lumps[i]
		mass += l.mass
		moment = moment.Add(place(f.origin[i], &f.cols[i], l.com).Scale(l.mass))
		// axis . (arm x weight), the weight turned upwards
		x, y := moment[0]-mass*f.origin[i][0], moment[1]-mass*f.origin[i][1]
		tau[i] = standardGravity * (f.axis[i][0]*y - f.axis[i][1]*x)
	}
	return tau
}

// Origins are where each joint's axis is, in B, and last the pinch point E.
func (k *Kinematics) Origins(q twinrig.Joints) [twinrig.NumJoints + 1]twinrig.Vec3 {
	var f frames
	f.at(&q)
	var p [twinrig.NumJoints + 1]twinrig.Vec3
	copy(p[:], f.origin[:])
	p[twinrig.NumJoints] = f.pinch
	return p
}
