package mirror

import (
	"errors"

	"twinrig"
	"twinrig/sim"
)

// law is how the mirrored arm's loop is closed, and so the mirror's.
type law struct {
	mode  twinrig.Mode
	gains twinrig.Gains
	// stiffness is the servos', Nm/rad.
	stiffness twinrig.Joints
}

// kinematics is what the law and the comparison need of the model.
type kinematics interface {
	Forward(q twinrig.Joints) twinrig.Pose
	Gravity(q twinrig.Joints) twinrig.Joints
}

func newLaw(arm *sim.ArmConfig, gains twinrig.Gains) (law, error) {
	if arm.Mode == twinrig.ModeTorque && gains == (twinrig.Gains{}) {
		return law{}, errors.New("mirror: torque mode without gains")
	}
	l := law{mode: arm.Mode, gains: gains}
	for i, s := range arm.Servos {
		l.stiffness[i] = s.Stiffness
	}
	return l, nil
}

// effort fills in ModeTorque's effort for the twin's own state.
func (l *law) effort(c *twinrig.Command, s *twinrig.State, kin kinematics) {
	if l.mode == twinrig.ModeTorque {
		c.Effort = l.gains.Effort(&c.Goal, s, kin.Gravity(s.Measured))
	}
}

// offset adds to ModePosition's goal what the servos need to stand on it, or a
// share of that.
func (l *law) offset(c *twinrig.Command, kin kinematics, share float64) {
	if l.mode == twinrig.ModePosition {
		c.Joints = twinrig.GravityOffset(c.Joints, kin.Gravity(c.Joints).Scale(share), l.stiffness)
	}
}
