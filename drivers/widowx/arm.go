package widowx

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"twinrig"
	"twinrig/calib"
	"twinrig/drivers/dynamixel"
)

// Bus is the servo bus as the arm uses it; *dynamixel.Bus is one. It must be
// safe for concurrent use, as Halt may come at any time.
type Bus interface {
	Single
	Group
}

// Single is the part of a Bus that talks to one servo, or to all without an
// answer.
type Single interface {
	Surveyor
	Write(id dynamixel.ID, r dynamixel.Register, v int32) error
	WriteAll(r dynamixel.Register, v int32) error
	Reboot(id dynamixel.ID) error
}

// Group is the part of a Bus that talks to many servos in one packet.
type Group interface {
	SyncRead(blk dynamixel.Block, rs []dynamixel.Reading) error
	FastSyncRead(blk dynamixel.Block, rs []dynamixel.Reading) error
	SyncWrite(blk dynamixel.Block, items []dynamixel.Item) error
}

// Errors of the arm, beside twinrig.ErrHalted.
var (
	// ErrNotOpen is returned by everything that needs Open first.
	ErrNotOpen = errors.New("widowx: the arm is not open")
	// ErrNotFinite is returned by Write for a command with a NaN or infinity.
	ErrNotFinite = errors.New("widowx: the command is not finite")
	// ErrSilent is returned by Read when no servo at all answered.
	ErrSilent = errors.New("widowx: no servo answers (arm's power off?)")
	// ErrTorqueLost, a twinrig.ErrHold, is returned by Write, which still sends,
	// when a servo's torque went off by itself without a hardware error: it was
	// rebooted, its power was cut, or its watchdog stopped it. Repair cures it.
	ErrTorqueLost = fmt.Errorf("widowx: a servo's torque went off by itself: %w", twinrig.ErrHold)
	// ErrFar is returned by Write, which sends nothing, for a goal that is far
	// from where the arm is: a first command elsewhere, or half a turn away.
	ErrFar = errors.New("widowx: goal is too far from the arm")
)

// ShadowError says that the two servos of a joint are not where they should be
// to each other: they would fight, and overload.
type ShadowError struct {
	Axis   int
	IDs    [2]dynamixel.ID
	GapRad float64 // shadow minus first
	Limit  float64 // rad
}

// Unwrap makes it a twinrig.ErrHold: the other joints are well.
func (e *ShadowError) Unwrap() error { return twinrig.ErrHold }

// Error names the joint, both servos and the gap.
func (e *ShadowError) Error() string {
	return fmt.Sprintf("widowx: %s: servos %d and %d disagree by %.4f rad, limit %.4f",
		twinrig.AxisNames[e.Axis], e.IDs[0], e.IDs[1], e.GapRad, e.Limit)
}

var _ twinrig.Arm = (*Arm)(nil)

// Arm is a WidowX 250S on a servo bus. It implements twinrig.Arm.
type Arm struct {
	bus Bus
	cfg Config
	*motorMap
	limits twinrig.Limits // of joint goals: the URDF's, within the servos'
	shadow float64        // tolerance, rad

	space Space // may be nil

	open     bool
	first    bool // the next Write is the first since Enable
	lastRead time.Duration
	stalled  bool  // the bus was silent for so long that watchdogs may have tripped
	lost     error // ErrTorqueLost and why; Write returns it
	mend     *repair
	grip     gripper
	poll     *poll
	out      *output
	health   *health
	brake    *brake

	// gate is held for one bus transaction at a time: while torque is taken
	// on and while goals are sent. So no goal and no torque passes a Halt.
	gate    sync.Mutex
	enabled bool   // under gate
	halts   uint64 // under gate; counts Halt calls, so that Enable notices one
}

// Space tells whether an arm can stand in a pose without being in the table or in
// itself. Joints are rad.
type Space interface {
	Clear(q twinrig.Joints, g twinrig.Grip) error
}

// SetSpace makes every start pose be checked against s too. It comes before Open.
func (a *Arm) SetSpace(s Space) { a.space = s }

// New returns the arm that cal describes, on bus. It does no I/O: Open does.
func New(bus Bus, cfg Config, cal calib.Arm) (*Arm, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("widowx: config: %w", err)
	}
	if err := cal.Validate(); err != nil {
		return nil, fmt.Errorf("widowx: calibration: %w", err)
	}
	m := newMotorMap(&cal, cfg.ArmMode())
	a := &Arm{
		bus:      bus,
		cfg:      cfg,
		motorMap: m,
		limits:   twinrig.PositionLimits,
		shadow:   cfg.ShadowToleranceDeg * math.Pi / 180,
		poll:     newPoll(m.motors),
		out:      newOutput(m.motors),
		health:   newHealth(m.motors),
		brake:    newBrake(m.motors),
	}
	a.grip = gripper{
		full: pwmSteps(cfg.GripPWMPercent), hold: pwmSteps(cfg.GripHoldPercent),
		holdAfter: cfg.GripHoldAfter, patience: cfg.GripTimeout,
	}
	a.poll.fast = cfg.FastSync // until Open has asked the servos
	return a, nil
}

// Mode returns who closes the position loop.
func (a *Arm) Mode() twinrig.Mode { return a.cfg.ArmMode() }

// EffortLimit returns each joint's torque limit in Nm by the servos' currents;
// 0 where there is no current control. It is final after Open.
func (a *Arm) EffortLimit() twinrig.Joints {
	var l twinrig.Joints
	for i := range a.motors {
		if m := &a.motors[i]; m.torque {
			l[m.axis] += m.effort(m.maxCurrent)
		}
	}
	return l
}

// PositionLimits returns the limits in rad that Write clips joint goals to: the
// URDF's, within what the servos accept. It is final after Open.
func (a *Arm) PositionLimits() twinrig.Limits { return a.limits }

// CycleTime returns what one Read and one Write take on the wire: the reading
// of all servos and every goal that can be due. Before Open it takes Fast Sync
// Read as given if it is wanted. A look at a servo's health, in one of
// HealthEveryCycles readings, comes on top: HealthTime. Like Read it belongs to
// the arm's goroutine.
func (a *Arm) CycleTime(w dynamixel.Wire) time.Duration {
	n, state := len(a.motors), int(blockState.Len)
	read := w.SyncRead(n, state)
	if a.poll.fast {
		read = w.FastSyncRead(n, state)
	}
	t := len(a.out.currents)
	if t == 0 {
		return read + w.SyncWrite(n, int(blockPosition.Len))
	}
	return read + w.SyncWrite(t, int(blockCurrent.Len)) + w.SyncWrite(n-t, int(blockPosition.Len))
}

// HealthTime returns what a look at one servo's health takes on the wire.
func (a *Arm) HealthTime(w dynamixel.Wire) time.Duration {
	return w.SyncRead(1, int(blockHealth.Len))
}
