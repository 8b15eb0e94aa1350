package dynamixel

import (
	"fmt"
	"math"
)

// One step of the registers' values, in SI units (e-manual, X series).
const (
	RadPerPulse       = 2 * math.Pi / 4096
	RadPerSecPerStep  = 0.229 * 2 * math.Pi / 60
	RadPerSec2PerStep = 214.577 * 2 * math.Pi / 3600
	AmpPerStep        = 0.00269
	LoadPerStep       = 0.001
	// PWMFull is the PWM value of full supply voltage.
	PWMFull = 885
	// WatchdogSecPerStep is one step of BusWatchdog.
	WatchdogSecPerStep = 0.020
	// ReturnDelaySecPerStep is one step of ReturnDelayTime.
	ReturnDelaySecPerStep = 2e-6
	// CenterPulse is the position of an angle of 0.
	CenterPulse = 2048
	// PulsesPerTurn is the encoder's resolution.
	PulsesPerTurn = 4096

	ramStart = 64
)

// Values of OperatingMode.
const (
	ModeCurrent          = 0 // not XL430
	ModeVelocity         = 1
	ModePosition         = 3
	ModeExtendedPosition = 4 // more than one turn
	ModeCurrentPosition  = 5 // position with bounded current; not XL430
	ModePWM              = 16
)

// Bits of DriveMode.
const (
	DriveReverse     = 0x01
	DriveTimeProfile = 0x04 // firmware 42
	DriveGoalTorque  = 0x08 // a goal takes torque on; firmware 45
)

// Bits of HardwareErrorStatus and of Shutdown.
const (
	HardwareVoltage  = 0x01
	HardwareHeat     = 0x04
	HardwareEncoder  = 0x08
	HardwareShock    = 0x10
	HardwareOverload = 0x20
)

// The registers of the X series. EEPROM comes first, then RAM from TorqueEnable
// on. CurrentLimit, GoalCurrent and PresentCurrent are the XM430's, PresentLoad
// is what the XL430 has at the same address.
var (
	ModelNumber          = ro(0, 2, "model_number")
	ModelInformation     = ro(2, 4, "model_information")
	FirmwareVersion      = ro(6, 1, "firmware_version")
	ServoID              = rw(7, 1, "id")
	BaudRate             = rw(8, 1, "baud_rate")
	ReturnDelayTime      = rw(9, 1, "return_delay_time").in(ReturnDelaySecPerStep, "s")
	DriveMode            = rw(10, 1, "drive_mode")
	OperatingMode        = rw(11, 1, "operating_mode")
	SecondaryID          = rw(12, 1, "secondary_id")
	ProtocolType         = rw(13, 1, "protocol_type")
	HomingOffset         = rw(20, 4, "homing_offset").signed().in(RadPerPulse, "rad")
	MovingThreshold      = rw(24, 4, "moving_threshold").in(RadPerSecPerStep, "rad/s")
	TemperatureLimit     = rw(31, 1, "temperature_limit").in(1, "C")
	MaxVoltageLimit      = rw(32, 2, "max_voltage_limit").in(0.1, "V")
	MinVoltageLimit      = rw(34, 2, "min_voltage_limit").in(0.1, "V")
	PWMLimit             = rw(36, 2, "pwm_limit").in(1.0/PWMFull, "1")
	CurrentLimit         = rw(38, 2, "current_limit").in(AmpPerStep, "A")
	VelocityLimit        = rw(44, 4, "velocity_limit").in(RadPerSecPerStep, "rad/s")
	MaxPositionLimit     = rw(48, 4, "max_position_limit").in(RadPerPulse, "rad")
	MinPositionLimit     = rw(52, 4, "min_position_limit").in(RadPerPulse, "rad")
	StartupConfiguration = rw(60, 1, "startup_configuration")
	Shutdown             = rw(63, 1, "shutdown")

	TorqueEnable          = rw(64, 1, "torque_enable")
	LED                   = rw(65, 1, "led")
	StatusReturnLevel     = rw(68, 1, "status_return_level")
	RegisteredInstruction = ro(69, 1, "registered_instruction")
	HardwareErrorStatus   = ro(70, 1, "hardware_error_status")
	VelocityIGain         = rw(76, 2, "velocity_i_gain").in(1.0/65536, "1")
	VelocityPGain         = rw(78, 2, "velocity_p_gain").in(1.0/128, "1")
	PositionDGain         = rw(80, 2, "position_d_gain").in(1.0/16, "1")
	PositionIGain         = rw(82, 2, "position_i_gain").in(1.0/65536, "1")
	PositionPGain         = rw(84, 2, "position_p_gain").in(1.0/128, "1")
	Feedforward2ndGain    = rw(88, 2, "feedforward_2nd_gain").in(1.0/4, "1")
	Feedforward1stGain    = rw(90, 2, "feedforward_1st_gain").in(1.0/4, "1")
	BusWatchdog           = rw(98, 1, "bus_watchdog").signed().in(WatchdogSecPerStep, "s")
	GoalPWM               = rw(100, 2, "goal_pwm").signed().in(1.0/PWMFull, "1")
	GoalCurrent           = rw(102, 2, "goal_current").signed().in(AmpPerStep, "A")
	GoalVelocity          = rw(104, 4, "goal_velocity").signed().in(RadPerSecPerStep, "rad/s")
	ProfileAcceleration   = rw(108, 4, "profile_acceleration").in(RadPerSec2PerStep, "rad/s^2")
	ProfileVelocity       = rw(112, 4, "profile_velocity").in(RadPerSecPerStep, "rad/s")
	GoalPosition          = rw(116, 4, "goal_position").signed().in(RadPerPulse, "rad")
	RealtimeTick          = ro(120, 2, "realtime_tick").in(0.001, "s")
	Moving                = ro(122, 1, "moving")
	MovingStatus          = ro(123, 1, "moving_status")
	PresentPWM            = ro(124, 2, "present_pwm").signed().in(1.0/PWMFull, "1")
	PresentCurrent        = ro(126, 2, "present_current").signed().in(AmpPerStep, "A")
	PresentLoad           = ro(126, 2, "present_load").signed().in(LoadPerStep, "1")
	PresentVelocity       = ro(128, 4, "present_velocity").signed().in(RadPerSecPerStep, "rad/s")
	PresentPosition       = ro(132, 4, "present_position").signed().in(RadPerPulse, "rad")
	VelocityTrajectory    = ro(136, 4, "velocity_trajectory").signed().in(RadPerSecPerStep, "rad/s")
	PositionTrajectory    = ro(140, 4, "position_trajectory").signed().in(RadPerPulse, "rad")
	PresentInputVoltage   = ro(144, 2, "present_input_voltage").in(0.1, "V")
	PresentTemperature    = ro(146, 1, "present_temperature").in(1, "C")
	BackupReady           = ro(147, 1, "backup_ready")
)

// Indirects is how many indirect addresses there are, in two halves.
const Indirects = 56

// IndirectAddress is where entry n, 0 to 55, of the indirect data points to.
func IndirectAddress(n int) Register {
	return rw(indirectAt(n, 168, 578, 2), 2, fmt.Sprintf("indirect_address_%d", n+1))
}

// IndirectData is entry n, 0 to 55: a window on the byte that IndirectAddress(n)
// points to.
func IndirectData(n int) Register {
	return rw(indirectAt(n, 224, 634, 1), 1, fmt.Sprintf("indirect_data_%d", n+1))
}

func indirectAt(n int, first, second, size uint16) uint16 {
	const half = Indirects / 2
	if n < half {
		return first + uint16(n)*size
	}
	return second + uint16(n-half)*size
}

// bauds are the values of BaudRate in order.
var bauds = [...]int{9600, 57600, 115200, 1_000_000, 2_000_000, 3_000_000, 4_000_000, 4_500_000}

// BaudFromCode returns the rate in bit/s of a value of BaudRate, or 0.
func BaudFromCode(code int32) int {
	if code < 0 || int(code) >= len(bauds) {
		return 0
	}
	return bauds[code]
}

// CodeFromBaud returns the value of BaudRate for a rate in bit/s, or false if
// the servos do not know it.
func CodeFromBaud(baud int) (int32, bool) {
	for code, b := range bauds {
		if b == baud {
			return int32(code), true
		}
	}
	return 0, false
}

func ro(addr, size uint16, name string) Register {
	return Register{Addr: addr, Size: size, Name: name}
}

func rw(addr, size uint16, name string) Register {
	return Register{Addr: addr, Size: size, Name: name, Access: ReadWrite}
}

func (r Register) signed() Register {
	r.Signed = true
	return r
}

func (r Register) in(scale float64, unit string) Register {
	r.Scale, r.Unit = scale, unit
	return r
}
