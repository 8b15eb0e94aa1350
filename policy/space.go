package policy

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"twinrig"
)

// Space names what the seven numbers of an action mean. It is declared by a policy's
// metadata or by the rig file, never guessed.
type Space string

// The spaces. The gripper number is last; in all but BridgeDelta it is the wanted
// opening, 0 closed to 1 open.
const (
	// BridgeDelta is BridgeData V2's action: dx dy dz (m) and droll dpitch
	// dyaw (rad) about the base's axes through the end effector, applied to
	// the previous target, and a gripper number of which less than 0.5 means
	// close and the rest means open.
	BridgeDelta Space = "bridge_delta"
	// BridgeDeltaContinuous is BridgeDelta with the gripper's wanted opening.
	BridgeDeltaContinuous Space = "bridge_delta_continuous"
	// EEPose is where E shall be in B: x y z (m) and BridgeState's roll pitch
	// yaw (rad, R = Rz Ry Rx, all 0 when the gripper points straight down).
	EEPose Space = "ee_pose"
	// JointPosition is where the joints shall be, base first, rad.
	JointPosition Space = "joint_position"
	// JointDelta is how far the joints shall turn from the previous goal, rad.
	JointDelta Space = "joint_delta"
)

// Spaces are all that are known.
func Spaces() []Space {
	return []Space{BridgeDelta, BridgeDeltaContinuous, EEPose, JointPosition, JointDelta}
}

func (s Space) validate() error {
	if slices.Contains(Spaces(), s) {
		return nil
	}
	var known []string
	for _, k := range Spaces() {
		known = append(known, string(k))
	}
	return fmt.Errorf("policy: space %q is not known (known: %s)", s, strings.Join(known, ", "))
}

// Relative tells whether an action is a motion rather than a place.
func (s Space) Relative() bool { return s != EEPose && s != JointPosition }

// Names are what the numbers are called.
func (s Space) Names() [twinrig.NumAxes]string {
	switch s {
	case EEPose:
		return [twinrig.NumAxes]string{"x", "y", "z", "roll", "pitch", "yaw", "gripper"}
	case JointPosition:
		return twinrig.AxisNames
	case JointDelta:
		names := twinrig.AxisNames
		for i := range twinrig.GripAxis {
			names[i] = "d" + names[i]
		}
		return names
	default:
		return [twinrig.NumAxes]string{"dx", "dy", "dz", "droll", "dpitch", "dyaw", "gripper"}
	}
}

// reach bounds a position's numbers, m: this arm's is less.
const reach = 1

// bound is the most that number k of one action may be, either way. Of places it only
// tells nonsense such as degrees or millimetres: how far one is from the place before,
// and whether the arm can be there, the Composer knows.
func (s Space) bound(k int, cfg *Config) float64 {
	place := k < 3
	switch {
	case s == EEPose && place:
		return reach
	case s == EEPose || s == JointPosition:
		return 2 * math.Pi
	case s == JointDelta:
		return cfg.MaxJointStep
	case place:
		return cfg.MaxTranslation
	default:
		return cfg.MaxRotation
	}
}
