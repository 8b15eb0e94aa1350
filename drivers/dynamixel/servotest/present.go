package servotest

import (
	"math"
	"time"

	"twinrig/drivers/dynamixel"
)

// Bits of Moving Status.
const (
	movingArrived   = 0x01
	movingOngoing   = 0x02
	movingRectangle = 0x10
	movingTrapezoid = 0x30
)

// arrived is how near to its goal a servo counts as in position, in pulses.
const arrived = 10

// refresh brings the read only registers up to date.
func (s *Servo) refresh() {
	sense := float64(s.sense())
	v := sense * s.velocity() / dynamixel.RadPerSecPerStep
	s.put(dynamixel.RealtimeTick, int32(s.now/time.Millisecond%32768))
	s.put(dynamixel.Moving, flag(math.Abs(v) > float64(s.value(dynamixel.MovingThreshold))))
	s.put(dynamixel.MovingStatus, s.movingStatus())
	s.put(dynamixel.PresentPWM, round16(sense*s.pwm))
	if s.senses() {
		s.put(dynamixel.PresentCurrent, round16(sense*s.torque/s.ampTorque()/dynamixel.AmpPerStep))
	} else {
		s.put(dynamixel.PresentLoad, round16(sense*s.pwm/dynamixel.PWMFull/dynamixel.LoadPerStep))
	}
	s.put(dynamixel.PresentVelocity, int32(math.Round(v)))
	s.put(dynamixel.PresentPosition, s.position())
	trajectory := sense * s.path.vel
	if s.mode() != dynamixel.ModeVelocity {
		trajectory *= dynamixel.RadPerPulse / dynamixel.RadPerSecPerStep
	}
	s.put(dynamixel.VelocityTrajectory, int32(math.Round(trajectory)))
	s.put(dynamixel.PositionTrajectory, int32(math.Round(s.path.pos)))
	s.put(dynamixel.PresentInputVoltage, int32(math.Round(s.params.Voltage*10)))
	s.put(dynamixel.PresentTemperature, int32(s.params.Temperature))
	s.put(dynamixel.RegisteredInstruction, flag(s.reg.data != nil))
}

func (s *Servo) movingStatus() int32 {
	var bits int32
	if math.Abs(float64(s.goalPosition-s.position())) <= arrived {
		bits |= movingArrived
	}
	if s.path.ongoing() {
		bits |= movingOngoing
	}
	switch {
	case s.path.most > 0 && s.path.ramp > 0:
		bits |= movingTrapezoid
	case s.path.most > 0:
		bits |= movingRectangle
	}
	return bits
}

func flag(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// round16 rounds to a two byte register, which saturates.
func round16(x float64) int32 {
	return int32(math.Round(min(max(x, math.MinInt16), math.MaxInt16)))
}
