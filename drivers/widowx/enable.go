package widowx

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"twinrig"
	"twinrig/drivers/dynamixel"
)

// tries is how often a reading that must be whole, or torque off, is tried.
const tries = 3

// startSlack is how far, in rad, outside its limits a joint may stand when
// torque is taken on: a hand may have pushed it there.
const startSlack = 0.1

// Enable takes torque on in steps. Every servo is told to stay where it is:
// position goals are the present ones, or the nearest that the servo's own limits
// accept. All hold with a little of their output, which is ramped up while the arm
// is watched: one that moves, pushes hard standing still, or reports an error ends
// it, with torque off. It refuses when a servo does not answer, has a hardware
// error, disagrees with its shadow, or stands where the arm cannot be. In
// ModeTorque the XM430s then go on with the current that they held with, until the
// first Write. Enabling an enabled arm changes nothing.
func (a *Arm) Enable() error {
	if !a.open {
		return ErrNotOpen
	}
	if a.isEnabled() {
		return nil
	}
	a.gate.Lock()
	halts := a.halts
	a.gate.Unlock()
	if err := a.prepare(); err != nil {
		return fmt.Errorf("widowx: enable: %w", err)
	}
	if err := a.support(halts); err != nil {
		return fmt.Errorf("widowx: enable: %w", errors.Join(a.start(halts, false), err, a.release()))
	}
	a.lost, a.stalled = nil, false
	a.out.unsent, a.first = -1, true
	a.grip.begin(a.motors[a.of[twinrig.GripAxis][0]].pwm)
	if err := a.start(halts, true); err != nil {
		return fmt.Errorf("widowx: enable: %w", err)
	}
	return nil
}

// start lets goals through, if on, unless a Halt came since halts was read.
func (a *Arm) start(halts uint64, on bool) error {
	a.gate.Lock()
	defer a.gate.Unlock()
	if a.halts != halts {
		return twinrig.ErrHalted
	}
	a.enabled = on
	return nil
}

// prepare checks that the arm may have torque, and clears what would refuse goals.
func (a *Arm) prepare() error {
	if err := a.readWhole(); err != nil {
		return err
	}
	if err := a.checkPose(); err != nil {
		return err
	}
	for i := range a.motors {
		m := &a.motors[i]
		bits, err := a.bus.Read(m.id, dynamixel.HardwareErrorStatus)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name(), err)
		}
		if bits != 0 {
			return fmt.Errorf("%s has a hardware error: %s; find the cause, then reboot it",
				m.name(), strings.Join(ErrorBits(uint8(bits)), ", "))
		}
		// A watchdog that tripped keeps goals read-only until it is cleared.
		if err := a.set(m, dynamixel.BusWatchdog, 0); err != nil {
			return err
		}
	}
	return nil
}

// presetGoals tells every servo to stay where it was read last.
func (a *Arm) presetGoals() error {
	for i := range a.motors {
		if err := a.presetGoal(i); err != nil {
			return err
		}
	}
	return nil
}

func (a *Arm) presetGoal(i int) error {
	m := &a.motors[i]
	if m.byCurrent() {
		return a.set(m, dynamixel.GoalCurrent, 0)
	}
	return a.set(m, dynamixel.GoalPosition, min(max(a.poll.raws[i].position, m.minTick), m.maxTick))
}

func (a *Arm) torqueOn(m *motor, halts uint64) error {
	a.gate.Lock()
	defer a.gate.Unlock()
	if a.halts != halts {
		return twinrig.ErrHalted
	}
	return a.set(m, dynamixel.TorqueEnable, 1)
}

// set writes one register of one servo and names both in its error.
func (a *Arm) set(m *motor, r dynamixel.Register, v int32) error {
	if err := a.bus.Write(m.id, r, v); err != nil {
		return fmt.Errorf("%s: %s: %w", m.name(), r.Name, err)
	}
	return nil
}

func (a *Arm) isEnabled() bool {
	a.gate.Lock()
	defer a.gate.Unlock()
	return a.enabled
}

// readWhole reads until every servo answered in one transaction.
func (a *Arm) readWhole() error {
	var err error
	for range tries {
		if busErr := a.poll.cycle(a.bus); busErr != nil {
			return busErr
		}
		if err = a.poll.missing(a.motors); err == nil {
			return nil
		}
	}
	return err
}

// checkPose tells whether the arm may be where it was read.
func (a *Arm) checkPose() error {
	if err := a.checkShadows(); err != nil {
		return err
	}
	var s twinrig.State
	a.state(a.poll.raws, &s)
	if err := a.checkTurns(&s); err != nil {
		return err
	}
	loose := a.limits
	for i := range loose.Lower {
		loose.Lower[i] -= startSlack
		loose.Upper[i] += startSlack
	}
	if err := loose.Check(s.Measured); err != nil {
		return fmt.Errorf("start pose: %w; move the arm by hand, or calibrate its zeros", err)
	}
	if a.space != nil {
		if err := a.space.Clear(s.Measured, s.Grip); err != nil {
			return fmt.Errorf("start pose: %w; if the arm does not stand like that, calibrate its zeros", err)
		}
	}
	return nil
}

// checkTurns finds a joint whose servo has counted whole turns too many: it would
// spin to lose them.
func (a *Arm) checkTurns(s *twinrig.State) error {
	for i, q := range s.Measured {
		if math.Abs(q) > math.Pi+startSlack {
			return fmt.Errorf("start pose: %s reads %.2f rad, about %+.0f turns: its servo counts turns; cut its power and give it back",
				twinrig.AxisNames[i], q, math.Round(q/(2*math.Pi)))
		}
	}
	return nil
}
