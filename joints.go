package twinrig

import (
	"fmt"
	"math"
)

// NumJoints is the number of revolute joints between base and hand.
const NumJoints = 6

// Joint indices, base first, in the order of every Joints value.
const (
	Waist = iota
	Shoulder
	Elbow
	ForearmRoll
	WristAngle
	WristRotate
)

// NumAxes counts the joints and the gripper; GripAxis is the gripper's index
// in per-axis arrays.
const (
	NumAxes  = NumJoints + 1
	GripAxis = NumJoints
)

// AxisNames are the field's names of the axes (Interbotix wx250s), base first.
var AxisNames = [NumAxes]string{
	"waist", "shoulder", "elbow", "forearm_roll", "wrist_angle", "wrist_rotate", "gripper",
}

// Joints is one value per joint, base first. What the value is (rad, rad/s,
// Nm) the name of the variable or field says. It is an array: a copy is a
// value and allocates nothing.
type Joints [NumJoints]float64

// Add returns j + k, joint by joint.
func (j Joints) Add(k Joints) Joints {
	for i := range j {
		j[i] += k[i]
	}
	return j
}

// Sub returns j - k, joint by joint.
func (j Joints) Sub(k Joints) Joints {
	for i := range j {
		j[i] -= k[i]
	}
	return j
}

// Scale returns a*j.
func (j Joints) Scale(a float64) Joints {
	for i := range j {
		j[i] *= a
	}
	return j
}

// MaxAbs returns the largest absolute value; NaN if any value is NaN.
func (j Joints) MaxAbs() float64 {
	m := 0.0
	for _, v := range j {
		m = math.Max(m, math.Abs(v))
	}
	return m
}

// Finite tells whether no value is NaN or infinite.
func (j Joints) Finite() bool {
	for _, v := range j {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// Limits is a closed range per joint.
type Limits struct{ Lower, Upper Joints }

// Clamp returns j moved into the limits. NaN stays NaN.
func (l *Limits) Clamp(j Joints) Joints {
	for i := range j {
		if j[i] < l.Lower[i] {
			j[i] = l.Lower[i]
		} else if j[i] > l.Upper[i] {
			j[i] = l.Upper[i]
		}
	}
	return j
}

// Check names the first joint that is outside the limits or not a number.
func (l *Limits) Check(j Joints) error {
	for i, v := range j {
		if !(v >= l.Lower[i] && v <= l.Upper[i]) {
			return fmt.Errorf("%s at %.4f rad is outside its limits %.4f to %.4f rad",
				AxisNames[i], v, l.Lower[i], l.Upper[i])
		}
	}
	return nil
}

// PositionLimits are the joint limits of the WidowX 250S in rad, from its URDF
// (Interbotix/interbotix_ros_manipulators main, wx250s.urdf.xacro).
var PositionLimits = Limits{
	Lower: Joints{-3.1415826536, -1.8849555922, -2.1467549800, -3.1415826536, -1.7453292520, -3.1415826536},
	Upper: Joints{3.1415826536, 1.9896753473, 1.6057029118, 3.1415826536, 2.1467549800, 3.1415826536},
}

// MaxVelocity is the URDF's velocity limit of each joint, rad/s.
var MaxVelocity = Joints{3.141593, 3.141593, 3.141593, 3.141593, 3.141593, 3.141593}

// MaxEffort is the URDF's effort limit of each joint, Nm.
var MaxEffort = Joints{10, 20, 15, 2, 5, 1}

// Named poses of the WidowX 250S, rad.
var (
	HomePose  = Joints{}
	SleepPose = Joints{0, -1.80, 1.55, 0, 0.8, 0}
)

// Grip is the gripper's opening: 0 closed, 1 open, by the URDF's finger travel
// of 15 to 37 mm. Metres of travel stay inside drivers/widowx and sim.
type Grip float64

// Finger travel of one finger of the WidowX 250S, metres (URDF left_finger).
const (
	FingerClosed = 0.015
	FingerOpen   = 0.037
)

// GripFromFinger turns one finger's joint position in metres into a Grip. It
// does not clip: a finger squeezed past its stop reads below 0.
func GripFromFinger(m float64) Grip {
	return Grip((m - FingerClosed) / (FingerOpen - FingerClosed))
}

// Finger returns the one-finger joint position in metres.
func (g Grip) Finger() float64 {
	return FingerClosed + float64(g)*(FingerOpen-FingerClosed)
}
