package twinrig

import "time"

// Gap is how far the mirror's simulated arm is from the mirrored one at one
// control step: simulated minus measured, both at Stamp.
type Gap struct {
	// Stamp is the time of the tick whose reading is compared; Step its
	// Report.Step.
	Stamp time.Duration
	Step  int
	// Joints and Velocity are rad and rad/s.
	Joints, Velocity Joints
	// Translation is the distance in m between the two pinch points, Rotation
	// the true angle in rad between the two hands.
	Translation, Rotation float64
	// Grip is the difference of the openings.
	Grip Grip
	// Behind is how long after Stamp the comparison was made, by the rig's
	// clock: a mirror that cannot keep up says so here.
	Behind time.Duration
}

// Event is something that happened once: a trial began, the gripper made
// contact, a camera froze, a verdict was given.
type Event struct {
	Stamp time.Duration
	// Kind is a snake_case word, such as "trial_start".
	Kind string
	// Trial is the trial's id; empty outside a trial.
	Trial string
	// Detail is one line for a person; it may be empty.
	Detail string
}
