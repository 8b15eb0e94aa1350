package twinrig

import (
	"errors"
	"time"
)

// State is one reading of the arm, in joint space.
type State struct {
	// Stamp is when the reading was taken, monotonic since the rig was opened.
	Stamp time.Duration
	// Measured and Velocity are rad and rad/s.
	Measured, Velocity Joints
	// Effort is the torque in Nm that the measured motor current amounts to.
	// It is NaN where the servo senses no current (wrist_rotate).
	Effort Joints
	// Load is what the two XL430 servos report instead of a current
	// (wrist_rotate, gripper): their output as a share of its maximum, -1 to 1.
	Load [2]float64
	// Grip is the measured opening.
	Grip Grip
	// Age is how old each axis's values are at Stamp: 0 means read this cycle.
	// An axis whose servo did not answer keeps its last values and says so here.
	Age [NumAxes]time.Duration
	// HardwareError is each axis's Hardware Error Status (Dynamixel register
	// 70), shadows included; 0 is none.
	HardwareError [NumAxes]uint8
	// Servos[:NumServos] is each servo's health; none for an arm without
	// servos. It has a JSON form of its own and is not in a Report's.
	Servos    [MaxServos]ServoHealth
	NumServos int
}

// Goal is what the arm should be doing at one instant.
type Goal struct {
	// Joints and Velocity are rad and rad/s.
	Joints, Velocity Joints
	// Grip is the wanted opening.
	Grip Grip
}

// Command is what one cycle sends. Which joints follow Goal and which follow
// Effort is the arm's control mode: see Mode.
type Command struct {
	Goal
	// Effort is the torque in Nm that the motors shall supply.
	Effort Joints
}

// Mode is who closes the position loop.
type Mode uint8

const (
	// ModePosition lets the servos do it, on Command.Joints.
	ModePosition Mode = iota
	// ModeTorque lets the host do it. Joints with current control follow
	// Command.Effort; wrist_rotate and gripper stay in position control.
	ModeTorque
)

// String returns the word used in files.
func (m Mode) String() string {
	if m == ModeTorque {
		return "torque"
	}
	return "position"
}

// ErrHalted is returned by Write after Halt, until the arm is enabled again.
var ErrHalted = errors.New("arm is halted")

// ErrHold is wrapped by errors of an Arm that still reads and follows commands,
// but should be asked for nothing but to hold: the state was filled, or the
// command sent.
var ErrHold = errors.New("arm should only hold")

// Arm is a WidowX 250S, real, emulated or simulated. Read, Write and Enable are
// called by one goroutine. Every Arm passes drivers/armtest.
type Arm interface {
	// Enable takes torque on, holding the present pose.
	Enable() error
	// Read takes one reading at time now into s. An axis that does not answer
	// is not an error by itself: it keeps its values and gains Age. Read
	// returns an error when the reading as a whole cannot be trusted.
	Read(now time.Duration, s *State) error
	// Write sends c and returns what was truly sent after the arm's limits.
	// A command that is not finite is refused whole. It is an error to write
	// while torque is off.
	Write(now time.Duration, c Command) (Command, error)
	// Halt takes torque off at once, wherever the arm is: whoever wants it to
	// be parked first parks it first. It is idempotent, may be called from
	// any goroutine, and does not wait for the control loop.
	Halt() error
}
