package sim

import (
	"fmt"
	"math"
	"time"

	"twinrig"
)

// Params are the world's physical parameters that calibration may change.
type Params struct {
	// Armature is the rotor inertia seen at each joint, kg m^2.
	Armature twinrig.Joints
	// Damping is viscous friction, Nm s/rad; Friction is Coulomb friction, Nm.
	Damping, Friction twinrig.Joints
	// FingerArmature (kg), FingerDamping (N s/m) and FingerFriction (N) are
	// the same of one finger.
	FingerArmature, FingerDamping, FingerFriction float64
	// PadFriction is the sliding friction coefficient of the finger pads
	// against whatever they touch.
	PadFriction float64
	// Payload is a mass in kg fixed at the pinch point that the arm's own model does
	// not know of. It touches nothing.
	Payload float64
	// Gravity is in m/s^2, downwards.
	Gravity float64
	// Timestep is the physics step.
	Timestep time.Duration
}

// NominalParams are those of an arm that nobody has measured.
//
// Armature: no rotor inertia of the servos is published. A rotor of their size
// has 1e-7 to 2e-7 kg m^2, which is 0.0125 to 0.025 kg m^2 through the XM430's
// 353.5:1 gear and 0.007 to 0.013 through the XL430's 258.5:1; the shoulder and
// the elbow have two servos. Friction is that of the URDF on all joints
// (branch main), damping that of its branch humble. The fingers' armature stands
// for the XL430's rotor seen through the crank, a quarter of it: all of it would
// be 20 kg a finger, and nobody has measured it. Pad friction is that of rubber on
// plastic.
func NominalParams() Params {
	return Params{
		Armature:       twinrig.Joints{0.02, 0.04, 0.04, 0.02, 0.02, 0.01},
		Damping:        twinrig.Joints{0.1, 0.1, 0.1, 0.1, 0.1, 0.1},
		Friction:       twinrig.Joints{0.1, 0.1, 0.1, 0.1, 0.1, 0.1},
		FingerArmature: 5,
		FingerDamping:  4,
		FingerFriction: 0.1,
		PadFriction:    1.5,
		Gravity:        9.81,
		Timestep:       2 * time.Millisecond,
	}
}

// Validate names the first parameter that is out of its limits.
func (p *Params) Validate() error {
	inRange := func(key string, v, lo, hi float64) error {
		if !(v >= lo && v <= hi) {
			return fmt.Errorf("sim: params: %s: %g is outside %g to %g", key, v, lo, hi)
		}
		return nil
	}
	for i := range twinrig.NumJoints {
		name := twinrig.AxisNames[i]
		for _, err := range []error{
			inRange("armature of "+name, p.Armature[i], 0, 1),
			inRange("damping of "+name, p.Damping[i], 0, 100),
			inRange("friction of "+name, p.Friction[i], 0, 20),
		} {
			if err != nil {
				return err
			}
		}
	}
	for _, err := range []error{
		inRange("armature of fingers", p.FingerArmature, 0, 100),
		inRange("damping of fingers", p.FingerDamping, 0, 1e4),
		inRange("friction of fingers", p.FingerFriction, 0, 100),
		inRange("friction of pads", p.PadFriction, 0, 10),
		inRange("payload", p.Payload, 0, 2),
		inRange("gravity", p.Gravity, 0, 30),
		inRange("timestep in ms", float64(p.Timestep)/float64(time.Millisecond), 0.1, 10),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// seconds is a duration as MuJoCo counts it.
func seconds(d time.Duration) float64 { return float64(d) / float64(time.Second) }

// finite tells whether no value is NaN or infinite.
func finite(vs ...float64) bool {
	for _, v := range vs {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
