package calib

import (
	"fmt"
	"math"
	"slices"

	"twinrig"
)

// Servo models of the WidowX 250S, as files spell them.
const (
	XM430 = "XM430-W350"
	XL430 = "XL430-W250"
)

// Arm is what was measured on the arm.
type Arm struct {
	// Motors lists every servo. The first of an axis is the one whose position
	// counts; a second one is its shadow.
	Motors []Motor `yaml:"motors"`
	// StiffnessNmPerRad is how much torque a joint under its servos' own
	// position control answers to a radian of error with.
	StiffnessNmPerRad PerJoint `yaml:"stiffness_nm_per_rad"`
	// FrictionNm is Coulomb friction, DampingNmSPerRad viscous friction.
	FrictionNm       PerJoint `yaml:"friction_nm"`
	DampingNmSPerRad PerJoint `yaml:"damping_nm_s_per_rad"`
	// Gripper is the crank that moves the fingers.
	Gripper Gripper `yaml:"gripper"`
}

// Motor is one servo and how it sits in the arm.
type Motor struct {
	// ID is the servo's bus ID, Model one of the constants above.
	ID    uint8  `yaml:"id"`
	Model string `yaml:"model"`
	// Axis is one of twinrig.AxisNames.
	Axis string `yaml:"axis"`
	// Reverse says that the servo is mounted mirrored, so that it needs its
	// drive mode's reverse bit for positive to mean the joint's positive.
	Reverse bool `yaml:"reverse"`
	// ZeroTick is the reported position, in ticks of 1/4096 turn, at which the
	// joint stands at 0 rad; for the gripper, at which the crank's angle is 0.
	// It may be fractional: it is estimated from many readings.
	ZeroTick float64 `yaml:"zero_tick"`
	// TorqueConstantNmPerA is output torque by measured current. It is 0 for a
	// model that senses no current.
	TorqueConstantNmPerA float64 `yaml:"torque_constant_nm_per_a"`
}

// Gripper is a crank of length HornM on the motor that pushes each finger
// through a rod of length ArmM.
type Gripper struct {
	HornM float64 `yaml:"horn_m"`
	ArmM  float64 `yaml:"arm_m"`
}

// AxisIndex returns the motor's axis as an index into per-axis arrays, or -1
// for a name that is no axis.
func (m *Motor) AxisIndex() int { return slices.Index(twinrig.AxisNames[:], m.Axis) }

// Validate names the first key that is out of its limit.
func (a *Arm) Validate() error {
	if err := a.validateMotors(); err != nil {
		return err
	}
	for _, c := range []error{
		a.StiffnessNmPerRad.inRange("stiffness_nm_per_rad", 0, 500),
		a.FrictionNm.inRange("friction_nm", 0, 5),
		a.DampingNmSPerRad.inRange("damping_nm_s_per_rad", 0, 5),
		inRange("gripper.horn_m", a.Gripper.HornM, 0.005, 0.05),
	} {
		if c != nil {
			return c
		}
	}
	// The rod must span the crank and reach the open finger, or the finger's
	// position has no crank angle.
	lo := math.Max(a.Gripper.HornM, twinrig.FingerOpen-a.Gripper.HornM)
	return inRange("gripper.arm_m", a.Gripper.ArmM, math.Nextafter(lo, 1), 0.1)
}

func (a *Arm) validateMotors() error {
	var count [twinrig.NumAxes]int
	seen := map[uint8]bool{}
	for i := range a.Motors {
		m := &a.Motors[i]
		key := fmt.Sprintf("motors[%d]", i)
		axis := m.AxisIndex()
		switch {
		case m.ID > 252:
			return fmt.Errorf("%s.id: %d is outside 0 to 252", key, m.ID)
		case seen[m.ID]:
			return fmt.Errorf("%s.id: %d is there twice", key, m.ID)
		case axis < 0:
			return fmt.Errorf("%s.axis: %q is none of %v", key, m.Axis, twinrig.AxisNames)
		}
		seen[m.ID] = true
		count[axis]++
		if err := m.validate(key); err != nil {
			return err
		}
	}
	for i, n := range count {
		most := 2
		if i == twinrig.GripAxis {
			most = 1
		}
		if n < 1 || n > most {
			return fmt.Errorf("motors: %s has %d, allowed are 1 to %d", twinrig.AxisNames[i], n, most)
		}
	}
	return nil
}

func (m *Motor) validate(key string) error {
	lo, hi := 0.0, 0.0
	switch m.Model {
	case XM430:
		lo, hi = 0.5, 4
	case XL430:
	default:
		return fmt.Errorf("%s.model: %q is neither %s nor %s", key, m.Model, XM430, XL430)
	}
	if err := inRange(key+".zero_tick", m.ZeroTick, 0, 4095); err != nil {
		return err
	}
	return inRange(key+".torque_constant_nm_per_a", m.TorqueConstantNmPerA, lo, hi)
}
