// Package servotest emulates a chain of Dynamixel servos at byte level: control
// tables, firmware behaviour, inner control loops, motors and the timing of the
// wire. What hangs on the output shafts is the user's: Shafts.
//
// A Chain is a function of time. It is told what the host sent and when, is
// advanced, and says which bytes the host has by then. Two ports put it under a
// dynamixel.Bus: Pipe, in lockstep with a virtual Clock (same inputs, same
// bytes, much faster than real time), and PTY, a real pty at the true rates.
//
// Units are SI; raw register steps are int32. Inside a servo the sign of
// position, speed, torque, current and PWM is the one its registers show, that
// is after Drive Mode's reverse; Shafts speak of the shaft itself.
//
// Sources: e-manual (emanual.robotis.com), protocol2.md and x/*.md, its firmware
// notes included; servo data of XM430-W350 and XL430-W250 at 12 V. What the
// e-manual leaves open and reports disagree about is an option; numbers nobody
// publishes (reply gap, reboot time, overload curve) are parameters. They are
// all guesses of a virtual rig.
package servotest
