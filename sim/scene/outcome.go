package scene

import (
	"math"
	"time"
)

// Never is the time of what did not happen.
const Never = time.Duration(-1)

// Event is a set of what the judge saw in one control step.
type Event uint32

// The events. Dropped, MissedGrasp and Collision mark the step at which they
// happen; the others hold as long as they are true.
const (
	EventTouch       Event = 1 << iota // the robot touches the source
	EventGrasp                         // both fingers touch the source
	EventLift                          // and it is lifted
	EventPredicate                     // Eq. 8 holds, options aside
	EventRelated                       // the relation's geometry holds
	EventSuccess                       // the predicate has held for the dwell
	EventDropped                       // the source left the fingers unasked
	EventMissedGrasp                   // the gripper closed near the source on nothing
	EventWrongTouch                    // the robot touches a distractor
	EventCollision                     // the robot presses on the table
)

var eventNames = [...]string{
	"touch", "grasp", "lift", "predicate", "related", "success",
	"dropped", "missed_grasp", "wrong_touch", "collision",
}

// Names lists the events in the set, for logs.
func (e Event) Names() []string {
	var names []string
	for i, n := range eventNames {
		if e&(1<<i) != 0 {
			names = append(names, n)
		}
	}
	return names
}

// Label names one error of a trial.
type Label string

// The labels. WrongObject and WrongTarget are errors of understanding, all
// others of execution.
const (
	MissedGrasp  Label = "missed_grasp"
	Dropped      Label = "dropped"
	PlacedBeside Label = "placed_beside"
	OutOfReach   Label = "out_of_reach"
	Collision    Label = "collision"
	NoAttempt    Label = "no_attempt"
	WrongObject  Label = "wrong_object"
	WrongTarget  Label = "wrong_target"
	// Unfinished is a failure in which nothing else went wrong: the time was up.
	Unfinished Label = "unfinished"
)

// Semantic tells whether the label is an error of understanding.
func (l Label) Semantic() bool { return l == WrongObject || l == WrongTarget }

// Outcome is what became of a trial. Times are the Tick's; Never is no time.
type Outcome struct {
	// Rule is the version of the rules that judged.
	Rule string
	// Invalid says why the trial does not count, empty if it does.
	Invalid string
	// Grasp and Lift are the first step of the first grasp and lift of the
	// source that lasted; FirstTrue the first step at which Eq. 8 held at all,
	// without dwell and options; Success the first step of the run that met
	// the dwell.
	Grasp, Lift, FirstTrue, Success time.Duration
	// Related tells whether the relation's geometry held when the dwell was
	// met. Unstable is a success that was no longer true at the end.
	Related, Unstable bool
	// Labels are the errors of a failed trial, at least one. Recovered are the
	// errors that a successful trial made on its way.
	Labels, Recovered []Label
	// Seen are all events of the trial.
	Seen Event
}

// PickedUp tells whether the source was grasped and lifted at any time.
func (o *Outcome) PickedUp() bool { return o.Lift != Never }

// Succeeded tells whether the task was done, dwell included.
func (o *Outcome) Succeeded() bool { return o.Invalid == "" && o.Success != Never }

// Outcome judges the trial as it stands after the last Step.
func (j *Judge) Outcome() Outcome {
	o := j.out
	o.Invalid = j.invalid
	switch {
	case o.Invalid != "":
	case o.Succeeded():
		o.Unstable = j.done.n == 0
		o.Recovered = j.passed(nil)
	default:
		o.Labels = j.failures()
	}
	return o
}

// passed adds the errors that happen at one moment, in a fixed order.
func (j *Judge) passed(labels []Label) []Label {
	for _, c := range []struct {
		event Event
		label Label
	}{{EventMissedGrasp, MissedGrasp}, {EventDropped, Dropped}, {EventCollision, Collision}} {
		if j.out.Seen&c.event != 0 {
			labels = append(labels, c.label)
		}
	}
	return labels
}

// failures names all errors of a failed trial.
func (j *Judge) failures() []Label {
	labels := j.passed(nil)
	if len(labels) == 0 && !j.touched && !j.movedAny() {
		return []Label{NoAttempt}
	}
	a, b, r := j.a, j.b, &j.rules
	free := !a.robot && a.atRest(r)
	beside := free && a.grasped && a.table && b.outlineGap(b.pose, a.pose.P) <= r.Beside
	if beside {
		labels = append(labels, PlacedBeside)
	} else if a.lifted && free && a.table && j.out.Seen&EventDropped == 0 {
		labels = append(labels, Dropped)
	}
	if free && !j.scene.Reach.Contains(math.Hypot(a.pose.P[0], a.pose.P[1])) {
		labels = append(labels, OutOfReach)
	}
	if j.wrongObject() {
		labels = append(labels, WrongObject)
	}
	if free && a.lifted && j.onDistractor() {
		labels = append(labels, WrongTarget)
	}
	if len(labels) == 0 {
		labels = []Label{Unfinished}
	}
	return labels
}

func (j *Judge) movedAny() bool {
	for i := range j.tracks {
		if j.tracks[i].moved() > j.rules.Moved {
			return true
		}
	}
	return false
}

// wrongObject: a distractor was grasped or lifted, or moved farther than the
// limit and than the source.
func (j *Judge) wrongObject() bool {
	for i := range j.tracks {
		t := &j.tracks[i]
		if t.Role != Distractor {
			continue
		}
		if t.grasped || t.lifted || t.moved() > j.rules.Moved && t.moved() > j.a.moved() {
			return true
		}
	}
	return false
}

// onDistractor: the source rests off the table, over a distractor's outline and
// outside the target's.
func (j *Judge) onDistractor() bool {
	if j.a.table || j.b.outlineGap(j.b.pose, j.a.pose.P) == 0 {
		return false
	}
	for i := range j.tracks {
		if t := &j.tracks[i]; t.Role == Distractor && t.outlineGap(t.pose, j.a.pose.P) == 0 {
			return true
		}
	}
	return false
}
