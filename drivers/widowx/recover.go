package widowx

import (
	"errors"
	"fmt"
	"strings"

	"twinrig/drivers/dynamixel"
)

// wakePings is how often a servo that reboots is pinged before it counts as
// gone; a ping without an answer takes some 20 ms.
const wakePings = 100

// reopener is a bus whose port can be opened again after its device went away.
type reopener interface{ Reopen() error }

// Recover makes an arm ready for Enable again after its bus or its power was
// gone, whatever is left of it: it opens the port again if that can be, compares
// everything on the bus with the calibration as Open does, reboots servos with a
// hardware error, and sets up those without torque. Servos that still hold keep
// their torque: nothing drops, but no goal is sent before Enable. It fails at once, and may be called again and
// again, while the device is missing or a servo does not answer. Like Read it
// belongs to the arm's goroutine.
func (a *Arm) Recover() error {
	a.gate.Lock()
	a.enabled = false
	a.gate.Unlock()
	if err := a.recover(); err != nil {
		return fmt.Errorf("widowx: recover: %w", err)
	}
	a.open = true
	return nil
}

func (a *Arm) recover() error {
	if r, ok := a.bus.(reopener); ok {
		if err := r.Reopen(); err != nil {
			return err
		}
	}
	s, err := a.scan()
	if err != nil {
		return err
	}
	for i := range s.Servos {
		v := &s.Servos[i]
		if v.HardwareError != 0 {
			if err := a.restart(&a.motors[i]); err != nil {
				return err
			}
			a.health.note(fmt.Sprintf("%s rebooted after %s", v.Name, strings.Join(ErrorBits(v.HardwareError), ", ")))
			v.TorqueOn = false
		}
		if v.TorqueOn && (v.OperatingMode != a.motors[i].operatingMode() || len(v.Differences) > 0) {
			return errors.Join(fmt.Errorf("%s holds, but not as this program would have it: open the arm anew", v.Name), a.Halt())
		}
	}
	return a.adopt(&s)
}

// adopt sets up the servos without torque, and tunes those that hold.
func (a *Arm) adopt(s *Survey) error {
	for i := range s.Servos {
		m, v := &a.motors[i], &s.Servos[i]
		if v.TorqueOn {
			if err := a.tune(m); err != nil {
				return err
			}
			continue
		}
		if len(v.Differences) > 0 {
			return fmt.Errorf("%s: %s; another servo, or its memory was reset: open the arm anew", v.Name, v.Differences[0])
		}
		if err := a.setUp(m); err != nil {
			return err
		}
	}
	return a.beginReading(s.FastSync())
}

// restart reboots a servo and waits until it answers, without its error.
func (a *Arm) restart(m *motor) error {
	if err := a.bus.Reboot(m.id); err != nil {
		return fmt.Errorf("%s: %w", m.name(), err)
	}
	var err error
	for range wakePings {
		if _, err = a.bus.Ping(m.id); err == nil {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("%s did not come back from its reboot: %w", m.name(), err)
	}
	bits, err := a.read(m, dynamixel.HardwareErrorStatus)
	if err == nil && bits != 0 {
		err = fmt.Errorf("%s was rebooted and still has a hardware error: %s", m.name(), strings.Join(ErrorBits(uint8(bits)), ", "))
	}
	return err
}
