// Package armtest is the contract that every twinrig.Arm passes: the WidowX
// driver on emulated servos, the simulated arm, and, run with care, the real
// one.
//
// Suite works in the arm's own time: a Fixture says what time it is and lets it
// pass, so that a test of seconds of motion takes as long as computing it.
package armtest
