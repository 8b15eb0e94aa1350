package sim

import "twinrig"

// link is one rigid link: mass in kg, centre of mass in m and inertia about it
// in kg m^2 (xx yy zz xy xz yz), both in the link's own axes.
type link struct {
	name    string
	mass    float64
	com     twinrig.Vec3
	inertia [6]float64
}

// Axes of the joints below.
const (
	axisX = iota
	axisY
	axisZ
)

// joint is one revolute joint: where it sits in its parent link and the axis it
// turns about, in both links' axes.
type joint struct {
	origin twinrig.Vec3
	axis   int
}

// Numbers of the WidowX 250S from its URDF (Interbotix/interbotix_ros_manipulators
// main 0bb2b0e6, interbotix_xsarm_descriptions/urdf/wx250s.urdf.xacro). Inertia
// tensors are turned into the link's axes by the URDF's inertial rpy.
var (
	chain = [twinrig.NumJoints]joint{
		{twinrig.Vec3{0, 0, 0.072}, axisZ},
		{twinrig.Vec3{0, 0, 0.03865}, axisY},
		{twinrig.Vec3{0.04975, 0, 0.25}, axisY},
		{twinrig.Vec3{0.175, 0, 0}, axisX},
		{twinrig.Vec3{0.075, 0, 0}, axisY},
		{twinrig.Vec3{0.065, 0, 0}, axisX},
	}

	baseLink = link{"base_link", 0.538736, twinrig.Vec3{-0.0380446, 0.000613892, 0.0193354}, [6]float64{0.0006921, 0.002115, 0.002524, 1.635e-05, -4.642e-05, 6.998e-07}}

	// movingLinks are the links behind each joint. The last one is only the
	// gripper_link itself: see handParts.
	movingLinks = [twinrig.NumJoints]link{
		{"shoulder_link", 0.480879, twinrig.Vec3{2.23482e-05, 4.14609e-05, 0.0066287}, [6]float64{0.0005557, 0.000379, 0.0005889, -2.2e-09, -1.2245e-06, -3.561e-07}},
		{"upper_arm_link", 0.430811, twinrig.Vec3{0.0171605, 2.725e-07, 0.191323}, [6]float64{0.003587, 0.003463, 0.0004566, 1e-10, -0.0004272, -2e-10}},
		{"upper_forearm_link", 0.234589, twinrig.Vec3{0.107963, 0.000115876, 0}, [6]float64{3.971e-05, 0.0008878, 0.000888, 2.3528e-06, 0, 0}},
		{"lower_forearm_link", 0.220991, twinrig.Vec3{0.0374395, 0.00522252, 0}, [6]float64{6.369e-05, 0.0001677, 0.0001834, 2.292e-05, 0, 0}},
		{"wrist_link", 0.084957, twinrig.Vec3{0.04236, -1.0663e-05, 0.010577}, [6]float64{2.822e-05, 3.082e-05, 3.152e-05, -1.91e-08, -2.5481e-06, 2.3e-09}},
		{"gripper_link", 0.072885, twinrig.Vec3{0.021631, 2.516e-07, 0.01141}, [6]float64{1.836e-05, 2.537e-05, 1.674e-05, 0, -4.34e-07, 0}},
	}

	// handParts are fixed to gripper_link, x being the offset of their frame
	// along its x axis. The URDF gives its three 1 g marker links an inertia of
	// 0.001 kg m^2 about each axis, which is no property of the arm and is
	// left out; their mass is kept.
	handParts = [...]struct {
		x float64
		link
	}{
		{0.043, link{"ee_arm_link", 0.001, twinrig.Vec3{}, [6]float64{}}},
		{0.0485, link{"gripper_prop_link", 0.00434, twinrig.Vec3{0.000846, -1.6817e-06, 4.2e-05}, [6]float64{1.1156e-06, 5.923e-07, 5.743e-07, 0, 4e-10, 3.195e-07}}},
		{0.043, link{"gripper_bar_link", 0.034199, twinrig.Vec3{0.009687, 8.177e-07, 0.004962}, [6]float64{2.843e-05, 7.4125e-06, 2.86e-05, 8e-10, 1.3889e-06, -6e-10}}},
		{fingersX, link{"fingers_link", 0.001, twinrig.Vec3{}, [6]float64{}}},
		{pinchX, link{"ee_gripper_link", 0.001, twinrig.Vec3{}, [6]float64{}}},
	}

	// fingerLink is each of the two fingers; they mirror each other.
	fingerLink = link{"finger_link", 0.016246, twinrig.Vec3{0.013816, 0, 0}, [6]float64{1.5506e-06, 4.731e-06, 3.7467e-06, 4.56e-07, 0, 0}}
)

const (
	// fingersX is from gripper_link to the plane in which the fingers slide,
	// pinchX to the pinch point E, along x.
	fingersX = 0.066
	pinchX   = 0.093575
	// PadInset is from a finger's frame to its inner face: the opening between
	// the faces is 2 (finger - PadInset), 8 to 52 mm.
	PadInset = 0.011
)

// handLink is gripper_link with everything that is fixed to it.
func handLink() link {
	g := movingLinks[twinrig.WristRotate]
	parts := []link{g}
	for _, p := range handParts {
		p.com[0] += p.x
		parts = append(parts, p.link)
	}
	return merge(g.name, parts)
}

// merge joins links given in the same axes.
func merge(name string, parts []link) link {
	m := link{name: name}
	for _, p := range parts {
		m.mass += p.mass
		m.com = m.com.Add(p.com.Scale(p.mass))
	}
	m.com = m.com.Scale(1 / m.mass)
	for _, p := range parts {
		r := p.com.Sub(m.com)
		rr := r[0]*r[0] + r[1]*r[1] + r[2]*r[2]
		steiner := [6]float64{
			rr - r[0]*r[0], rr - r[1]*r[1], rr - r[2]*r[2],
			-r[0] * r[1], -r[0] * r[2], -r[1] * r[2],
		}
		for i := range m.inertia {
			m.inertia[i] += p.inertia[i] + p.mass*steiner[i]
		}
	}
	return m
}
