package agent

import (
	"errors"
	"time"

	"twinrig"
)

// Deps are the parts a Loop is made of. Kin and Gravity must be used by nobody
// else while it ticks; they may be the same value.
type Deps struct {
	Arm     twinrig.Arm
	Mode    twinrig.Mode
	Kin     Forwarder
	Gravity Gravity
	// Contacts predicts contact for the guard; nil predicts none.
	Contacts Contacts
	// Stiffness is the servos' own in Nm/rad, for position mode; 0 where it is
	// not known.
	Stiffness twinrig.Joints
	// Friction (Nm) and Damping (Nm s/rad) are the joints', for torque mode.
	Friction, Damping twinrig.Joints
	Sinks             []Sink
}

// Loop is the control loop. One goroutine calls its methods.
type Loop struct {
	cfg    Config
	deps   Deps
	gains  twinrig.Gains
	period time.Duration
	guard  *Guard
	interp Interpolator

	source   Source
	switched bool // the source is new
	grip     twinrig.Grip

	due    time.Duration
	begun  bool // a first tick was due
	placed bool // a first reading placed guard and interpolator

	scratch twinrig.State
	report  twinrig.Report
	misses  int // in a row
	fault   *Fault
	repair  *repair // under way
}

// NewLoop makes a loop that holds.
func NewLoop(cfg Config, d Deps) (*Loop, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	return &Loop{
		cfg: cfg, deps: d, gains: cfg.Gains(d.Friction, d.Damping), period: cfg.Period(),
		guard: NewGuard(cfg.Guard, d.Kin, d.Contacts), source: Hold{},
	}, nil
}

// Due is when the next tick should be.
func (l *Loop) Due() time.Duration { return l.due }

// SetSource makes src the source from the next tick on.
func (l *Loop) SetSource(src Source) { l.source, l.switched = src, true }

// Guard is the loop's guard, for its counts.
func (l *Loop) Guard() *Guard { return l.guard }

// Fault is what stopped the loop, or nil.
func (l *Loop) Fault() *Fault { return l.fault }

// Tick is one control cycle at time now: read, decide, guard, write, report. It
// does not allocate and waits for nothing but the arm. The report is valid
// until the next tick.
func (l *Loop) Tick(now time.Duration) *twinrig.Report {
	r := &l.report
	l.beat(now)
	defer l.put()

	if err := l.deps.Arm.Read(now, &l.scratch); err != nil {
		l.sort("read", err)
		if !errors.Is(err, twinrig.ErrHold) {
			return r
		}
	}
	if !l.scratch.Measured.Finite() || !l.scratch.Velocity.Finite() {
		l.sort("read", errNotFinite)
		return r
	}
	r.State = l.scratch
	if l.fault != nil && l.fault.Halted {
		return r
	}
	l.found()
	l.checkHardware()
	l.mend(now)
	if !l.placed {
		l.place(now)
	}

	r.Asked = l.ask(now)
	lacks := l.source.Lacks()
	l.guard.count(lacks)
	goal, done := l.guard.Admit(now, &r.State, r.Asked)
	cmd := l.law(goal)
	tau, cut := l.guard.Effort(cmd.Effort)
	cmd.Effort = tau
	r.Guard = lacks | done | cut
	r.Contact = twinrig.Contact{}
	if done&twinrig.RefusedContact != 0 {
		r.Contact = l.guard.Contact()
	}

	sent, err := l.deps.Arm.Write(now, cmd)
	if err != nil {
		l.sort("write", err)
		if !errors.Is(err, twinrig.ErrHold) {
			return r
		}
	}
	r.Sent = sent
	if done&twinrig.RefusedStale != 0 {
		l.sort("read", errStale)
		return r
	}
	l.misses = 0
	return r
}

// beat keeps the schedule: a late tick is counted and the next is due a period
// after its own due time or at once, never twice.
func (l *Loop) beat(now time.Duration) {
	if !l.begun {
		l.begun, l.due = true, now
	} else {
		l.report.Tick++
	}
	l.report.Now = now
	l.report.Late = max(0, now-l.due)
	l.report.Guard = 0
	l.due = max(l.due+l.period, now)
}

// place starts from where the arm is.
func (l *Loop) place(now time.Duration) {
	l.placed = true
	l.guard.Reset(now, &l.report.State)
	l.interp.Reset(now, l.guard.Last().Joints)
	l.grip = l.guard.Last().Grip
}

// heldBack is how far, rad, what was asked must be from what the guard let pass for
// motion to start anew from the latter.
const heldBack = 0.01

// ask is the goal the source wants now.
func (l *Loop) ask(now time.Duration) twinrig.Goal {
	at := l.guard.Last()
	if l.switched {
		l.switched = false
		// Where the guard held the arm back, motion starts from there.
		if q, _, _ := l.interp.At(now - l.period); q.Sub(at.Joints).MaxAbs() > heldBack {
			l.interp.Reset(now, at.Joints)
		}
		l.interp.Brake(now)
	}
	if t, ok := l.source.Next(now, at, &l.report.State); ok {
		// Likewise towards a new target: it would else be run after at full speed.
		if l.report.Asked.Joints.Sub(at.Joints).MaxAbs() > heldBack {
			l.interp.Reset(now, at.Joints)
		}
		l.interp.Toward(now, t.Joints, t.Horizon, t.Speed)
		l.grip = t.Grip
	}
	l.report.Step = l.source.Step()
	q, dq, _ := l.interp.At(now)
	return twinrig.Goal{Joints: q, Velocity: dq, Grip: l.grip}
}

// law makes the command that follows the goal in the arm's mode.
func (l *Loop) law(goal twinrig.Goal) twinrig.Command {
	cmd := twinrig.Command{Goal: goal}
	if l.deps.Mode == twinrig.ModeTorque {
		g := l.deps.Gravity.Gravity(l.report.State.Measured)
		cmd.Effort = l.gains.Effort(&goal, &l.report.State, g)
		l.blind(&cmd, &g)
		return cmd
	}
	g := l.deps.Gravity.Gravity(goal.Joints)
	cmd.Joints = twinrig.GravityOffset(goal.Joints, g, l.deps.Stiffness)
	cmd.Effort = g
	return cmd
}

// blind carries joints whose readings are too old, and does nothing else to them:
// what is not seen cannot be driven.
func (l *Loop) blind(cmd *twinrig.Command, g *twinrig.Joints) {
	for i := range cmd.Effort {
		if l.report.State.Age[i] > l.cfg.Guard.MaxAge {
			cmd.Effort[i] = g[i]
		}
	}
}

func (l *Loop) put() {
	for _, s := range l.deps.Sinks {
		s.Put(&l.report)
	}
}
