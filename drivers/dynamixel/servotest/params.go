package servotest

import (
	"time"

	"twinrig/drivers/dynamixel"
)

// Params is what distinguishes one servo of a model from another and cannot be
// read from its control table.
type Params struct {
	// TorqueScale is the true torque constant over the nameplate's.
	TorqueScale float64
	// CommandDelay is how long a goal takes from its arrival to its effect.
	CommandDelay time.Duration
	// Voltage is the supply in V, Temperature the case's in C.
	Voltage, Temperature float64
	// Firmware is the version shown. Fast reads need 45.
	Firmware uint8
	// ExtraGap is added to the chain's ReplyGap.
	ExtraGap time.Duration
	// RebootTime is how long the servo is deaf after a boot.
	RebootTime time.Duration
	// OverloadShare of the stall torque, held for OverloadTime, is an overload.
	// 0 turns it off.
	OverloadShare float64
	OverloadTime  time.Duration
	// WatchdogJumps reproduces a firmware fault: a watchdog that expires in
	// extended position mode holds the position without the homing offset,
	// and so moves the motor by it.
	WatchdogJumps bool
	// PlainReverse lets reverse drive mode turn positions round and nothing
	// else: velocities, currents and PWM keep the motor's own sense. The
	// e-manual of the X430 names positions only; that of the X540 all of them.
	PlainReverse bool
}

// DefaultParams is a servo as its data sheet has it.
func DefaultParams() Params {
	return Params{
		TorqueScale: 1,
		Voltage:     12,
		Temperature: 30,
		Firmware:    46,
		RebootTime:  400 * time.Millisecond,
	}
}

// motor is a gear motor's data at nominal voltage (e-manual, specifications).
type motor struct {
	stallTorque  float64 // Nm
	stallCurrent float64 // A
	noLoad       float64 // rad/s
}

// nominalVoltage is the supply that motor's numbers belong to, in V.
const nominalVoltage = 12

func motorOf(m *dynamixel.Model) motor {
	if m.Number == dynamixel.XL430W250.Number {
		return motor{stallTorque: 1.5, stallCurrent: 1.4, noLoad: 6.388}
	}
	return motor{stallTorque: 4.1, stallCurrent: 2.3, noLoad: 4.817}
}

// torque is what the motor gives at a duty, -1 to 1, of supply and a speed.
func (m *motor) torque(duty, supply, speed float64) float64 {
	return m.stallTorque * (duty*supply/nominalVoltage - speed/m.noLoad)
}

// duty is the inverse of torque.
func (m *motor) duty(torque, supply, speed float64) float64 {
	if supply <= 0 {
		return 0
	}
	return (torque/m.stallTorque + speed/m.noLoad) * nominalVoltage / supply
}
