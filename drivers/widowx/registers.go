package widowx

import "twinrig/drivers/dynamixel"

// What is read and written in one go, by many servos or of one.
var (
	// blockState is Present Current (XL430: Present Load), Present Velocity and
	// Present Position.
	blockState = dynamixel.Block{Addr: 126, Len: 10}
	// blockHealth is Torque Enable to Hardware Error Status.
	blockHealth = dynamixel.Block{Addr: 64, Len: 7}
	// blockSupply is Present Input Voltage and Present Temperature.
	blockSupply = dynamixel.Block{Addr: 144, Len: 3}

	blockTorque   = dynamixel.TorqueEnable.Block()
	blockWatchdog = dynamixel.BusWatchdog.Block()
	blockCurrent  = dynamixel.GoalCurrent.Block()
	blockPWM      = dynamixel.GoalPWM.Block()
	blockPosition = dynamixel.GoalPosition.Block()
)
