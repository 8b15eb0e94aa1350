package sim

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"twinrig"
)

// Arm is the arm of a World. It implements twinrig.Arm: Read is what makes time
// pass. Halt may be called from any goroutine, all else from the world's.
type Arm struct {
	world *World
	cfg   ArmConfig

	on     atomic.Bool
	now    time.Duration // how far Read has stepped
	cmd    twinrig.Command
	effort twinrig.Joints // applied in the last step
	load   [2]float64
}

var _ twinrig.Arm = (*Arm)(nil)

// NewArm drives the arm of w, torque off. The arm's time begins at w.Time().
// Only one Arm may drive a world.
func NewArm(w *World, cfg ArmConfig) (*Arm, error) {
	for i, s := range append(cfg.Servos[:], cfg.Gripper) {
		if !(s.Stiffness > 0 && s.Stall > 0 && s.Damping >= 0) {
			return nil, fmt.Errorf("sim: arm: servo of %s: %+v: stiffness and stall must be positive", twinrig.AxisNames[i], s)
		}
	}
	for i, v := range cfg.EffortLimit {
		if !(v > 0) {
			return nil, fmt.Errorf("sim: arm: effort limit of %s: %g must be positive", twinrig.AxisNames[i], v)
		}
	}
	return &Arm{world: w, cfg: cfg, now: w.Time()}, nil
}

// Enable takes torque on, holding the present pose.
func (a *Arm) Enable() error {
	q, _, finger, _ := a.world.Arm()
	a.cmd = twinrig.Command{
		Goal:   twinrig.Goal{Joints: q, Grip: twinrig.GripFromFinger(finger)},
		Effort: a.world.kin.Gravity(q).Scale(a.world.spec.Params.Gravity / standardGravity),
	}
	a.on.Store(true)
	return nil
}

// Halt takes torque off. The arm falls.
func (a *Arm) Halt() error {
	a.on.Store(false)
	return nil
}

// Read steps the world until its time reaches now, the last command being held,
// and fills s.
func (a *Arm) Read(now time.Duration, s *twinrig.State) error {
	for a.now < now {
		if err := a.step(); err != nil {
			return fmt.Errorf("sim: arm: %w", err)
		}
		a.now += a.world.Timestep()
	}
	q, dq, finger, _ := a.world.Arm()
	*s = twinrig.State{
		Stamp:    now,
		Measured: q,
		Velocity: dq,
		Effort:   a.effort,
		Load:     a.load,
		Grip:     twinrig.GripFromFinger(finger),
	}
	s.Effort[twinrig.WristRotate] = math.NaN()
	return nil
}

// step applies the motors' torques for one timestep.
func (a *Arm) step() error {
	a.effort, a.load = twinrig.Joints{}, [2]float64{}
	force := 0.0
	if a.on.Load() {
		q, dq, finger, fingerVel := a.world.Arm()
		for i := range q {
			if a.cfg.Mode == twinrig.ModeTorque && i != twinrig.WristRotate {
				a.effort[i] = a.cmd.Effort[i]
				continue
			}
			a.effort[i], a.load[0] = a.cfg.Servos[i].output(a.cmd.Joints[i], q[i], dq[i])
		}
		force, a.load[1] = a.cfg.Gripper.output(a.cmd.Grip.Finger(), finger, fingerVel)
	}
	return a.world.Step(a.effort, force)
}

// Write takes c over for the steps to come and returns it after the limits.
func (a *Arm) Write(_ time.Duration, c twinrig.Command) (twinrig.Command, error) {
	switch {
	case !a.on.Load():
		return twinrig.Command{}, fmt.Errorf("sim: %w", twinrig.ErrHalted)
	case !c.Joints.Finite() || !c.Velocity.Finite() || !c.Effort.Finite() || !finite(float64(c.Grip)):
		return twinrig.Command{}, errors.New("sim: command is not finite")
	}
	c.Joints = twinrig.PositionLimits.Clamp(c.Joints)
	c.Effort, _ = twinrig.ClampEffort(c.Effort, a.cfg.EffortLimit)
	c.Grip = max(0, min(1, c.Grip))
	a.cmd = c
	return c, nil
}
