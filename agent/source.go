package agent

import (
	"time"

	"twinrig"
	"twinrig/policy"
)

// Target is where a source wants the arm to go.
type Target struct {
	Joints twinrig.Joints
	Grip   twinrig.Grip
	// Horizon is when to be there, if Speed allows it; 0 is as soon as Speed
	// allows.
	Horizon time.Duration
	Speed   Speed
}

// Source is where motion comes from. The loop asks it once a tick; it never
// blocks. The loop moves smoothly from one target to the next, also across a
// change of source.
type Source interface {
	// Next returns a new target and true, or false to go on as before. at is
	// the goal the arm has now.
	Next(now time.Duration, at *twinrig.Goal, s *twinrig.State) (Target, bool)
	// Step is the number of the control step the source is in, 0 where it has
	// none.
	Step() int
	// Lacks is what the source should have goals from and has not, as a guard's
	// reason; 0 is nothing.
	Lacks() twinrig.Intervention
	// Err is why the source cannot go on, or nil.
	Err() error
}

// Hold stays where the arm is.
type Hold struct{}

// Next implements Source.
func (Hold) Next(time.Duration, *twinrig.Goal, *twinrig.State) (Target, bool) {
	return Target{}, false
}

// Step implements Source.
func (Hold) Step() int { return 0 }

// Lacks implements Source.
func (Hold) Lacks() twinrig.Intervention { return 0 }

// Err implements Source.
func (Hold) Err() error { return nil }

// Move is one joint-space motion. Its zero Speed is not valid.
type Move struct {
	Hold
	Target
	begun bool
}

// NewMove goes to q at a speed, the gripper at once to grip.
func NewMove(q twinrig.Joints, grip twinrig.Grip, speed Speed) *Move {
	return &Move{Target: Target{Joints: q, Grip: grip, Speed: speed}}
}

// Next implements Source.
func (m *Move) Next(time.Duration, *twinrig.Goal, *twinrig.State) (Target, bool) {
	first := !m.begun
	m.begun = true
	return m.Target, first
}

// Follow lets a policy drive.
type Follow struct {
	broker  *policy.Broker
	horizon time.Duration
	speed   Speed
}

// NewFollow drives with a broker's goals.
func NewFollow(b *policy.Broker, m Motion) *Follow {
	h := time.Duration(m.StepHorizon * float64(b.Spec().Period()))
	return &Follow{broker: b, horizon: h, speed: m.Policy}
}

// Next implements Source.
func (f *Follow) Next(now time.Duration, at *twinrig.Goal, s *twinrig.State) (Target, bool) {
	g, ok := f.broker.Next(now, at, s)
	return Target{Joints: g.Joints, Grip: g.Grip, Horizon: f.horizon, Speed: f.speed}, ok
}

// Step implements Source.
func (f *Follow) Step() int { return f.broker.Step() }

// Lacks implements Source.
func (f *Follow) Lacks() twinrig.Intervention {
	switch starves, blind := f.broker.Starves(); {
	case !starves:
		return 0
	case blind:
		return twinrig.StaleCamera
	}
	return twinrig.StalePolicy
}

// Err implements Source.
func (f *Follow) Err() error { return f.broker.Err() }
