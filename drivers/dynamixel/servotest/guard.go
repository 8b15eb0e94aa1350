package servotest

import (
	"math"
	"time"

	"twinrig/drivers/dynamixel"
)

// watchdog is the Bus Watchdog.
type watchdog struct {
	fed     time.Duration
	expired bool
}

func (w *watchdog) feed(now time.Duration) { w.fed = now }

// watchBus stops the motor when the bus was silent for too long. It counts only
// while torque is on.
func (s *Servo) watchBus(now time.Duration) {
	period := time.Duration(s.value(dynamixel.BusWatchdog)) * 20 * time.Millisecond
	if s.watch.expired || period <= 0 || !s.torqueOn() {
		return
	}
	if now-s.watch.fed < period {
		return
	}
	s.watch.expired = true
	s.put(dynamixel.BusWatchdog, -1)
	s.put(dynamixel.ProfileVelocity, 0)
	s.put(dynamixel.ProfileAcceleration, 0)
	s.queue = commands{}
	s.goalVelocity = 0
	if s.mode() == dynamixel.ModeCurrent {
		s.goalCurrent = 0
	}
	if s.mode() == dynamixel.ModePWM {
		s.goalPWM = 0
	}
	hold := s.position()
	if s.params.WatchdogJumps && s.mode() == dynamixel.ModeExtendedPosition {
		hold -= s.value(dynamixel.HomingOffset)
	}
	s.goalPosition = hold
	s.path = profile{pos: float64(hold), goal: float64(hold)}
}

// overload counts how long the motor has been loaded too much.
type overload struct{ time time.Duration }

// watchHealth looks for hardware errors.
func (s *Servo) watchHealth(dt time.Duration) {
	var bits int32
	v := int32(math.Round(s.params.Voltage * 10))
	if v > s.value(dynamixel.MaxVoltageLimit) || v < s.value(dynamixel.MinVoltageLimit) {
		bits |= dynamixel.HardwareVoltage
	}
	if int32(s.params.Temperature) > s.value(dynamixel.TemperatureLimit) {
		bits |= dynamixel.HardwareHeat
	}
	if share := s.params.OverloadShare; share > 0 {
		if s.heat.time += dt; math.Abs(s.torque) < share*s.motor.stallTorque {
			s.heat.time = 0
		}
		if s.heat.time > s.params.OverloadTime {
			bits |= dynamixel.HardwareOverload
		}
	}
	if bits != 0 {
		s.RaiseError(bits)
	}
}

// RaiseError sets bits of the Hardware Error Status, which stay until a reboot.
// Those that the Shutdown register names take torque off.
func (s *Servo) RaiseError(bits int32) {
	s.put(dynamixel.HardwareErrorStatus, s.value(dynamixel.HardwareErrorStatus)|bits)
	if s.shutDown() {
		s.put(dynamixel.TorqueEnable, 0)
	}
}

// shutDown tells whether a hardware error keeps torque off.
func (s *Servo) shutDown() bool {
	return s.value(dynamixel.HardwareErrorStatus)&s.value(dynamixel.Shutdown) != 0
}

// SetSilent makes a servo act on what it hears but answer nothing.
func (s *Servo) SetSilent(silent bool) { s.silent = silent }

// SetSupply changes the supply voltage in V and the temperature in C.
func (s *Servo) SetSupply(voltage, temperature float64) {
	s.params.Voltage, s.params.Temperature = voltage, temperature
}

// SetPower cuts a servo's power, or gives it back at now, which boots it.
func (s *Servo) SetPower(now time.Duration, on bool) {
	if on && !s.power {
		s.reboot(now)
	}
	if s.power = on; !on {
		s.put(dynamixel.TorqueEnable, 0)
	}
}
