package servotest

import (
	"math"
	"time"

	"twinrig/drivers/dynamixel"
)

// tableSize is one past the last address of an X series control table.
const tableSize = 662

// Servo is one emulated servo: a control table and the firmware behind it. It
// belongs to one Chain. Before NewChain it is the maker's; afterwards its
// methods are called inside Chain.Do.
type Servo struct {
	model  *dynamixel.Model
	params Params
	motor  motor
	memory
	backup [tableSize]byte

	first     dynamixel.ID // its ID when the chain was made
	slip      float64      // rad that the horn sits off, in the shaft's sense
	power     bool
	silent    bool
	deafUntil time.Duration
	reg       registered

	// What the encoder shows: the shaft's angle and speed in this servo's
	// sign, and the turns that a wrap added.
	angle, speed float64
	turns        int32

	drive
	watch watchdog
	heat  overload
}

// NewServo returns a servo as an Interbotix arm has it: Baud Rate 1 Mbit/s,
// Return Delay Time 0, all else as from the factory.
func NewServo(model *dynamixel.Model, id dynamixel.ID, p Params) *Servo {
	s := &Servo{model: model, params: p, motor: motorOf(model), power: true}
	s.load(model)
	s.put(dynamixel.FirmwareVersion, int32(p.Firmware))
	s.put(dynamixel.ServoID, int32(id))
	s.put(dynamixel.BaudRate, 3)
	s.put(dynamixel.ReturnDelayTime, 0)
	return s
}

// ID returns the servo's address.
func (s *Servo) ID() dynamixel.ID { return dynamixel.ID(s.table[dynamixel.ServoID.Addr]) }

// Model returns what kind of servo it is.
func (s *Servo) Model() *dynamixel.Model { return s.model }

// Get returns a register as a read would show it.
func (s *Servo) Get(r dynamixel.Register) int32 {
	s.refresh()
	return s.value(r)
}

// Set changes a register behind the firmware's back, read only ones included:
// it is how a servo is set up, and how a test puts it into a state.
func (s *Servo) Set(r dynamixel.Register, v int32) {
	old := s.value(r)
	s.put(r, v)
	s.effect(r.Addr, old, v)
}

// Torque returns the torque in Nm that the motor puts on the shaft, in the
// shaft's own sense.
func (s *Servo) Torque() float64 { return s.sign() * s.torque }

// sign is -1 in reverse drive mode.
func (s *Servo) sign() float64 {
	if s.table[dynamixel.DriveMode.Addr]&dynamixel.DriveReverse != 0 {
		return -1
	}
	return 1
}

// sense is -1 where velocities, currents and PWM have the other sign in the
// control table than positions have.
func (s *Servo) sense() int32 {
	if s.params.PlainReverse && s.sign() < 0 {
		return -1
	}
	return 1
}

func (s *Servo) mode() int32 { return int32(s.table[dynamixel.OperatingMode.Addr]) }

func (s *Servo) torqueOn() bool { return s.table[dynamixel.TorqueEnable.Addr] != 0 }

// gap is how long the servo takes to answer.
func (s *Servo) gap(cfg *Config) time.Duration {
	return cfg.ReplyGap + s.params.ExtraGap + 2*time.Microsecond*time.Duration(s.table[dynamixel.ReturnDelayTime.Addr])
}

// hears tells whether a packet on the bus reaches the servo.
func (s *Servo) hears(now time.Duration, baud int) bool {
	return s.power && now >= s.deafUntil && dynamixel.BaudFromCode(s.value(dynamixel.BaudRate)) == baud
}

// observe takes in the shaft's state.
func (s *Servo) observe(angle, speed float64) {
	s.angle, s.speed = angle+s.slip, speed
}

// velocity is the shaft's speed in rad/s in the servo's own sign.
func (s *Servo) velocity() float64 { return s.sign() * s.speed }

// position is Present Position.
func (s *Servo) position() int32 {
	return s.encoder() + s.turns*dynamixel.PulsesPerTurn + s.value(dynamixel.HomingOffset)
}

// encoder is the shaft's position in pulses since angle 0 was tick 2048, turns
// included, in the servo's own sign.
func (s *Servo) encoder() int32 {
	return dynamixel.CenterPulse + int32(math.Round(s.sign()*s.angle/dynamixel.RadPerPulse))
}

// wrap forgets whole turns: the position without its offset is within one turn.
func (s *Servo) wrap() {
	e := s.encoder()
	s.turns = -int32(math.Floor(float64(e) / dynamixel.PulsesPerTurn))
}

// boot is what a power-up or a reboot does.
func (s *Servo) boot(now time.Duration) {
	s.resetRAM()
	s.reg = registered{}
	s.wrap()
	s.heat = overload{}
	s.watch.feed(now)
	s.drive = drive{now: now}
	s.resetGoals()
	if s.value(dynamixel.StartupConfiguration)&1 != 0 {
		s.Set(dynamixel.TorqueEnable, 1)
	}
}

// reboot restarts the servo, which is deaf meanwhile.
func (s *Servo) reboot(now time.Duration) {
	s.boot(now)
	s.deafUntil = now + s.params.RebootTime
}
