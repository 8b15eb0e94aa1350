// Package widowx drives a WidowX 250S: nine Dynamixel servos on one bus as one
// twinrig.Arm.
//
// Each servo belongs to an axis; shoulder and elbow have two, the second of
// which (the shadow) is mounted mirrored. Every servo is written to by its own
// ID: secondary IDs are not used, and a mirrored servo's reverse bit makes its
// position, speed and current mean the joint's. motorMap is the only crossing
// between motor space (ticks, current steps) and joint space (rad, Nm).
//
// In ModeTorque the XM430s run in current mode on Command.Effort and the two
// XL430s (wrist_rotate, gripper), which have no current control, in position
// mode. In ModePosition all nine are in position mode. The gripper's grip is
// bounded by its goal PWM: closed on an object, it pushes with that share of
// its stall torque.
//
// Life: New, Open (scan, modes, limits), Enable (torque), then Read and Write
// in a loop, Halt at the end. Open, Enable, Read and Write are one goroutine's;
// Halt and Status are anybody's. The arm does not own the bus.
//
// Numbers: Interbotix wx250s.yaml (IDs, reverse), e-manual pages XM430-W350
// and XL430-W250 (registers, units).
package widowx
