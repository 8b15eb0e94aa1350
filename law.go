package twinrig

import "math"

// Gains are the host's joint-space PD gains for ModeTorque, Nm/rad and Nm s/rad, and
// the friction that is made up for; the zero Friction is none.
type Gains struct {
	Kp, Kd   Joints
	Friction Friction
}

// Effort is the torque law
//
//	tau = Kp (goal - measured) + Kd (goalVelocity - velocity) + gravity + friction(goalVelocity)
//
// with gravity the torque in Nm that holds the arm still at the measured pose.
// It does not limit the result.
func (g *Gains) Effort(goal *Goal, s *State, gravity Joints) Joints {
	var tau Joints
	for i := range tau {
		tau[i] = g.Kp[i]*(goal.Joints[i]-s.Measured[i]) +
			g.Kd[i]*(goal.Velocity[i]-s.Velocity[i]) + gravity[i] + g.Friction.at(i, goal.Velocity[i])
	}
	return tau
}

// Friction is what the joints' motion costs.
type Friction struct {
	// Coulomb is Nm, Viscous Nm s/rad.
	Coulomb, Viscous Joints
	// Smooth is the speed in rad/s over which Coulomb friction turns round: at this
	// speed three quarters of it are there. 0 leaves Coulomb friction out.
	Smooth float64
}

// at is joint i's friction in Nm at a speed in rad/s. It is asked with the speed that
// is wanted, not the measured one: that is no feedback, so it cannot chatter, and at
// rest it is 0.
func (f *Friction) at(i int, speed float64) float64 {
	tau := f.Viscous[i] * speed
	if f.Smooth > 0 {
		tau += f.Coulomb[i] * math.Tanh(speed/f.Smooth)
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
