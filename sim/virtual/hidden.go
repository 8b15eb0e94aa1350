package virtual

import (
	"math"
	"math/rand/v2"
	"time"

	"twinrig"
	"twinrig/sim"
)

// Hidden is how the virtual world differs from the model that everybody else
// knows. Nobody but the world itself reads it: calibration has to find it.
type Hidden struct {
	// Params are the true physics of the arm.
	Params sim.Params
	// TorqueScale multiplies each servo's torque constant.
	TorqueScale [NumServos]float64
	// CommandDelay is how long each servo takes to act on a goal.
	CommandDelay [NumServos]time.Duration
	// Backlash is the play in rad between each servo's shaft and its link.
	Backlash twinrig.Joints
	// MassScale and FrictionScale multiply those of the objects.
	MassScale, FrictionScale float64
	// CameraFromCamera is the true optical frame in the one that is believed.
	CameraFromCamera twinrig.Pose
	// HeldFromHeld is how the board is truly held in how it is meant to be,
	// BoardOnTable where in B the operator lays it, face up.
	HeldFromHeld, BoardOnTable twinrig.Pose
}

// NoHidden is a world without differences.
func NoHidden() Hidden {
	h := Hidden{
		Params: sim.NominalParams(), MassScale: 1, FrictionScale: 1,
		CameraFromCamera: twinrig.IdentityPose, HeldFromHeld: twinrig.IdentityPose,
		BoardOnTable: twinrig.Pose{R: twinrig.QuatFromRPY(math.Pi, 0, math.Pi/2), P: twinrig.Vec3{0.26, 0, BoardThickM}},
	}
	for i := range h.TorqueScale {
		h.TorqueScale[i] = 1
	}
	return h
}

// hiddenStream keeps these draws apart from others of the same seed.
const hiddenStream = 0x68696464

// DrawHidden draws the differences of one arm from a seed. The ranges are those
// by which arms of one make differ from each other and from their data sheets:
// gears that run easier or harder than the URDF's 0.1 Nm, torque constants 10 %
// low to 4 % high, play of a quarter degree.
func DrawHidden(seed uint64) Hidden {
	rng := rand.New(rand.NewPCG(seed, hiddenStream))
	between := func(lo, hi float64) float64 { return lo + rng.Float64()*(hi-lo) }
	h := NoHidden()
	p := &h.Params
	for i := range twinrig.NumJoints {
		p.Armature[i] *= between(0.7, 1.5)
		p.Damping[i] *= between(0.5, 2)
		p.Friction[i] *= between(0.6, 1.8)
		h.Backlash[i] = between(0.05, 0.25) * math.Pi / 180
	}
	p.FingerDamping *= between(0.7, 1.4)
	p.FingerFriction *= between(0.5, 2)
	p.PadFriction *= between(0.7, 1.1)
	for i := range h.TorqueScale {
		h.TorqueScale[i] = between(0.90, 1.04)
		h.CommandDelay[i] = time.Duration(between(0.5, 3) * float64(time.Millisecond))
	}
	h.MassScale = between(0.8, 1.25)
	h.FrictionScale = between(0.8, 1.2)
	axis := twinrig.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
	h.CameraFromCamera = twinrig.Pose{
		R: twinrig.QuatFromAxisAngle(axis.Scale(1/axis.Norm()), between(0.2, 1)*math.Pi/180),
		P: twinrig.Vec3{between(-0.005, 0.005), between(-0.005, 0.005), between(-0.005, 0.005)},
	}
	h.HeldFromHeld = twinrig.Pose{
		R: twinrig.QuatFromRPY(between(-4, 4)*math.Pi/180, between(-4, 4)*math.Pi/180, between(-4, 4)*math.Pi/180),
		P: twinrig.Vec3{between(-0.004, 0.004), between(-0.004, 0.004), between(-0.004, 0.004)},
	}
	h.BoardOnTable = twinrig.Pose{
		R: twinrig.QuatFromRPY(math.Pi, 0, math.Pi/2+between(-0.5, 0.5)),
		P: twinrig.Vec3{between(0.24, 0.28), between(-0.04, 0.04), BoardThickM},
	}
	return h
}
