package widowx

import (
	"errors"
	"fmt"

	"twinrig"
	"twinrig/drivers/dynamixel"
)

// Firmware versions that brought what the driver uses (e-manual, X series).
const (
	firmwareFastSync = 45
	firmwareWatchdog = 38
)

// Open brings the arm up with torque off: the bus carries exactly the servos of
// the calibration, permanent settings are as needed, operating modes, gains and
// limits are set and read back, shadow pairs agree, the pose is possible. It
// refuses with an error that names the servo and what to do. A refused scan
// leaves torque as it was. Open may be called again; the arm is then halted
// first.
func (a *Arm) Open() error {
	a.open = false
	if err := a.bringUp(); err != nil {
		return fmt.Errorf("widowx: open: %w", err)
	}
	a.open = true
	return nil
}

func (a *Arm) bringUp() error {
	a.health.reset(a.motors)
	s, err := a.scan()
	if err != nil {
		return err
	}
	if err := a.Halt(); err != nil {
		return err
	}
	if err := a.settleEEPROM(&s); err != nil {
		return err
	}
	for i := range a.motors {
		if err := a.setUp(&a.motors[i]); err != nil {
			return err
		}
	}
	return a.beginReading(s.FastSync())
}

// scan refuses a bus that is not the arm of the calibration, and learns what
// matters of each servo.
func (a *Arm) scan() (Survey, error) {
	s, err := a.survey(a.bus)
	if err != nil {
		return s, err
	}
	if err := s.Misfits(&a.cfg); err != nil {
		return s, err
	}
	for i := range a.motors {
		a.motors[i].homing = s.Servos[i].HomingOffset
	}
	return s, nil
}

// beginReading chooses how to read, reads once, and judges the pose.
func (a *Arm) beginReading(fast bool) error {
	a.narrowLimits()
	a.poll, a.lost = newPoll(a.motors), nil
	a.chooseReading(fast)
	if err := a.readWhole(); err != nil {
		return err
	}
	return a.checkPose()
}

func (m *motor) modelNumber() uint16 {
	if m.current {
		return dynamixel.XM430W350.Number
	}
	return dynamixel.XL430W250.Number
}

// chooseReading takes Fast Sync Read where it is wanted, known to every
// firmware, and works.
func (a *Arm) chooseReading(known bool) {
	if !a.cfg.FastSync {
		return
	}
	if !known {
		a.health.note(fmt.Sprintf("a servo's firmware is older than %d: reading with Sync Read", firmwareFastSync))
		return
	}
	a.poll.fast = true
	var err error
	for range tries {
		if err = errors.Join(a.poll.cycle(a.bus), a.poll.missing(a.motors)); err == nil {
			a.poll.fastWanted = true
			return
		}
	}
	a.poll.fast = false
	a.health.note(fmt.Sprintf("Fast Sync Read does not work here (%v): reading with Sync Read", err))
}

// setUp sets one servo's operating mode, and then what a change of mode resets.
func (a *Arm) setUp(m *motor) error {
	if err := a.ensure(m, dynamixel.OperatingMode, m.operatingMode()); err != nil {
		return err
	}
	return a.tune(m)
}

// tune sets what lies in a servo's RAM, with torque or without.
func (a *Arm) tune(m *motor) error {
	p := a.cfg.PositionPXL430
	if m.current {
		p = a.cfg.PositionPXM430
	}
	pwm, err := a.read(m, dynamixel.PWMLimit)
	if err != nil {
		return err
	}
	if m.axis == twinrig.GripAxis {
		pwm = min(pwm, pwmSteps(a.cfg.GripPWMPercent))
	}
	m.pwm = pwm
	for _, s := range []struct {
		reg dynamixel.Register
		v   int32
	}{
		{dynamixel.ProfileAcceleration, 0}, {dynamixel.ProfileVelocity, 0}, {dynamixel.PositionPGain, int32(p)}, {dynamixel.GoalPWM, pwm},
	} {
		if err := a.ensure(m, s.reg, s.v); err != nil {
			return err
		}
	}
	return a.readLimits(m)
}

func pwmSteps(percent float64) int32 { return int32(percent / 100 * dynamixel.PWMFull) }

func (m *motor) operatingMode() int32 {
	if m.byCurrent() {
		return dynamixel.ModeCurrent
	}
	return dynamixel.ModePosition
}

// readLimits learns what goals the servo itself accepts: it would refuse any
// other without a word, as goals are sent unanswered.
func (a *Arm) readLimits(m *motor) (err error) {
	if m.minTick, err = a.read(m, dynamixel.MinPositionLimit); err != nil {
		return err
	}
	if m.maxTick, err = a.read(m, dynamixel.MaxPositionLimit); err != nil {
		return err
	}
	if !m.current {
		return nil
	}
	limit, err := a.read(m, dynamixel.CurrentLimit)
	m.maxCurrent = min(limit, int32(a.cfg.CurrentLimitA/dynamixel.AmpPerStep))
	return err
}

// narrowLimits leaves of the joint limits what every servo of the joint accepts.
func (a *Arm) narrowLimits() {
	a.limits = twinrig.PositionLimits
	for i := range a.motors {
		if m := &a.motors[i]; m.axis < twinrig.NumJoints && !m.torque {
			a.limits.Lower[m.axis] = max(a.limits.Lower[m.axis], m.angle(m.minTick))
			a.limits.Upper[m.axis] = min(a.limits.Upper[m.axis], m.angle(m.maxTick))
		}
	}
}

func (a *Arm) read(m *motor, r dynamixel.Register) (int32, error) {
	v, err := a.bus.Read(m.id, r)
	if err != nil {
		return 0, fmt.Errorf("%s: %s: %w", m.name(), r.Name, err)
	}
	return v, nil
}

// ensure writes a register only if it differs, and believes it only when read
// back.
func (a *Arm) ensure(m *motor, r dynamixel.Register, want int32) error {
	v, err := a.read(m, r)
	if err != nil || v == want {
		return err
	}
	if err := a.set(m, r, want); err != nil {
		return err
	}
	if v, err = a.read(m, r); err == nil && v != want {
		err = fmt.Errorf("%s: %s is %d after writing %d", m.name(), r.Name, v, want)
	}
	return err
}
