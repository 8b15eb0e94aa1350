package scripted

import (
	"math"

	"twinrig"
	"twinrig/policy"
)

// phase is one part of the task.
type phase uint8

const (
	above   phase = iota // over the source, open, turned to it
	descend              // straight down around it
	grasp                // close and feel
	lift                 // straight up
	over                 // over the target, above its rim
	lower                // a little down
	open                 // let go
	retreat              // up and away
	done
	numPhases
)

var phaseNames = [numPhases]string{
	"above", "descend", "grasp", "lift", "over", "lower", "open", "retreat", "done",
}

// settle is how many steps the target stands still at the end of each phase
// before the next, so that the hand has caught up with it.
var settle = [numPhases]int{descend: 2, lower: 2, done: math.MaxInt}

// stillToLook is after how many still steps the measured pose counts: the hand
// follows within two, and a chunk is asked for one step before it begins.
const stillToLook = 3

// gripToFeel is how many steps after a gripper command its reading counts.
const gripToFeel = 3

// looks tells whether the phase ends by looking (see look) and not by itself.
func (e *Policy) looks() bool {
	switch e.phase {
	case above, over:
		return !e.cfg.Skill.Rush
	case grasp, open, done:
		return true
	default:
		return false
	}
}

// look ends the phases that need a measurement. It is called with the newest
// one at the start of each chunk.
func (e *Policy) look(measured twinrig.Pose, grip float64) {
	switch e.phase {
	case above, over:
		if !e.cfg.Skill.Rush && e.arrived() && e.still >= stillToLook {
			e.correct(measured)
		}
	case grasp, lift:
		if e.phase == grasp && e.shut < gripToFeel {
			return
		}
		if grip < e.emptyGrip() {
			e.retry()
		} else if e.phase == grasp {
			e.next()
		}
	case open:
		if e.shut >= stillToLook {
			e.next()
		}
	}
}

// correct starts from where the hand really is when that is not where it should
// be; after three corrections it makes do.
func (e *Policy) correct(measured twinrig.Pose) {
	to, _ := e.goal()
	dist, angle := measured.Gap(to)
	if (dist <= e.cfg.Skill.Tolerance && angle <= 10*e.cfg.Skill.Tolerance) || e.tries >= 3 {
		e.next()
		return
	}
	e.tries++
	e.target = measured
}

// retry goes back to the beginning with a fresh aim, or gives up.
func (e *Policy) retry() {
	if e.retries >= e.cfg.Skill.Retries {
		e.phase, e.tries = retreat, 0
		return
	}
	e.retries++
	e.phase, e.tries = above, 0
	e.takeAim()
}

func (e *Policy) next() { e.phase, e.tries = e.phase+1, 0 }

// emptyGrip is the opening below which the closed gripper holds nothing: half
// of what the source would keep it open, at most 0.15.
func (e *Policy) emptyGrip() float64 {
	held := float64(twinrig.GripFromFinger(e.cfg.Task.Source.Width/2 + padThickness))
	return min(0.15, held/2)
}

// graspHeight is the pinch point's height at the grasp: the source's middle, but
// with the tips off the table and the palm off the source's top.
func (e *Policy) graspHeight() float64 {
	h := e.cfg.Task.Source.Height
	return max(h/2, tipBeyondE+tipClearance, h-palmReach)
}

// goal is the pose the phase goes to and its speed, m per step.
func (e *Policy) goal() (twinrig.Pose, float64) {
	k, s, t := e.cfg.Skill, e.cfg.Task.Source, e.cfg.Task.Target
	at, speed := e.aim, k.Travel
	carried := max(k.Carry, t.Rim+0.03+e.graspHeight())
	z := carried
	switch e.phase {
	case above:
		z = max(s.Height, e.graspHeight()) + k.Hover
	case descend, grasp:
		z, speed = e.graspHeight(), k.Approach
	case lift:
		speed = k.Approach
	case over:
		at.x, at.y = e.drop.x, e.drop.y
	case lower, open:
		// What it holds has its bottom a centimetre over the rim.
		at.x, at.y, speed = e.drop.x, e.drop.y, k.Approach
		z = t.Rim + 0.01 + e.graspHeight()
	case retreat, done:
		// Straight up from wherever it is.
		at.x, at.y = e.target.P[0], e.target.P[1]
	}
	xBE, _ := policy.PoseFromState(policy.BridgeState{at.x, at.y, z, 0, 0, at.yaw})
	return xBE, speed
}

// wantGrip is the phase's gripper: open to approach and to let go, closed
// between, and open too early when it is clumsy.
func (e *Policy) wantGrip() float64 {
	switch e.phase {
	case grasp, lift:
		return 0
	case over:
		left := math.Hypot(e.drop.x-e.target.P[0], e.drop.y-e.target.P[1])
		if left <= (1-e.release)*e.carry {
			return 1
		}
		return 0
	case lower:
		return e.grip
	default:
		return 1
	}
}
