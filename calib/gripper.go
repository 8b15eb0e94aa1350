package calib

import "math"

// Finger returns one finger's joint position in m at a crank angle in rad
// (Interbotix xs_sdk, convert_angular_position_to_linear). Angle 0 is the horn
// at right angles to the fingers' travel; positive opens.
func (g *Gripper) Finger(angle float64) float64 {
	s, c := math.Sincos(angle)
	return g.HornM*s + math.Sqrt(g.ArmM*g.ArmM-g.HornM*g.HornM*c*c)
}

// Angle is the inverse of Finger, for angles between -pi/2 and pi/2.
func (g *Gripper) Angle(finger float64) float64 {
	return math.Pi/2 - math.Acos((g.HornM*g.HornM+finger*finger-g.ArmM*g.ArmM)/(2*g.HornM*finger))
}

// Slope is the derivative of Finger, m/rad. It is 0 at pi/2, where the crank is
// stretched.
func (g *Gripper) Slope(angle float64) float64 {
	s, c := math.Sincos(angle)
	r := g.HornM
	return r*c + r*r*c*s/math.Sqrt(g.ArmM*g.ArmM-r*r*c*c)
}
