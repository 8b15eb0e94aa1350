package widowx

import (
	"encoding/binary"
	"errors"
	"fmt"

	"twinrig"
	"twinrig/drivers/dynamixel"
)

// support takes torque on. An arm without any holds first in position mode,
// whatever its mode: only so its torque can be ramped and its currents be judged.
// One of whose servos some are in current mode with torque goes on from there.
func (a *Arm) support(halts uint64) error {
	carried, err := a.carried()
	if err != nil {
		return err
	}
	defer a.hold(false)
	if !carried && a.cfg.ArmMode() == twinrig.ModeTorque {
		a.hold(true)
		for i := range a.motors {
			if err := a.setUp(&a.motors[i]); err != nil {
				return err
			}
		}
	}
	if err := a.presetGoals(); err != nil {
		return err
	}
	if err := a.takeTorque(halts); err != nil {
		return err
	}
	if !carried {
		if err := a.learnSense(); err != nil {
			return err
		}
		if err := a.handOver(halts); err != nil {
			return err
		}
	}
	return a.confirmAll()
}

// carried tells whether a servo that is to be in current mode has torque already.
func (a *Arm) carried() (bool, error) {
	for i := range a.motors {
		if !a.motors[i].torque {
			continue
		}
		on, err := a.read(&a.motors[i], dynamixel.TorqueEnable)
		if err != nil || on != 0 {
			return on != 0, err
		}
	}
	return false, nil
}

// hold says that the servos of current mode hold in position mode, or no more.
func (a *Arm) hold(yes bool) {
	for i := range a.motors {
		a.motors[i].holding = yes && a.motors[i].torque
	}
}

// handOver puts the servos that hold into current mode, each with the current
// that it held with, so that nothing drops: they are without torque for as long as
// three packets take, some 2 ms.
func (a *Arm) handOver(halts uint64) error {
	var moved []int
	for i := range a.motors {
		if a.motors[i].holding {
			moved = append(moved, i)
		}
	}
	if len(moved) == 0 {
		return nil
	}
	a.hold(false)
	var err error
	for range tries { // a packet may be lost on the way
		if moved, err = a.handOverOnce(moved, halts); len(moved) == 0 || errors.Is(err, twinrig.ErrHalted) {
			return err
		}
	}
	return err
}

// handOverOnce returns those that did not go over.
func (a *Arm) handOverOnce(moved []int, halts uint64) (left []int, err error) {
	if err := a.readWhole(); err != nil {
		return moved, err
	}
	if err := a.switchMode(moved, halts); err != nil {
		return moved, err
	}
	for _, i := range moved {
		m := &a.motors[i]
		mode, readErr := a.read(m, dynamixel.OperatingMode)
		switch {
		case readErr != nil:
			err = errors.Join(err, readErr)
		case mode != dynamixel.ModeCurrent:
			err = errors.Join(err, fmt.Errorf("%s: operating mode is %d after writing %d", m.name(), mode, dynamixel.ModeCurrent))
		default:
			if readErr = a.tune(m); readErr == nil {
				continue
			}
			err = errors.Join(err, readErr)
		}
		left = append(left, i)
	}
	return left, err
}

// switchMode sends the packets, none of which is answered, between two Halts.
func (a *Arm) switchMode(moved []int, halts uint64) error {
	ids := make([]dynamixel.ID, 0, len(moved))
	currents := make([]dynamixel.Item, 0, len(moved))
	for _, i := range moved {
		m := &a.motors[i]
		ids = append(ids, m.id)
		carry := min(max(a.poll.raws[i].load, -m.maxCurrent), m.maxCurrent)
		currents = append(currents, dynamixel.Item{ID: m.id, Data: binary.LittleEndian.AppendUint16(nil, uint16(int16(carry)))})
	}
	a.gate.Lock()
	defer a.gate.Unlock()
	if a.halts != halts {
		return twinrig.ErrHalted
	}
	for _, p := range []struct {
		blk   dynamixel.Block
		items []dynamixel.Item
	}{
		{blockTorque, same(ids, 0)},
		{blockMode, same(ids, dynamixel.ModeCurrent)},
		{blockTorque, same(ids, 1)},
		{blockCurrent, currents}, // torque on resets them
	} {
		if err := a.bus.SyncWrite(p.blk, p.items); err != nil {
			return err
		}
	}
	return nil
}
