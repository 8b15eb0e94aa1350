package sim

import (
	"math"

	"twinrig"
)

// arm writes the WidowX: a chain of bodies, each with its inertia, the joint
// that carries it, what is seen and what is felt.
func (m *mjcf) arm() {
	m.open("body", "name", baseLink.name)
	m.inertial(&baseLink)
	m.parts(baseParts)
	for i := range chain {
		l := movingLinks[i]
		if i == twinrig.WristRotate {
			l = handLink()
		}
		m.open("body", "name", l.name, "pos", chain[i].origin)
		m.inertial(&l)
		m.leaf("joint", "name", twinrig.AxisNames[i], "type", "hinge", "axis", unit(chain[i].axis),
			"range", []float64{twinrig.PositionLimits.Lower[i], twinrig.PositionLimits.Upper[i]},
			"armature", m.params.Armature[i], "damping", m.params.Damping[i], "frictionloss", m.params.Friction[i])
		m.parts(linkParts[i])
	}
	for i := range m.carried {
		g := m.carried[i]
		if g.Pose == (twinrig.Pose{}) {
			g.Pose = twinrig.IdentityPose
		}
		g.Pose.P[0] += pinchX
		m.geom(&g, "seen", "material", "object", "rgba", m.colour(&g))
	}
	m.leaf("site", "name", "pinch", "pos", twinrig.Vec3{pinchX, 0, 0}, "size", 0.001, "group", 4)
	m.payload()
	m.finger(LeftFingerName, 1)
	m.finger(RightFingerName, -1)
	for range len(chain) + 1 {
		m.close()
	}
}

// payload writes what the hand carries, a ball of 40 mm.
func (m *mjcf) payload() {
	const radius = 0.02
	if m.params.Payload == 0 {
		return
	}
	j := 0.4 * m.params.Payload * radius * radius
	m.open("body", "name", "payload", "pos", twinrig.Vec3{pinchX, 0, 0})
	m.leaf("inertial", "pos", twinrig.Vec3{}, "mass", m.params.Payload, "diaginertia", twinrig.Vec3{j, j, j})
	m.close()
}

// finger writes one finger; side is +1 for the left one, which opens along +y.
func (m *mjcf) finger(name string, side float64) {
	l := fingerLink
	l.inertia[3] *= side // the right finger is the left one's mirror image in y
	travel := []float64{twinrig.FingerClosed, twinrig.FingerOpen}
	if side < 0 {
		travel = []float64{-twinrig.FingerOpen, -twinrig.FingerClosed}
	}
	m.open("body", "name", name, "pos", twinrig.Vec3{fingersX, 0, 0})
	m.inertial(&l)
	m.leaf("joint", "name", name, "type", "slide", "axis", "0 1 0", "range", travel,
		"armature", m.params.FingerArmature, "damping", m.params.FingerDamping, "frictionloss", m.params.FingerFriction)
	for _, p := range fingerParts {
		p.Pose.P[1] *= side
		p.Pose.R[1], p.Pose.R[3] = side*p.Pose.R[1], side*p.Pose.R[3]
		m.part(&p)
	}
	m.close()
}

// coupling makes the fingers mirror each other, as the crank does.
func (m *mjcf) coupling() {
	m.open("equality")
	m.leaf("joint", "name", "fingers", "joint1", RightFingerName, "joint2", LeftFingerName,
		"polycoef", "0 -1 0 0 0", "solref", ".004 1", "solimp", ".98 .999 .0001")
	m.close()
}

func (m *mjcf) inertial(l *link) {
	m.leaf("inertial", "pos", l.com, "mass", l.mass, "fullinertia", l.inertia[:])
}

func unit(axis int) twinrig.Vec3 {
	var v twinrig.Vec3
	v[axis] = 1
	return v
}

// part is one primitive of the arm: seen, of one of the materials in look.go, or
// felt; pad makes it a finger pad.
type part struct {
	Geom
	material string
	pad      bool
}

func (m *mjcf) parts(ps []part) {
	for i := range ps {
		m.part(&ps[i])
	}
}

func (m *mjcf) part(p *part) {
	switch {
	case p.material != "":
		m.geom(&p.Geom, "seen", "material", p.material)
	case p.pad:
		m.geom(&p.Geom, "pad")
	default:
		m.geom(&p.Geom, "arm")
	}
}

// at is a primitive standing in its link's axes.
func at(material string, s Shape, x, y, z, sx, sy, sz float64) part {
	return part{
		Geom: Geom{
			Shape: s, Size: twinrig.Vec3{sx, sy, sz},
			Pose: twinrig.Pose{R: twinrig.IdentityQuat, P: twinrig.Vec3{x, y, z}},
		},
		material: material,
	}
}

// along is a cylinder or capsule of the given diameter and length along an axis.
func along(material string, s Shape, axis int, x, y, z, d, length float64) part {
	p := at(material, s, x, y, z, d, d, length)
	switch axis {
	case axisX:
		p.Pose.R = twinrig.QuatFromAxisAngle(twinrig.Vec3{0, 1, 0}, math.Pi/2)
	case axisY:
		p.Pose.R = twinrig.QuatFromAxisAngle(twinrig.Vec3{1, 0, 0}, -math.Pi/2)
	}
	return p
}
