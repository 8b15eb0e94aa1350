package sim

import (
	"math"

	"twinrig"
)

// Servo is a position-controlled servo as its joint feels it: a spring to the
// goal whose torque saturates, and the motor's back-EMF as a damper.
type Servo struct {
	// Stiffness is torque per error, Nm/rad; for the gripper N/m.
	Stiffness float64
	// Stall is the largest torque in Nm (gripper: force on one finger in N).
	Stall float64
	// Damping is torque per speed, Nm s/rad (gripper: N s/m).
	Damping float64
}

// output is the torque towards goal, and the share of the drive in use, -1 to 1.
func (s *Servo) output(goal, pos, vel float64) (torque, share float64) {
	share = math.Max(-1, math.Min(1, s.Stiffness*(goal-pos)/s.Stall))
	return share*s.Stall - s.Damping*vel, share
}

// ArmConfig is how an Arm's motors behave.
type ArmConfig struct {
	Mode twinrig.Mode
	// Servos are the joints under position control: all of them in
	// ModePosition, wrist_rotate alone in ModeTorque.
	Servos [twinrig.NumJoints]Servo
	// Gripper moves one finger; the other mirrors it.
	Gripper Servo
	// EffortLimit is the largest torque in Nm that ModeTorque applies.
	EffortLimit twinrig.Joints
}

// DefaultArmConfig is the WidowX 250S as shipped, at 12 V.
//
// XM430-W350 (e-manual): stall 4.1 Nm, 46 rpm without load, so 0.851 Nm s/rad
// of back-EMF; 18.9 Nm/rad with the default position P gain of 800. Shoulder
// and elbow have two each. XL430-W250: stall 1.5 Nm, 61 rpm, so 0.235 Nm s/rad;
// 5.52 Nm/rad with P 640. The gripper's XL430 at 28 % of its PWM, through the
// crank at 14.5 mm/rad and on two fingers: 14.5 N on each, 560 N s/m, so 26 mm/s
// without load.
func DefaultArmConfig(mode twinrig.Mode) ArmConfig {
	xm := Servo{Stiffness: 18.9, Stall: 4.1, Damping: 0.851}
	dual := Servo{Stiffness: 2 * xm.Stiffness, Stall: 2 * xm.Stall, Damping: 2 * xm.Damping}
	xl := Servo{Stiffness: 5.52, Stall: 1.5, Damping: 0.235}
	return ArmConfig{
		Mode:        mode,
		Servos:      [twinrig.NumJoints]Servo{xm, dual, dual, xm, xm, xl},
		Gripper:     Servo{Stiffness: 13000, Stall: 14.5, Damping: 560},
		EffortLimit: twinrig.MaxEffort,
	}
}
