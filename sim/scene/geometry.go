package scene

import (
	"math"

	"twinrig"
)

// How bowls and plates are built, m.
const (
	wallThickness  = 0.005
	floorThickness = 0.006
	wallParts      = 16
)

// Numbers of SIMPLER's relation checks, m.
const (
	onMargin = 0.003
	onGap    = 0.020
)

// innerRadius is the radius in m of the circle inside the walls of a bowl or
// plate, whose outer edges stand on the circle of Size.
func (o *Object) innerRadius() float64 {
	return o.Size[0]/2*math.Cos(math.Pi/wallParts) - wallThickness
}

// lowest is the z in B of the object's lowest point, its frame O standing at xBO.
func (o *Object) lowest(xBO twinrig.Pose) float64 { return xBO.P[2] - o.halfHeight(xBO.R) }

// halfHeight is how far the object reaches below and above its centre when it
// is turned by rBO.
func (o *Object) halfHeight(rBO twinrig.Quat) float64 {
	e, z := o.Extent(), rBO.Matrix()[2]
	switch o.Shape {
	case Box, Napkin:
		return (e[0]*math.Abs(z[0]) + e[1]*math.Abs(z[1]) + e[2]*math.Abs(z[2])) / 2
	case Sphere:
		return e[0] / 2
	default:
		return (e[2]*math.Abs(z[2]) + e[0]*math.Sqrt(max(0, 1-z[2]*z[2]))) / 2
	}
}

// upright tells whether the object's z axis leans less than the angle in rad.
func upright(rBO twinrig.Quat, lean float64) bool { return rBO.Matrix()[2][2] > math.Cos(lean) }

// related tells whether source a stands in the scene's relation to target b,
// by geometry alone. On: a's centre over b within half of b's diagonal and
// 3 mm, and a's lowest point above b's centre and at most 20 mm over b's top.
// In: a's centre inside b's hollow and lower than b's rim and a's half height.
// What lies in a bowl is on it as well.
func (s *Scene) related(xBA, xBB twinrig.Pose) bool {
	a, b := s.Source(), s.Target()
	p := xBB.Inv().Apply(xBA.P)
	xy := math.Hypot(p[0], p[1])
	halfA, e := a.halfHeight(xBA.R), b.Extent()
	in := b.Shape == Bowl && xy <= b.innerRadius() && p[2] > -e[2]/2 && p[2] <= e[2]/2+halfA
	if s.Relation == In || in {
		return in
	}
	top := e[2] / 2
	return xy <= math.Hypot(e[0], e[1])/2+onMargin && p[2] > 0 && p[2]-halfA-top <= onGap
}

// outlineGap is the distance in m on the table from a point to the object's
// outline circle, 0 inside.
func (o *Object) outlineGap(xBO twinrig.Pose, p twinrig.Vec3) float64 {
	return max(0, math.Hypot(p[0]-xBO.P[0], p[1]-xBO.P[1])-o.Radius())
}
