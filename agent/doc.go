// Package agent owns time and safety: the control loop, the guard that every
// goal passes, the motion between goals, what happens when something breaks,
// and the way to a stop.
//
// Threading: one goroutine ticks a Loop, and everything in a tick belongs to it.
// A Runner starts motions on the Loop from any other goroutine (live), or ticks
// it itself (lockstep). Joints are rad, torques Nm, poses of E in B.
package agent

import "twinrig"

// Forwarder gives the pose of E in B. One goroutine uses it at a time; it does
// not allocate.
type Forwarder interface {
	Forward(q twinrig.Joints) twinrig.Pose
}

// Gravity gives the torque in Nm that holds the arm still at q. One goroutine
// uses it at a time; it does not allocate.
type Gravity interface {
	Gravity(q twinrig.Joints) twinrig.Joints
}

// Sink takes reports. Put is called in the tick: it copies what it wants and
// never blocks or allocates.
type Sink interface {
	Put(r *twinrig.Report)
}
