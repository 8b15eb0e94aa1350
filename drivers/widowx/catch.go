package widowx

import (
	"errors"
	"fmt"
	"slices"

	"twinrig"
	"twinrig/calib"
	"twinrig/drivers/dynamixel"
)

// Catch makes the servos hold by themselves, where they are, after the program
// that closed their position loop has died: those in current mode with torque are
// put into position mode, within some 10 ms at 1 Mbps, and watchdogs that tripped
// are cleared. Servos without torque stay without, and servos that are in position
// mode keep holding as they do. It needs no Open, and names the servos that it
// could not make sure of.
func Catch(bus Bus, cal calib.Arm) error {
	if err := cal.Validate(); err != nil {
		return fmt.Errorf("widowx: calibration: %w", err)
	}
	m := newMotorMap(&cal, twinrig.ModePosition)
	var err error
	for range tries {
		if err = m.catch(bus); err == nil {
			return nil
		}
	}
	return fmt.Errorf("widowx: catch: %w", err)
}

// blockMode is Operating Mode; it is changed without torque only.
var blockMode = dynamixel.OperatingMode.Block()

func (m *motorMap) catch(bus Bus) error {
	// One that does not answer must not keep the others from being caught.
	on, err := m.all(bus, dynamixel.TorqueEnable)
	modes, modeErr := m.all(bus, dynamixel.OperatingMode)
	dogs, dogErr := m.all(bus, dynamixel.BusWatchdog)
	unsure := errors.Join(err, modeErr, dogErr)
	if on == nil || modes == nil || dogs == nil {
		return unsure // the bus itself is gone
	}
	var falling []dynamixel.ID
	for i := range m.motors {
		id := m.motors[i].id
		if int8(dogs[i]) < 0 {
			unsure = errors.Join(unsure, bus.Write(id, dynamixel.BusWatchdog, 0))
		}
		if on[i] == 1 && modes[i] == dynamixel.ModeCurrent {
			falling = append(falling, id)
		}
	}
	// A servo that takes torque on in position mode stays where it is.
	for _, step := range []struct {
		blk dynamixel.Block
		v   byte
	}{{blockTorque, 0}, {blockMode, dynamixel.ModePosition}, {blockWatchdog, 0}, {blockTorque, 1}} {
		if err := bus.SyncWrite(step.blk, same(falling, step.v)); err != nil {
			return err
		}
	}
	return errors.Join(unsure, m.checkCaught(bus, falling))
}

// checkCaught makes sure that what fell is held, and takes torque on again where
// a packet was lost between.
func (m *motorMap) checkCaught(bus Bus, falling []dynamixel.ID) error {
	var errs []error
	for i := range m.motors {
		mo := &m.motors[i]
		if !slices.Contains(falling, mo.id) {
			continue
		}
		mode, err := bus.Read(mo.id, dynamixel.OperatingMode)
		if err == nil && mode != dynamixel.ModePosition {
			err = errors.Join(bus.Write(mo.id, dynamixel.TorqueEnable, 0),
				bus.Write(mo.id, dynamixel.OperatingMode, dynamixel.ModePosition))
		}
		if err == nil {
			err = bus.Write(mo.id, dynamixel.TorqueEnable, 1)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: may not hold: %w", mo.name(), err))
		}
	}
	return errors.Join(errs...)
}

// all reads one byte of every servo, 1 for those that its error names: one that
// may have torque.
func (m *motorMap) all(bus Bus, r dynamixel.Register) ([]byte, error) {
	rs := make([]dynamixel.Reading, len(m.motors))
	for i := range rs {
		rs[i] = dynamixel.Reading{ID: m.motors[i].id, Data: []byte{1}}
	}
	if err := bus.SyncRead(r.Block(), rs); err != nil {
		return nil, err
	}
	out := make([]byte, len(rs))
	var errs []error
	for i := range rs {
		out[i] = rs[i].Data[0]
		if rs[i].Err == nil {
			continue
		}
		v, err := bus.Read(rs[i].ID, r)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", m.motors[i].name(), err))
			continue
		}
		out[i] = byte(v)
	}
	return out, errors.Join(errs...)
}

func same(ids []dynamixel.ID, v byte) []dynamixel.Item {
	var items []dynamixel.Item
	for _, id := range ids {
		items = append(items, dynamixel.Item{ID: id, Data: []byte{v}})
	}
	return items
}
