package servotest

import (
	"math"
	"slices"

	"twinrig/drivers/dynamixel"
)

// registered is a write that waits for an action.
type registered struct {
	addr int
	data []byte
}

// write writes data from addr on: all of it, or nothing and an error code. Under
// its secondary ID a servo does not touch EEPROM.
func (s *Servo) write(addr int, data []byte, secondary bool) byte {
	defer s.unstage()
	if code := s.stage(addr, data, secondary || s.torqueOn()); code != 0 {
		return code
	}
	for _, k := range s.touched {
		e := &s.entries[k]
		if code := s.check(e, e.Value(s.staged[e.Addr:])); code != 0 {
			return code
		}
	}
	for _, k := range s.touched {
		r := &s.entries[k].Register
		s.Set(*r, r.Value(s.staged[r.Addr:]))
	}
	return 0
}

// check returns why the servo refuses v for an item, or 0.
func (s *Servo) check(e *dynamixel.Entry, v int32) byte {
	if v < e.Min || v > e.Max {
		return dynamixel.CodeDataRange
	}
	switch e.Addr {
	case dynamixel.OperatingMode.Addr:
		if !slices.Contains(s.model.Modes, v) {
			return dynamixel.CodeDataRange
		}
	case dynamixel.BusWatchdog.Addr:
		if v < 0 || s.watch.expired && v != 0 {
			return dynamixel.CodeDataRange
		}
	}
	lo, hi, goal := s.goalLimits(e.Addr)
	switch {
	case !goal:
		return 0
	case s.watch.expired:
		return dynamixel.CodeDataRange
	case v < lo || v > hi:
		return dynamixel.CodeDataLimit
	}
	return 0
}

// goalLimits returns what the limit registers allow a goal, if addr is one.
func (s *Servo) goalLimits(addr uint16) (lo, hi int32, goal bool) {
	switch addr {
	case dynamixel.GoalPWM.Addr:
		hi = s.value(dynamixel.PWMLimit)
	case dynamixel.GoalCurrent.Addr:
		hi = s.value(dynamixel.CurrentLimit)
	case dynamixel.GoalVelocity.Addr:
		hi = s.value(dynamixel.VelocityLimit)
	case dynamixel.GoalPosition.Addr:
		if s.mode() == dynamixel.ModePosition {
			return s.value(dynamixel.MinPositionLimit), s.value(dynamixel.MaxPositionLimit), true
		}
		hi = math.MaxInt32
	default:
		return 0, 0, false
	}
	return -hi, hi, true
}

// effect does what follows from register addr having gone from old to v.
func (s *Servo) effect(addr uint16, old, v int32) {
	switch addr {
	case dynamixel.TorqueEnable.Addr:
		s.enable(v != 0, old != 0)
	case dynamixel.OperatingMode.Addr:
		if v != old {
			s.changeMode()
		}
	case dynamixel.DriveMode.Addr, dynamixel.HomingOffset.Addr:
		s.restart()
	case dynamixel.PWMLimit.Addr, dynamixel.CurrentLimit.Addr:
		s.resetGoals()
	case dynamixel.BusWatchdog.Addr:
		s.watch.expired = v < 0
		s.watch.feed(s.now)
	case dynamixel.GoalPWM.Addr, dynamixel.GoalCurrent.Addr, dynamixel.GoalVelocity.Addr, dynamixel.GoalPosition.Addr:
		if s.table[dynamixel.DriveMode.Addr]&dynamixel.DriveGoalTorque != 0 && !s.torqueOn() {
			s.Set(dynamixel.TorqueEnable, 1)
			s.putGoal(addr, v)
		}
		s.command(addr, v)
	}
}

// putGoal writes a goal register again after torque on reset it.
func (s *Servo) putGoal(addr uint16, v int32) {
	e := &s.entries[s.at[addr]-1]
	s.put(e.Register, v)
}

// enable turns torque on or off. After a shutdown it stays off until a reboot.
func (s *Servo) enable(on, was bool) {
	if on && s.shutDown() {
		s.put(dynamixel.TorqueEnable, 0)
		return
	}
	if on == was {
		return
	}
	s.watch.feed(s.now)
	if on && s.mode() == dynamixel.ModePosition {
		s.wrap()
	}
	switch s.mode() {
	case dynamixel.ModeCurrent:
		s.put(dynamixel.GoalCurrent, 0)
	case dynamixel.ModePWM:
		s.put(dynamixel.GoalPWM, 0)
	}
	s.put(dynamixel.GoalVelocity, 0)
	s.restart()
}

// changeMode resets what belongs to a mode.
func (s *Servo) changeMode() {
	for k := range s.entries {
		if e := &s.entries[k]; e.Addr >= dynamixel.VelocityIGain.Addr && e.Addr <= dynamixel.Feedforward1stGain.Addr {
			s.put(e.Register, e.Default)
		}
	}
	s.put(dynamixel.ProfileVelocity, 0)
	s.put(dynamixel.ProfileAcceleration, 0)
	if s.mode() == dynamixel.ModePosition {
		s.wrap()
	}
	s.resetGoals()
}

// resetGoals gives the goals the values that they have after a boot, or after a
// change of mode or of a limit.
func (s *Servo) resetGoals() {
	s.put(dynamixel.GoalPWM, s.value(dynamixel.PWMLimit))
	if s.senses() {
		current := int32(0)
		if s.mode() == dynamixel.ModeCurrentPosition {
			current = s.value(dynamixel.CurrentLimit)
		}
		s.put(dynamixel.GoalCurrent, current)
	}
	s.restart()
}

// senses tells whether the servo senses and controls current.
func (s *Servo) senses() bool { return s.at[dynamixel.GoalCurrent.Addr] != 0 }
