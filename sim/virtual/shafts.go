package virtual

import (
	"math"

	"twinrig"
)

// NumServos is the number of servos, IDs 1 to 9.
const NumServos = 9

// mounting is how one servo sits in the arm.
type mounting struct {
	axis int
	sign float64 // +1 if the shaft turns with the joint, -1 if against it
}

// mountings by ID-1: Interbotix's wx250s.yaml. The shadows 3 and 5 and the
// wrist's 7 are mounted mirrored; their drive mode turns that around again.
var mountings = [NumServos]mounting{
	{twinrig.Waist, 1},
	{twinrig.Shoulder, 1},
	{twinrig.Shoulder, -1},
	{twinrig.Elbow, 1},
	{twinrig.Elbow, -1},
	{twinrig.ForearmRoll, 1},
	{twinrig.WristAngle, -1},
	{twinrig.WristRotate, 1},
	{twinrig.GripAxis, 1},
}

// minSlope keeps the crank's leverage finite near its stretched position, m/rad.
const minSlope = 0.004

// loads turns the servos' shaft torques into joint torques and the force on
// each finger. Both fingers move, so the crank's work is shared by two.
func (w *World) loads(torque []float64, finger float64) (effort twinrig.Joints, force float64) {
	for i, m := range mountings {
		if m.axis == twinrig.GripAxis {
			force = m.sign * torque[i] / (2 * w.slope(finger))
			continue
		}
		effort[m.axis] += m.sign * torque[i]
	}
	return effort, force
}

// shaft is the angle in rad and speed in rad/s of a servo's shaft.
func (w *World) shaft(i int) (angle, speed float64) {
	q, dq, finger, fingerVel := w.sim.Arm()
	m := mountings[i]
	if m.axis == twinrig.GripAxis {
		return m.sign * w.crank.Angle(w.inTravel(finger)), m.sign * fingerVel / w.slope(finger)
	}
	return m.sign * (q[m.axis] - w.play[m.axis]), m.sign * dq[m.axis]
}

func (w *World) slope(finger float64) float64 {
	return math.Max(w.crank.Slope(w.crank.Angle(w.inTravel(finger))), minSlope)
}

// inTravel keeps a finger that a soft stop let through where the crank's angle
// is defined.
func (w *World) inTravel(finger float64) float64 {
	reach := w.crank.HornM + w.crank.ArmM
	return math.Min(math.Max(finger, w.crank.ArmM-w.crank.HornM+1e-4), reach-1e-5)
}
