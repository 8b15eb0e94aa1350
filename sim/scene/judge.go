package scene

import (
	"fmt"
	"time"

	"twinrig"
)

// View is what the judge sees of a world. *sim.World is one.
type View interface {
	// ContactForce is the sum of the normal forces in N between two bodies;
	// "table", "robot", "left_finger" and "right_finger" are names too.
	ContactForce(a, b string) float64
	// BodyPose is the pose of a body in B.
	BodyPose(name string) (twinrig.Pose, error)
	// EE is the pose of the pinch point in B.
	EE() twinrig.Pose
}

// Tick is one control step as the judge is told of it.
type Tick struct {
	Now time.Duration
	// Grip is the measured opening, GripGoal the commanded one.
	Grip, GripGoal twinrig.Grip
}

// Judge watches one trial, one call of Step per control step, and says what
// came of it. It is deterministic and keeps no view.
type Judge struct {
	scene  *Scene
	rules  Rules
	tracks []track
	a, b   *track

	invalid      string
	done         run  // the predicate, with its options
	closedOnNone bool // the gripper is closed near A with nothing in it
	touched      bool // the robot has touched an object or the table
	out          Outcome
}

// NewJudge judges trials of a scene, which must be valid and must not change.
func NewJudge(s *Scene, r Rules) (*Judge, error) {
	if err := r.Validate(); err != nil {
		return nil, fmt.Errorf("scene: rules: %w", err)
	}
	j := &Judge{scene: s, rules: r, tracks: make([]track, len(s.Objects))}
	for i := range s.Objects {
		j.tracks[i].Object = &s.Objects[i]
		switch s.Objects[i].Role {
		case Source:
			j.a = &j.tracks[i]
		case Target:
			j.b = &j.tracks[i]
		}
	}
	return j, nil
}

// Start begins a trial in a world whose objects have settled and whose contact
// forces are known: step it at least once before. A task that is already done,
// or a source that the robot already touches, makes the trial invalid.
func (j *Judge) Start(v View) error {
	j.invalid, j.done, j.closedOnNone, j.touched = "", run{}, false, false
	j.out = Outcome{Rule: RuleVersion, Grasp: Never, Lift: Never, Success: Never, FirstTrue: Never}
	for i := range j.tracks {
		t := &j.tracks[i]
		x, err := v.BodyPose(t.Name)
		if err != nil {
			return fmt.Errorf("scene: judge: %w", err)
		}
		*t = track{Object: t.Object, start: x, pose: x, before: x}
		j.feel(t, v)
	}
	switch {
	case j.eq8(v) || j.scene.related(j.a.pose, j.b.pose):
		j.invalid = "the task is done before it begins"
	case j.a.robot:
		j.invalid = "the robot touches " + j.a.Name + " before the trial begins"
	}
	return nil
}

// Step judges one control step and says what it saw. It allocates nothing.
func (j *Judge) Step(now Tick, v View) (Event, error) {
	var ev Event
	for i := range j.tracks {
		t := &j.tracks[i]
		x, err := v.BodyPose(t.Name)
		if err != nil {
			return 0, fmt.Errorf("scene: judge: %w", err)
		}
		wasHeldHigh := t.fingers && t.high(&j.rules)
		t.before, t.pose = t.pose, x
		j.feel(t, v)
		j.hold(t, now.Now)
		if t == j.a && wasHeldHigh && !t.fingers && now.GripGoal < j.rules.OpenGrip {
			ev |= EventDropped
		}
	}
	ev |= j.seeSource(now, v) | j.seeRobot(v) | j.seeTask(now, v)
	j.out.Seen |= ev
	return ev, nil
}

// feel reads an object's contacts.
func (j *Judge) feel(t *track, v View) {
	f := j.rules.MinForce
	left, right := v.ContactForce(t.Name, "left_finger") > f, v.ContactForce(t.Name, "right_finger") > f
	t.fingers = left && right
	t.robot = left || right || v.ContactForce(t.Name, "robot") > f
	t.table = v.ContactForce(t.Name, "table") > f
	j.touched = j.touched || t.robot
}

// hold counts for how long an object has been grasped and lifted. What lasts
// long enough dates from its first step.
func (j *Judge) hold(t *track, now time.Duration) {
	t.grasp.count(t.fingers, now)
	t.lift.count(t.fingers && t.high(&j.rules), now)
	if !t.grasped && t.grasp.n >= j.rules.HoldSteps {
		t.grasped = true
		if t == j.a {
			j.out.Grasp = t.grasp.since
		}
	}
	if !t.lifted && t.lift.n >= j.rules.HoldSteps {
		t.lifted = true
		if t == j.a {
			j.out.Lift = t.lift.since
		}
	}
}

// seeSource looks for a grasp that closed on nothing, and tells how A is held.
func (j *Judge) seeSource(now Tick, v View) (ev Event) {
	held := false
	for i := range j.tracks {
		held = held || j.tracks[i].fingers
	}
	near := v.EE().P.Sub(j.a.pose.P).Norm() <= j.rules.Near
	closed := Opening(now.Grip) < j.a.GraspWidth()-j.rules.ClosedMargin && now.GripGoal < j.rules.OpenGrip
	miss := closed && near && !held && j.done.n == 0
	if miss && !j.closedOnNone {
		ev |= EventMissedGrasp
	}
	j.closedOnNone = miss
	if j.a.robot {
		ev |= EventTouch
	}
	if j.a.fingers {
		ev |= EventGrasp
	}
	if j.a.lift.n > 0 {
		ev |= EventLift
	}
	for i := range j.tracks {
		if t := &j.tracks[i]; t.Role == Distractor && t.robot {
			ev |= EventWrongTouch
		}
	}
	return ev
}

// seeRobot looks for a collision with the table.
func (j *Judge) seeRobot(v View) Event {
	f := v.ContactForce("robot", "table")
	j.touched = j.touched || f > j.rules.MinForce
	if f > j.rules.Collision {
		return EventCollision
	}
	return 0
}

// seeTask evaluates the success predicate and its dwell.
func (j *Judge) seeTask(now Tick, v View) (ev Event) {
	holds := j.eq8(v)
	related := j.scene.related(j.a.pose, j.b.pose)
	if holds {
		ev |= EventPredicate
		if j.out.FirstTrue == Never {
			j.out.FirstTrue = now.Now
		}
	}
	if related {
		ev |= EventRelated
	}
	j.done.count(holds && j.options(v, related), now.Now)
	if j.done.n >= j.rules.Dwell {
		ev |= EventSuccess
		if j.out.Success == Never {
			j.out.Success, j.out.Related = j.done.since, related
		}
	}
	return ev
}

// eq8 is Eq. 8: A touches B, and neither the table nor the robot.
func (j *Judge) eq8(v View) bool {
	return !j.a.table && !j.a.robot && v.ContactForce(j.a.Name, j.b.Name) > j.rules.MinForce
}

// options are what the rules ask for beside Eq. 8.
func (j *Judge) options(v View, related bool) bool {
	r := &j.rules
	if r.Relation && !related || r.Upright && (!j.b.table || !upright(j.b.pose.R, r.Lean)) {
		return false
	}
	for i := range j.tracks {
		if t := &j.tracks[i]; r.Strict && t != j.a && t != j.b && v.ContactForce(j.a.Name, t.Name) > r.MinForce {
			return false
		}
	}
	return true
}

// Done tells whether the task has succeeded, dwell included, or the trial is
// invalid.
func (j *Judge) Done() bool { return j.invalid != "" || j.out.Success != Never }

// Pending tells whether the predicate holds and only the dwell is missing: a
// trial that runs out of time now deserves the steps that decide it.
func (j *Judge) Pending() bool { return !j.Done() && j.done.n > 0 }
