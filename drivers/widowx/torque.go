package widowx

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"twinrig/drivers/dynamixel"
)

// How torque comes on: the shares of a servo's output that it may use, one after
// the other, while it holds. The first is enough for an arm at rest.
var torqueRamp = [...]float64{0.2, 0.35, 0.5, 0.65, 0.8, 1}

// looksPerStep readings are taken on each step of the ramp; a servo that will
// move has then begun to.
const looksPerStep = 3

// heldTicks is how far a servo may move while torque comes on, 3.5 deg, beside
// the way back into its own limits.
const heldTicks = 40

// standingShare of the permitted current, needed for standing still, tells that
// the arm pushes against something, or one servo of a pair against the other.
const standingShare = 0.8

// takeTorque takes torque on, servo by servo, unless a Halt comes between, and
// then lets those in position mode hold with more and more of their output. A
// servo that holds already goes on with all of it.
func (a *Arm) takeTorque(halts uint64) error {
	from := a.ticksNow()
	limp, err := a.limp()
	if err != nil {
		return err
	}
	if err := a.bound(limp, torqueRamp[0]); err != nil {
		return err
	}
	for i := range a.motors {
		if err := a.torqueOn(&a.motors[i], halts); err != nil {
			return err
		}
	}
	// Goals that were set before the torque may not have outlived it.
	if err := a.presetGoals(); err != nil {
		return err
	}
	for _, share := range torqueRamp {
		if err := a.bound(limp, share); err != nil {
			return err
		}
		for range looksPerStep {
			if err := a.checkHolding(from); err != nil {
				return fmt.Errorf("at %.0f %% of torque: %w", 100*share, err)
			}
		}
	}
	return nil
}

// confirmAll reads back of every servo what must be true with torque.
func (a *Arm) confirmAll() error {
	for i := range a.motors {
		if err := a.confirm(&a.motors[i]); err != nil {
			return err
		}
		a.health.inService(i)
	}
	return nil
}

// limp lists the servos in position mode that have no torque.
func (a *Arm) limp() ([]int, error) {
	var limp []int
	for i := range a.motors {
		if a.motors[i].byCurrent() {
			continue
		}
		on, err := a.read(&a.motors[i], dynamixel.TorqueEnable)
		if err != nil {
			return nil, err
		}
		if on == 0 {
			limp = append(limp, i)
		}
	}
	return limp, nil
}

// ticksNow is where every servo was read last.
func (a *Arm) ticksNow() []int32 {
	ticks := make([]int32, len(a.motors))
	for i := range ticks {
		ticks[i] = a.poll.raws[i].position
	}
	return ticks
}

// bound lets servos use a share of their output.
func (a *Arm) bound(servos []int, share float64) error {
	for _, i := range servos {
		m := &a.motors[i]
		if err := a.set(m, dynamixel.GoalPWM, int32(math.Ceil(share*float64(m.pwm)))); err != nil {
			return err
		}
	}
	return nil
}

// checkHolding reads the arm once and tells whether it stays where it was.
func (a *Arm) checkHolding(from []int32) error {
	if err := a.readWhole(); err != nil {
		return err
	}
	for i := range a.motors {
		m, r := &a.motors[i], &a.poll.raws[i]
		goal := min(max(from[i], m.minTick), m.maxTick)
		if a.poll.servos[i].alert {
			bits, err := a.read(m, dynamixel.HardwareErrorStatus)
			if err != nil {
				return err
			}
			return fmt.Errorf("%s has a hardware error: %s", m.name(), strings.Join(ErrorBits(uint8(bits)), ", "))
		}
		if m.byCurrent() {
			continue // nothing drives it before the first Write
		}
		if d := r.position - from[i]; abs(d) > heldTicks+abs(goal-from[i]) {
			return fmt.Errorf("%s moved by %.1f deg, limit %.1f: is it the servo, and the way round, that the calibration says?",
				m.name(), float64(d)*degPerTick, heldTicks*degPerTick)
		}
		if most := standingShare * float64(m.maxCurrent); m.current && goal == from[i] && math.Abs(float64(r.load)) > most {
			return fmt.Errorf("%s takes %.2f A standing still, limit %.2f: something holds the arm, or a pair of servos fights",
				m.name(), math.Abs(float64(r.load))*dynamixel.AmpPerStep, most*dynamixel.AmpPerStep)
		}
	}
	return a.checkShadows()
}

const degPerTick = 360.0 / dynamixel.PulsesPerTurn

func abs(v int32) int32 { return max(v, -v) }

// confirm reads back what must be true of a servo with torque, and arms its
// watchdog.
func (a *Arm) confirm(m *motor) error {
	for _, c := range []struct {
		reg  dynamixel.Register
		want int32
	}{{dynamixel.TorqueEnable, 1}, {dynamixel.GoalPWM, m.pwm}} {
		v, err := a.read(m, c.reg)
		if err != nil {
			return err
		}
		if v != c.want {
			return fmt.Errorf("%s: %s is %d, want %d: it did not take it", m.name(), c.reg.Name, v, c.want)
		}
	}
	return a.arm(m)
}

// arm arms a servo's bus watchdog where that is safe. On expiry a servo in a
// position mode stays where it is, but one with a Homing Offset has been seen to
// jump by it (in extended position mode), and holds without a watchdog anyway.
func (a *Arm) arm(m *motor) error {
	units := int32(a.cfg.Watchdog / watchdogUnit)
	if units > 0 && !m.byCurrent() && m.homing != 0 {
		a.health.noteOnce(fmt.Sprintf("%s: bus watchdog left off: it has a homing offset of %d ticks; it holds without", m.name(), m.homing))
		units = 0
	}
	return a.set(m, dynamixel.BusWatchdog, units)
}

// noteOnce is note for what happens again and again.
func (h *health) noteOnce(what string) {
	h.mu.Lock()
	known := slices.Contains(h.status.Notes, what)
	h.mu.Unlock()
	if !known {
		h.note(what)
	}
}
