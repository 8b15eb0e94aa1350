package calib

import "math"

// Stall torques at 12 V, Nm, and torque constants, Nm/A, from the servos' data
// sheets (e-manual: XM430-W350 4.1 Nm at 2.3 A, XL430-W250 1.5 Nm; the XL430
// senses no current, so its constant is of no use and stays 0).
const (
	xm430StallNm   = 4.1
	xm430NmPerA    = 4.1 / 2.3
	xl430StallNm   = 1.5
	xm430PositionP = 800
	xl430PositionP = 640
)

// ServoStiffness returns the torque per radian of a servo in position mode, from
// its Position P Gain register and its stall torque in Nm. The gain is in 1/128
// of a PWM step per tick, 885 PWM steps are full output (e-manual, Position PID
// Gain), and full output stalls at stall torque.
func ServoStiffness(positionP int, stallNm float64) float64 {
	const ticksPerRad = 4096 / (2 * math.Pi)
	return float64(positionP) / 128 * ticksPerRad / 885 * stallNm
}

// Nominal returns the record of a WidowX 250S as it is shipped: motors of
// Interbotix's wx250s.yaml, constants of the data sheets, friction of the URDF
// (branch main), and the flat-table camera of SimplerEnv's Bridge set-up.
func Nominal() *Record {
	return &Record{
		Version: Version,
		Date:    "nominal",
		Source:  "WidowX 250S as shipped: data sheets and URDF; camera as in SimplerEnv's flat-table set-up; nothing measured",
		Arm:     nominalArm(),
		Camera:  nominalCamera(),
	}
}

func nominalArm() Arm {
	xm, xl := ServoStiffness(xm430PositionP, xm430StallNm), ServoStiffness(xl430PositionP, xl430StallNm)
	motor := func(id uint8, model, axis string, reverse bool) Motor {
		m := Motor{ID: id, Model: model, Axis: axis, Reverse: reverse, ZeroTick: 2048}
		if model == XM430 {
			m.TorqueConstantNmPerA = xm430NmPerA
		}
		return m
	}
	return Arm{
		Motors: []Motor{
			motor(1, XM430, "waist", false),
			motor(2, XM430, "shoulder", false),
			motor(3, XM430, "shoulder", true),
			motor(4, XM430, "elbow", false),
			motor(5, XM430, "elbow", true),
			motor(6, XM430, "forearm_roll", false),
			motor(7, XM430, "wrist_angle", true),
			motor(8, XL430, "wrist_rotate", false),
			motor(9, XL430, "gripper", false),
		},
		StiffnessNmPerRad: PerJoint{xm, 2 * xm, 2 * xm, xm, xm, xl},
		FrictionNm:        PerJoint{0.1, 0.1, 0.1, 0.1, 0.1, 0.1},
		Gripper:           Gripper{HornM: 0.014, ArmM: 0.024},
	}
}

func nominalCamera() Camera {
	return Camera{
		WidthPx: 640, HeightPx: 480,
		FxPx: 623.588, FyPx: 623.588, CxPx: 319.501, CyPx: 239.545,
		BaseFromCamera: Pose{
			PositionM:    [3]float64{0, -0.16, 0.36},
			RotationWXYZ: [4]float64{-0.339913, 0.791470, -0.466746, 0.200454},
		},
	}
}
