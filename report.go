package twinrig

import (
	"fmt"
	"time"
)

// Intervention is a set of reasons for which the guard clipped or refused.
type Intervention uint16

// The guard's reasons.
const (
	ClippedPosition  Intervention = 1 << iota // joint goal moved into its limits
	ClippedVelocity                           // goal slowed to the velocity limit
	ClippedEffort                             // torque cut to its limit
	ClippedWorkspace                          // goal would leave the workspace; held
	RefusedNaN                                // goal was not finite; held
	RefusedStale                              // state too old; held
	RefusedJump                               // goal too far from the arm; held
	RefusedContact                            // arm would touch table or itself; held
	RefusedDuty                               // a joint drove too hard for too long; held where it is
	StalePolicy                               // policy's next goal is not there; held
	StaleCamera                               // picture too old to ask the policy; held
)

// NumInterventions is how many reasons there are.
const NumInterventions = len(interventionNames)

var interventionNames = [...]string{
	"clipped_position", "clipped_velocity", "clipped_effort", "clipped_workspace",
	"refused_nan", "refused_stale", "refused_jump", "refused_contact", "refused_duty",
	"stale_policy", "stale_camera",
}

// Contact is a predicted contact of two bodies of the arm's model.
type Contact struct {
	// Bodies are the names of the two.
	Bodies [2]string
	// Depth is how far their shapes would be in each other, m, and Over how
	// much more that is than may be overlooked; 0 is no contact.
	Depth, Over float64
}

// String says what would touch.
func (c Contact) String() string {
	return fmt.Sprintf("%s would be %.0f mm in %s", c.Bodies[0], 1000*c.Depth, c.Bodies[1])
}

// Names lists the reasons in the set, for logs and reports.
func (v Intervention) Names() []string {
	var names []string
	for i, n := range interventionNames {
		if v&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return names
}

// Report is what one tick did. Recorder, telemetry, mirror and judge read only
// this.
type Report struct {
	// Tick counts from 0; Now is the time the tick was given.
	Tick uint64
	Now  time.Duration
	// State is the tick's reading.
	State State
	// Asked is the goal before the guard, Sent the command after it and after
	// the arm's own limits.
	Asked Goal
	Sent  Command
	// Guard says what the guard did to Asked.
	Guard Intervention
	// Contact is what RefusedContact was for. It is not in the JSON form.
	Contact Contact
	// Late is how long after its due time the tick began.
	Late time.Duration
	// Misses counts the ticks so far whose reading or writing failed.
	Misses uint64
	// Step counts the policy's control steps so far in this motion, from 0.
	Step int
}
