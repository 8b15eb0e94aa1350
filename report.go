package twinrig

import "time"

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
)

var interventionNames = [...]string{
	"clipped_position", "clipped_velocity", "clipped_effort", "clipped_workspace",
	"refused_nan", "refused_stale", "refused_jump",
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
	// Late is how long after its due time the tick began.
	Late time.Duration
	// Misses counts the ticks so far whose reading or writing failed.
	Misses uint64
	// Step counts the policy's control steps so far in this motion, from 0.
	Step int
}
