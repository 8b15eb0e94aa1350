package twinrig

import "math"

// Gains are the host's joint-space PD gains for ModeTorque: Nm/rad and Nm s/rad.
type Gains struct{ Kp, Kd Joints }

// Effort is the torque law
//
//	tau = Kp (goal - measured) + Kd (goalVelocity - velocity) + gravity
//
// with gravity the torque in Nm that holds the arm still at the measured pose.
// It does not limit the result.
func (g *Gains) Effort(goal *Goal, s *State, gravity Joints) Joints {
	var tau Joints
	for i := range tau {
		tau[i] = g.Kp[i]*(goal.Joints[i]-s.Measured[i]) +
			g.Kd[i]*(goal.Velocity[i]-s.Velocity[i]) + gravity[i]
	}
	return tau
}

// GravityOffset is ModePosition's law: the goal that lets a servo of the given
// stiffness (Nm/rad) stand at goal under the gravity torque (Nm). A joint whose
// stiffness is not known (0) gets no offset.
func GravityOffset(goal, gravity, stiffness Joints) Joints {
	for i := range goal {
		if stiffness[i] > 0 {
			goal[i] += gravity[i] / stiffness[i]
		}
	}
	return goal
}

// ClampEffort limits tau to ±limit per joint and tells whether it cut any. NaN
// stays NaN.
func ClampEffort(tau, limit Joints) (Joints, bool) {
	cut := false
	for i := range tau {
		if math.Abs(tau[i]) > limit[i] {
			tau[i] = math.Copysign(limit[i], tau[i])
			cut = true
		}
	}
	return tau, cut
}
