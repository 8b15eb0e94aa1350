package dynamixel

// Goal positions of the modes that count turns: 256 turns either way.
const maxExtended = 1_048_575

// XM430W350 drives waist, shoulder, elbow, forearm_roll and wrist_angle.
//
// The e-manual disagrees with itself on some defaults; the values are those of
// its newer table. Velocity Limit is 350 and 415 in older ones. A real servo's
// own registers are what counts.
var XM430W350 = Model{
	Number: 1020,
	Name:   "XM430-W350",
	Source: "https://emanual.robotis.com/docs/en/dxl/x/xm430-w350/#control-table",
	Modes: []int32{
		ModeCurrent, ModeVelocity, ModePosition, ModeExtendedPosition, ModeCurrentPosition, ModePWM,
	},
	Table: table(
		row(ModelNumber, 0, 65535, 1020),
		row(TemperatureLimit, 0, 100, 80),
		row(MaxVoltageLimit, 95, 160, 160),
		row(MinVoltageLimit, 95, 160, 95),
		row(CurrentLimit, 0, 1193, 1193),
		row(VelocityLimit, 0, 1023, 200),
		row(VelocityIGain, 0, 16383, 1920),
		row(PositionDGain, 0, 16383, 0),
		row(PositionPGain, 0, 16383, 800),
		row(GoalCurrent, -1193, 1193, 0),
		row(PresentCurrent, -32768, 32767, 0),
	),
}

// XL430W250 drives wrist_rotate and gripper. It neither senses nor controls
// current: PresentLoad is an estimate from its own output.
var XL430W250 = Model{
	Number: 1060,
	Name:   "XL430-W250",
	Source: "https://emanual.robotis.com/docs/en/dxl/x/xl430-w250/#control-table",
	Modes:  []int32{ModeVelocity, ModePosition, ModeExtendedPosition, ModePWM},
	Table: table(
		row(ModelNumber, 0, 65535, 1060),
		row(TemperatureLimit, 0, 100, 72),
		row(MaxVoltageLimit, 60, 140, 140),
		row(MinVoltageLimit, 60, 140, 60),
		row(VelocityLimit, 0, 1023, 265),
		row(VelocityIGain, 0, 16383, 1000),
		row(PositionDGain, 0, 16383, 4000),
		row(PositionPGain, 0, 16383, 640),
		row(PresentLoad, -1000, 1000, 0),
	),
}

// common is what every model has alike.
func common() []Entry {
	return []Entry{
		row(ModelInformation, 0, 0, 0),
		row(FirmwareVersion, 0, 255, 0),
		row(ServoID, 0, int32(MaxID), 1),
		row(BaudRate, 0, int32(len(bauds)-1), 1),
		row(ReturnDelayTime, 0, 254, 250),
		row(DriveMode, 0, 13, 0),
		row(OperatingMode, 0, ModePWM, ModePosition),
		row(SecondaryID, 0, 255, 255),
		row(ProtocolType, 1, 2, 2),
		row(HomingOffset, -1_044_479, 1_044_479, 0),
		row(MovingThreshold, 0, 1023, 10),
		row(PWMLimit, 0, PWMFull, PWMFull),
		row(MaxPositionLimit, 0, PulsesPerTurn-1, PulsesPerTurn-1),
		row(MinPositionLimit, 0, PulsesPerTurn-1, 0),
		row(StartupConfiguration, 0, 3, 0),
		row(Shutdown, 0, 0x3D, HardwareOverload|HardwareShock|HardwareHeat),

		row(TorqueEnable, 0, 1, 0),
		row(LED, 0, 1, 0),
		row(StatusReturnLevel, 0, 2, 2),
		row(RegisteredInstruction, 0, 1, 0),
		row(HardwareErrorStatus, 0, 255, 0),
		row(VelocityPGain, 0, 16383, 100),
		row(PositionIGain, 0, 16383, 0),
		row(Feedforward2ndGain, 0, 16383, 0),
		row(Feedforward1stGain, 0, 16383, 0),
		row(BusWatchdog, 0, 127, 0),
		row(GoalPWM, -PWMFull, PWMFull, PWMFull),
		row(GoalVelocity, -1023, 1023, 0),
		row(ProfileAcceleration, 0, 32767, 0),
		row(ProfileVelocity, 0, 32767, 0),
		row(GoalPosition, -maxExtended, maxExtended, 0),
		row(RealtimeTick, 0, 32767, 0),
		row(Moving, 0, 1, 0),
		row(MovingStatus, 0, 255, 0),
		row(PresentPWM, -PWMFull, PWMFull, 0),
		row(PresentVelocity, -32768, 32767, 0),
		row(PresentPosition, -maxExtended, maxExtended, 0),
		row(VelocityTrajectory, -32768, 32767, 0),
		row(PositionTrajectory, -maxExtended, maxExtended, 0),
		row(PresentInputVoltage, 0, 65535, 0),
		row(PresentTemperature, 0, 255, 0),
		row(BackupReady, 0, 1, 0),
	}
}
