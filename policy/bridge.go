package policy

import (
	"math"

	"twinrig"
)

// bridgeDown is Bridge's DEFAULT_ROT as a quaternion: the rotation of E in B
// when the gripper points straight down with its fingers opening along y. As a
// matrix: [[0 0 1] [0 1 0] [-1 0 0]] (rail-berkeley/bridge_data_robot).
var bridgeDown = twinrig.Quat{math.Sqrt2 / 2, 0, math.Sqrt2 / 2, 0}

// BridgeState is Bridge's proprioception: x y z (m), roll pitch yaw (rad,
// R = Rz Ry Rx, all 0 when the gripper points straight down), gripper. The
// gripper number is one finger's position less 10 mm, by 25 mm, so that this
// arm's travel of 15 to 37 mm reads 0.2 to 1.08
// (rail-berkeley/bridge_data_robot, custom_gripper_controller.py).
type BridgeState [7]float64

// bridgeGripZero and bridgeGripSpan are that scale, m.
const (
	bridgeGripZero = 0.010
	bridgeGripSpan = 0.025
)

// StateFromPose gives the Bridge state of an end-effector pose and opening.
func StateFromPose(xBE twinrig.Pose, grip twinrig.Grip) BridgeState {
	roll, pitch, yaw := xBE.R.Mul(bridgeDown.Inv()).RPY()
	return BridgeState{xBE.P[0], xBE.P[1], xBE.P[2], roll, pitch, yaw, (grip.Finger() - bridgeGripZero) / bridgeGripSpan}
}

// PoseFromState is the inverse of StateFromPose.
func PoseFromState(s BridgeState) (twinrig.Pose, twinrig.Grip) {
	return twinrig.Pose{
		R: twinrig.QuatFromRPY(s[3], s[4], s[5]).Mul(bridgeDown).Normalized(),
		P: twinrig.Vec3{s[0], s[1], s[2]},
	}, GripFromBridge(s[6])
}

// GripFromBridge is the opening that Bridge's gripper number means, in states and
// actions alike. It is not clipped to this arm's travel.
func GripFromBridge(v float64) twinrig.Grip {
	return twinrig.GripFromFinger(bridgeGripZero + bridgeGripSpan*v)
}

// MoveByAction applies a Bridge delta to a target pose: the rotation is about
// the base's axes through the target's own point, so it turns the hand in
// place, whatever the hand's attitude.
func MoveByAction(xBE twinrig.Pose, a twinrig.Action) twinrig.Pose {
	return twinrig.Pose{
		R: twinrig.QuatFromRPY(a[3], a[4], a[5]).Mul(xBE.R).Normalized(),
		P: xBE.P.Add(twinrig.Vec3{a[0], a[1], a[2]}),
	}
}

// ActionBetween is the Bridge delta that MoveByAction takes from one pose to
// another, with the gripper number given.
func ActionBetween(from, to twinrig.Pose, gripper float64) twinrig.Action {
	d := to.P.Sub(from.P)
	roll, pitch, yaw := to.R.Mul(from.R.Inv()).Normalized().RPY()
	return twinrig.Action{d[0], d[1], d[2], roll, pitch, yaw, gripper}
}
