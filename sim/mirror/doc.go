// Package mirror steps a simulated arm beside a real one, or beside a recording
// of one, and measures how far the two are apart.
//
// The mirror starts where the arm was measured, is given the goals that were
// really sent, closes the same control law on its own state, and is compared
// with each reading. A gap is always simulated minus measured. What the arm
// knows and the mirror is not told (the measured state after the start) never
// enters the simulation.
package mirror
