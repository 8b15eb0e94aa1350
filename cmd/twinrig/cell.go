package main

import (
	"errors"
	"slices"
	"time"

	"twinrig"
	"twinrig/agent"
	"twinrig/calib"
	"twinrig/configs"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/widowx"
	"twinrig/policy"
	"twinrig/sim"
)

// wireShare is the share of the rate that the wire allows at which the demo's
// loop runs: the rest is for the host.
const wireShare = 0.98

// cell is a robot cell with everything between the serial port and the runner.
// It does not know whether the arm is real, nor which clock it runs on.
type cell struct {
	cfg    configs.Rig
	cal    *calib.Record
	bus    *dynamixel.Bus
	arm    *widowx.Arm
	loop   *agent.Loop
	runner *agent.Runner
	camera twinrig.Camera
	clock  func() time.Duration
	// relay passes the loop's reports on: to always, and to those that watch the
	// present trial.
	relay  agent.Relay
	always []agent.Sink
	meter  meter
	// wireHz is the rate that the wire model allows for the arm's cycle.
	wireHz float64
}

// openArm brings the arm on the port up and builds its loop. The arm has no
// torque yet.
func openArm(cfg configs.Rig, cal *calib.Record, port dynamixel.Port, sinks ...agent.Sink) (*cell, error) {
	return newCell(cfg, cal, port, (*widowx.Arm).Open, sinks...)
}

// newCell builds a cell around an arm that bringUp makes ready for torque.
func newCell(cfg configs.Rig, cal *calib.Record, port dynamixel.Port, bringUp func(*widowx.Arm) error, sinks ...agent.Sink) (*cell, error) {
	c := &cell{cfg: cfg, cal: cal, bus: dynamixel.NewBus(port, cfg.Bus)}
	var err error
	if c.arm, err = widowx.New(c.bus, cfg.Arm, cal.Arm); err != nil {
		return nil, err
	}
	if err := c.checkSpace(); err != nil {
		return nil, err
	}
	if err := bringUp(c.arm); err != nil {
		return nil, err
	}
	wire := cfg.Bus.Wire()
	cycle := c.arm.CycleTime(wire) + c.arm.HealthTime(wire)/time.Duration(cfg.Arm.HealthEveryCycles)
	c.wireHz = 1 / cycle.Seconds()
	kin := sim.NewKinematics()
	c.loop, err = agent.NewLoop(cfg.Loop, agent.Deps{
		Arm: c.arm, Mode: c.arm.Mode(), Kin: kin, Gravity: kin,
		Contacts: contacts(&cfg.Loop.Guard), Stiffness: c.stiffness(),
		Friction: twinrig.Joints(cal.Arm.FrictionNm), Damping: twinrig.Joints(cal.Arm.DampingNmSPerRad),
		Sinks: []agent.Sink{&c.meter, &c.relay},
	})
	c.always = sinks
	c.watch()
	return c, err
}

// watch has sinks told of every report from now on, beside those that always are. Those
// that were told before have had all of them when it returns.
func (c *cell) watch(sinks ...agent.Sink) { c.relay.Set(slices.Concat(c.always, sinks)...) }

// clearDepth is how far, in m, the model's shapes may overlap in a start pose: at
// rest in its sleep pose the real arm overlaps by 6 mm.
const clearDepth = 0.010

// checkSpace has the arm refuse torque where it cannot be. The model lives as
// long as the program.
func (c *cell) checkSpace() error {
	space, err := sim.NewClearance(sim.NominalParams(), clearDepth)
	if err != nil {
		return err
	}
	c.arm.SetSpace(space)
	return nil
}

// contacts predicts contact as the guard is to see it; nil if it is not to.
func contacts(g *agent.GuardConfig) agent.Contacts {
	c := &g.Contact
	if !c.Predict {
		return nil
	}
	return sim.NewEnvelope(sim.EnvelopeLimits{Self: c.SelfOverlap, TableZ: c.TableZ, Links: -c.LinkGap, Fingers: c.FingerOverlap})
}

// allow is what a policy may want of this arm.
func (c *cell) allow() policy.Allow {
	g := &c.cfg.Loop.Guard
	return g.Allow(contacts(g))
}

// stiffness is the servos' in Nm/rad with the gains that the arm is driven with:
// the record's is at the servos' default gains, and goes with the gain.
func (c *cell) stiffness() twinrig.Joints {
	k := twinrig.Joints(c.cal.Arm.StiffnessNmPerRad)
	shipped := widowx.Default()
	for i := range k {
		if i == twinrig.WristRotate {
			k[i] *= float64(c.cfg.Arm.PositionPXL430) / float64(shipped.PositionPXL430)
			continue
		}
		k[i] *= float64(c.cfg.Arm.PositionPXM430) / float64(shipped.PositionPXM430)
	}
	return k
}

// gains are the loop's.
func (c *cell) gains() twinrig.Gains {
	return c.cfg.Loop.Gains(twinrig.Joints(c.cal.Arm.FrictionNm), twinrig.Joints(c.cal.Arm.DampingNmSPerRad))
}

// fastest is the loop rate in Hz that the wire leaves room for.
func fastest(cfg *configs.Rig, cal *calib.Record) (float64, error) {
	arm, err := widowx.New(nil, cfg.Arm, cal.Arm)
	if err != nil {
		return 0, err
	}
	wire := cfg.Bus.Wire()
	cycle := arm.CycleTime(wire) + arm.HealthTime(wire)/time.Duration(cfg.Arm.HealthEveryCycles)
	return wireShare / cycle.Seconds(), nil
}

// closers are closed in reverse, each once.
type closers []func() error

func (c *closers) add(f func() error) { *c = append(*c, f) }

func (c *closers) close() error {
	var err error
	for i := len(*c) - 1; i >= 0; i-- {
		err = errors.Join(err, (*c)[i]())
	}
	*c = nil
	return err
}
