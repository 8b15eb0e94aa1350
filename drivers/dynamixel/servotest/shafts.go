package servotest

import (
	"math"
	"time"
)

// Shafts is the mechanics behind the servos' output shafts. A Chain calls it
// from one goroutine at a time, and only inside Chain.AdvanceTo and NewChain.
type Shafts interface {
	// Advance moves the mechanics by dt under torque[i] in Nm on shaft i:
	// positive is counter-clockwise, towards larger ticks of a servo in normal
	// drive mode. torque is the caller's.
	Advance(dt time.Duration, torque []float64)
	// Shaft returns the angle in rad and the speed in rad/s of shaft i. Angle 0
	// is raw tick 2048, before the drive mode's reverse and the homing offset.
	// The angle counts turns.
	Shaft(i int) (angle, speed float64)
}

// Flywheel is an inertia on one shaft.
type Flywheel struct {
	Angle, Speed float64 // rad, rad/s
	Inertia      float64 // kg m^2, the rotor's share included
	Friction     float64 // Nm, dry
	Load         float64 // Nm, a constant torque such as a weight's
	Low, High    float64 // rad, hard stops; none if both are 0
	Blocked      bool
}

// Flywheels are independent shafts, the simplest Shafts.
type Flywheels []Flywheel

// NewFlywheels returns n shafts at rest at angle 0, about as heavy as an XM430's
// own gear train.
func NewFlywheels(n int) Flywheels {
	f := make(Flywheels, n)
	for i := range f {
		f[i] = Flywheel{Inertia: 0.02, Friction: 0.05}
	}
	return f
}

// Advance implements Shafts.
func (f Flywheels) Advance(dt time.Duration, torque []float64) {
	for i := range f {
		f[i].advance(dt.Seconds(), torque[i])
	}
}

// Shaft implements Shafts.
func (f Flywheels) Shaft(i int) (angle, speed float64) { return f[i].Angle, f[i].Speed }

// Block implements Blocker.
func (f Flywheels) Block(i int, blocked bool) { f[i].Blocked = blocked }

// advance is one semi-implicit Euler step; dry friction can stop the shaft but
// not turn it round.
func (w *Flywheel) advance(dt, torque float64) {
	if w.Blocked {
		w.Speed = 0
		return
	}
	v := w.Speed + (torque+w.Load)/w.Inertia*dt
	brake := w.Friction / w.Inertia * dt
	if math.Abs(v) <= brake {
		v = 0
	} else {
		v -= math.Copysign(brake, v)
	}
	w.Speed = v
	w.Angle += v * dt
	if w.Low == w.High {
		return
	}
	if a := min(max(w.Angle, w.Low), w.High); a != w.Angle {
		w.Angle, w.Speed = a, 0
	}
}
