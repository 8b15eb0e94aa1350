package servotest

import (
	"math"
	"time"

	"twinrig/drivers/dynamixel"
)

// drive is the inner loop's state, in the servo's own sign.
type drive struct {
	now time.Duration // of the last inner step or command

	// The goals in effect, in register steps. Those in the control table may
	// be CommandDelay ahead.
	goalPWM, goalCurrent, goalVelocity, goalPosition int32
	queue                                            commands

	path     profile
	integral float64 // of the error, steps times ms

	pwm    float64 // output in steps, PWMFull at full supply
	torque float64 // Nm
}

// command lets a goal take effect after the servo's delay.
func (s *Servo) command(addr uint16, v int32) {
	if s.params.CommandDelay <= 0 {
		s.follow(addr, v)
		return
	}
	if c, full := s.queue.push(command{at: s.now + s.params.CommandDelay, addr: addr, v: v}); full {
		s.follow(c.addr, c.v)
	}
}

// follow makes a goal effective.
func (s *Servo) follow(addr uint16, v int32) {
	switch addr {
	case dynamixel.GoalPWM.Addr:
		s.goalPWM = s.sense() * v
	case dynamixel.GoalCurrent.Addr:
		s.goalCurrent = s.sense() * v
	case dynamixel.GoalVelocity.Addr:
		s.goalVelocity = s.sense() * v
	case dynamixel.GoalPosition.Addr:
		s.goalPosition = v
		s.plan()
	}
}

// restart begins at rest where the shaft is, with the control table's goals.
func (s *Servo) restart() {
	at := s.position()
	s.put(dynamixel.GoalPosition, at)
	s.queue = commands{}
	s.goalPWM = s.sense() * s.value(dynamixel.GoalPWM)
	s.goalVelocity = s.sense() * s.value(dynamixel.GoalVelocity)
	s.goalCurrent = 0
	if s.senses() {
		s.goalCurrent = s.sense() * s.value(dynamixel.GoalCurrent)
	}
	s.goalPosition = at
	s.path = profile{pos: float64(at), goal: float64(at)}
	s.integral = 0
}

// plan starts the way to a new goal position.
func (s *Servo) plan() {
	timed := s.table[dynamixel.DriveMode.Addr]&dynamixel.DriveTimeProfile != 0
	s.path.plan(float64(s.goalPosition), s.value(dynamixel.ProfileVelocity), s.value(dynamixel.ProfileAcceleration), timed)
}

// step runs the inner loop once: it ends with the torque for the next dt.
func (s *Servo) step(now, dt time.Duration) {
	s.now = now
	for c, ok := s.queue.pop(now); ok; c, ok = s.queue.pop(now) {
		s.follow(c.addr, c.v)
	}
	s.watchBus(now)
	s.watchHealth(dt)
	if !s.power || !s.torqueOn() {
		at := float64(s.position())
		s.path = profile{pos: at, goal: at}
		s.pwm, s.torque, s.integral = 0, 0, 0
		return
	}
	ms := float64(dt) / float64(time.Millisecond)
	switch s.mode() {
	case dynamixel.ModeCurrent:
		s.driveTorque(s.ampTorque() * float64(s.goalCurrent) * dynamixel.AmpPerStep)
	case dynamixel.ModeVelocity:
		s.drivePWM(s.velocityLoop(ms))
	case dynamixel.ModePWM:
		s.drivePWM(float64(s.goalPWM))
	case dynamixel.ModeCurrentPosition:
		s.drivePWM(s.positionLoop(ms))
		most := s.ampTorque() * math.Abs(float64(s.goalCurrent)) * dynamixel.AmpPerStep
		if math.Abs(s.torque) > most {
			s.driveTorque(math.Copysign(most, s.torque))
		}
	default:
		s.drivePWM(s.positionLoop(ms))
	}
}

// positionLoop is the firmware's position PID with feed-forward, in its own
// units: pulses, ms, PWM steps (e-manual, "Position PID Gain").
func (s *Servo) positionLoop(ms float64) float64 {
	s.path.step(ms / 1000)
	gain := func(r dynamixel.Register, unit float64) float64 { return float64(s.value(r)) / unit }
	err := s.path.pos - float64(s.position())
	rate := (s.path.vel - s.velocity()/dynamixel.RadPerPulse) / 1000
	ki := gain(dynamixel.PositionIGain, 65536)
	s.integrate(err*ms, ki)
	return gain(dynamixel.PositionPGain, 128)*err + ki*s.integral + gain(dynamixel.PositionDGain, 16)*rate +
		gain(dynamixel.Feedforward1stGain, 4)*s.path.vel/1000 + gain(dynamixel.Feedforward2ndGain, 4)*s.path.acc/1e6
}

// velocityLoop is the firmware's velocity PI, in velocity steps.
func (s *Servo) velocityLoop(ms float64) float64 {
	s.path.chase(float64(s.goalVelocity), accelSteps(s.value(dynamixel.ProfileAcceleration)), ms/1000)
	err := s.path.vel - s.velocity()/dynamixel.RadPerSecPerStep
	ki := float64(s.value(dynamixel.VelocityIGain)) / 65536
	s.integrate(err*ms, ki)
	return float64(s.value(dynamixel.VelocityPGain))/128*err + ki*s.integral
}

// integrate adds to the integral, which by itself never asks for more than full
// output.
func (s *Servo) integrate(x, ki float64) {
	if ki <= 0 {
		s.integral = 0
		return
	}
	most := dynamixel.PWMFull / ki
	s.integral = min(max(s.integral+x, -most), most)
}

// drivePWM puts out pwm, within the goal PWM.
func (s *Servo) drivePWM(pwm float64) {
	most := s.mostPWM()
	s.pwm = min(max(pwm, -most), most)
	s.torque = s.motor.torque(s.pwm/dynamixel.PWMFull, s.params.Voltage, s.velocity())
}

// driveTorque regulates the current that gives torque, as far as the voltage
// can.
func (s *Servo) driveTorque(torque float64) {
	s.drivePWM(s.motor.duty(torque, s.params.Voltage, s.velocity()) * dynamixel.PWMFull)
}

// mostPWM bounds the output: Goal PWM does in all modes but its own.
func (s *Servo) mostPWM() float64 {
	if s.mode() == dynamixel.ModePWM {
		return float64(s.value(dynamixel.PWMLimit))
	}
	return math.Abs(float64(s.goalPWM))
}

// ampTorque is the true torque constant, Nm/A.
func (s *Servo) ampTorque() float64 {
	return s.motor.stallTorque / s.motor.stallCurrent * s.params.TorqueScale
}
