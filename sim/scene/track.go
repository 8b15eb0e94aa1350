package scene

import (
	"math"
	"time"

	"twinrig"
)

// run counts control steps in a row, and knows when the row began.
type run struct {
	n     int
	since time.Duration
}

// count adds a step to the row, or ends it.
func (r *run) count(on bool, now time.Duration) {
	switch {
	case !on:
		r.n = 0
	case r.n == 0:
		r.n, r.since = 1, now
	default:
		r.n++
	}
}

// track is what the judge remembers of one object.
type track struct {
	*Object
	start, pose, before twinrig.Pose
	fingers             bool // both fingers touch it now
	robot, table        bool
	grasp, lift         run
	grasped, lifted     bool // for long enough, at any time
}

func (t *track) moved() float64 {
	return math.Hypot(t.pose.P[0]-t.start.P[0], t.pose.P[1]-t.start.P[1])
}

func (t *track) high(r *Rules) bool { return t.lowest(t.pose)-t.lowest(t.start) >= r.Lift }

func (t *track) atRest(r *Rules) bool { return t.pose.P.Sub(t.before.P).Norm() <= r.Rest }
