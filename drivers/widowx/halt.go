package widowx

import (
	"errors"
	"fmt"
	"sync"

	"twinrig/drivers/dynamixel"
)

// brake is what Halt needs, in memory that Read and Write do not share.
type brake struct {
	mu     sync.Mutex // one Halt at a time
	zero   []dynamixel.Item
	torque []dynamixel.Reading
}

func newBrake(motors []motor) *brake {
	b := &brake{}
	for i := range motors {
		m := &motors[i]
		b.torque = append(b.torque, dynamixel.Reading{ID: m.id, Data: make([]byte, blockTorque.Len)})
		if m.torque {
			b.zero = append(b.zero, dynamixel.Item{ID: m.id, Data: make([]byte, blockCurrent.Len)})
		}
	}
	return b
}

// Halt takes torque off: goal currents to 0, then torque off by broadcast, which
// is checked servo by servo and repeated. After it returns no goal of a running
// Write and no torque of a running Enable follows. It waits for no more than what
// is on the bus already, is idempotent, needs no Open, and may be called from any
// goroutine. Its error names the servos that may still have torque.
func (a *Arm) Halt() error {
	a.gate.Lock()
	a.enabled = false
	a.halts++
	a.gate.Unlock()
	if err := a.release(); err != nil {
		return fmt.Errorf("widowx: halt: %w", err)
	}
	return nil
}

func (a *Arm) release() error {
	a.brake.mu.Lock()
	defer a.brake.mu.Unlock()
	var err error
	for range tries {
		if err = a.brakeOnce(); err == nil {
			return nil
		}
	}
	return err
}

func (a *Arm) brakeOnce() error {
	var zero error
	if len(a.brake.zero) > 0 {
		zero = a.bus.SyncWrite(blockCurrent, a.brake.zero)
	}
	// Torque goes off whatever became of the currents.
	if err := errors.Join(zero, a.bus.WriteAll(dynamixel.TorqueEnable, 0)); err != nil {
		return err
	}
	return a.checkReleased()
}

// checkReleased asks every servo whether its torque is off; one by one those
// that a silent neighbour kept from answering.
func (a *Arm) checkReleased() error {
	rs := a.brake.torque
	if err := a.bus.SyncRead(blockTorque, rs); err != nil {
		return err
	}
	var errs []error
	for i := range rs {
		on, err := int32(rs[i].Data[0]), rs[i].Err
		if err != nil {
			on, err = a.bus.Read(rs[i].ID, dynamixel.TorqueEnable)
		}
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("%s: torque may be on: %w", a.motors[i].name(), err))
		case on != 0:
			errs = append(errs, fmt.Errorf("%s: torque is on", a.motors[i].name()))
		}
	}
	return errors.Join(errs...)
}
