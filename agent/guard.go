package agent

import (
	"fmt"
	"math"
	"slices"
	"time"

	"twinrig"
)

// GuardConfig is what the guard allows.
type GuardConfig struct {
	// MaxVelocity bounds a joint's goal, MaxEffort what it may be driven with.
	MaxVelocity twinrig.Joints `yaml:"max_velocity_rad_s,flow"`
	MaxEffort   twinrig.Joints `yaml:"max_effort_nm,flow"`
	// MaxJump is the most that a goal may be away from the measured joint.
	MaxJump float64 `yaml:"max_jump_rad"`
	// MaxAge is the oldest reading to act on.
	MaxAge time.Duration `yaml:"max_age"`
	// Workspace bounds the hand.
	Workspace Workspace `yaml:"workspace"`
	// Contact is how contact is kept from.
	Contact ContactConfig `yaml:"contact"`
	// Duty bounds the torque over time.
	Duty DutyConfig `yaml:"duty"`
}

// Workspace is a box in B for the pinch point, and the height below which the
// fingertips may not go.
type Workspace struct {
	Min      twinrig.Vec3 `yaml:"min_m,flow"`
	Max      twinrig.Vec3 `yaml:"max_m,flow"`
	TipFloor float64      `yaml:"tip_floor_m"`
}

// tipBeyondE is how far the fingertips reach beyond E along its x axis, m (URDF).
const tipBeyondE = 0.0144

// Outside is how far a pose is outside the workspace, m; 0 inside.
func (w *Workspace) Outside(xBE twinrig.Pose) float64 {
	d := 0.0
	for i, v := range xBE.P {
		d = max(d, w.Min[i]-v, v-w.Max[i])
	}
	tip := xBE.Apply(twinrig.Vec3{tipBeyondE, 0, 0})
	return max(d, w.TipFloor-tip[2])
}

// DefaultGuard has room for the whole arm over a table at z = 0.
func DefaultGuard() GuardConfig {
	return GuardConfig{
		MaxVelocity: twinrig.Joints{2.5, 2.5, 2.5, 2.5, 2.5, 2.5},
		MaxEffort:   twinrig.Joints{3.5, 7, 7, 2, 3.5, 1},
		MaxJump:     0.6,
		MaxAge:      50 * time.Millisecond,
		Workspace: Workspace{
			Min: twinrig.Vec3{-0.2, -0.5, 0.005}, Max: twinrig.Vec3{0.6, 0.5, 0.7}, TipFloor: 0,
		},
		Contact: DefaultContact(),
		Duty:    DefaultDuty(),
	}
}

// Validate names the first key that is out of range.
func (c *GuardConfig) Validate(period time.Duration) error {
	check := []limit{
		{"guard.max_jump_rad", c.MaxJump, 0.01, math.Pi},
		{"guard.max_age in s", c.MaxAge.Seconds(), 2 * period.Seconds(), 1},
		{"guard.workspace.tip_floor_m", c.Workspace.TipFloor, -0.2, 0.3},
	}
	for i := range twinrig.NumJoints {
		name := twinrig.AxisNames[i]
		check = append(check,
			limit{"guard.max_velocity_rad_s of " + name, c.MaxVelocity[i], 0.01, twinrig.MaxVelocity[i]},
			limit{"guard.max_effort_nm of " + name, c.MaxEffort[i], 0.01, twinrig.MaxEffort[i]})
	}
	for i, axis := range []string{"x", "y", "z"} {
		check = append(check, limit{"guard.workspace.min_m " + axis, c.Workspace.Min[i], -1, c.Workspace.Max[i]})
	}
	if err := within(slices.Concat(check, c.Contact.limits(), c.Duty.limits())); err != nil {
		return fmt.Errorf("agent: %w", err)
	}
	return nil
}

// Guard is the one place that clips or refuses a goal. What it holds is always
// the goal that it last let pass, or where the arm stood when it had pushed too long.
type Guard struct {
	cfg      GuardConfig
	kin      Forwarder
	contacts Contacts
	last     twinrig.Goal
	lastAt   time.Duration
	outside  float64 // how far the last goal is outside the workspace, m
	over     float64 // how much too deep it is in contact, m
	contact  twinrig.Contact
	duty     duty
	counts   [NumInterventions]uint64
}

// NumInterventions is how many reasons twinrig.Intervention has.
const NumInterventions = twinrig.NumInterventions

// held are the reasons for which the arm stays with the goal that it had.
const held = twinrig.RefusedNaN | twinrig.RefusedStale | twinrig.RefusedJump |
	twinrig.ClippedWorkspace | twinrig.RefusedContact | twinrig.RefusedDuty

// NewGuard makes a guard; Reset comes before Admit. Without k it predicts no
// contact.
func NewGuard(cfg GuardConfig, kin Forwarder, k Contacts) *Guard {
	if !cfg.Contact.Predict {
		k = nil
	}
	return &Guard{cfg: cfg, kin: kin, contacts: k}
}

// Reset makes the arm's present pose the goal that was last let pass.
func (g *Guard) Reset(now time.Duration, s *twinrig.State) {
	g.last = twinrig.Goal{Joints: twinrig.PositionLimits.Clamp(s.Measured), Grip: s.Grip}
	g.lastAt = now
	g.outside = g.cfg.Workspace.Outside(g.kin.Forward(g.last.Joints))
	g.over = g.rests()
	g.duty.last = now
}

// Last is the goal that was last let pass.
func (g *Guard) Last() *twinrig.Goal { return &g.last }

// Contact is what the last RefusedContact was for.
func (g *Guard) Contact() twinrig.Contact { return g.contact }

// Counts is how often each reason stepped in, in the order of the bits.
func (g *Guard) Counts() [NumInterventions]uint64 { return g.counts }

// Admit returns the goal that may be sent and what had to be done to it.
func (g *Guard) Admit(now time.Duration, s *twinrig.State, asked twinrig.Goal) (twinrig.Goal, twinrig.Intervention) {
	goal, done := g.admit(now, s, asked)
	g.count(done)
	if done&held != 0 {
		// Held: where it was, at rest.
		g.last.Velocity = twinrig.Joints{}
		g.lastAt = now
		g.over = g.rests()
		return g.last, done
	}
	g.last, g.lastAt = goal, now
	return goal, done
}

func (g *Guard) admit(now time.Duration, s *twinrig.State, goal twinrig.Goal) (twinrig.Goal, twinrig.Intervention) {
	switch {
	case !goal.Joints.Finite() || !goal.Velocity.Finite() || math.IsNaN(float64(goal.Grip)) || math.IsInf(float64(goal.Grip), 0):
		return goal, twinrig.RefusedNaN
	case g.stale(now, s):
		return goal, twinrig.RefusedStale
	case g.relieve(now, s):
		return goal, twinrig.RefusedDuty
	}
	var done twinrig.Intervention
	if clamped := twinrig.PositionLimits.Clamp(goal.Joints); clamped != goal.Joints {
		goal.Joints = clamped
		done |= twinrig.ClippedPosition
	}
	if goal.Joints.Sub(s.Measured).MaxAbs() > g.cfg.MaxJump {
		return goal, done | twinrig.RefusedJump
	}
	if g.slow(now, &goal) {
		done |= twinrig.ClippedVelocity
	}
	// Outside the workspace only the way back is open.
	outside := g.cfg.Workspace.Outside(g.kin.Forward(goal.Joints))
	if outside > max(g.outside, 0)+1e-6 {
		return goal, done | twinrig.ClippedWorkspace
	}
	if g.touches(now, s, &goal) {
		return goal, done | twinrig.RefusedContact
	}
	g.outside = outside
	return goal, done
}

// Effort cuts the law's torque to its limits; a torque that is not a number
// becomes none.
func (g *Guard) Effort(tau twinrig.Joints) (twinrig.Joints, twinrig.Intervention) {
	var done twinrig.Intervention
	if !tau.Finite() {
		tau, done = twinrig.Joints{}, twinrig.RefusedNaN
	}
	tau, cut := twinrig.ClampEffort(tau, g.cfg.MaxEffort)
	if cut {
		done |= twinrig.ClippedEffort
	}
	g.count(done)
	return tau, done
}

// stale tells whether any joint's reading is too old.
func (g *Guard) stale(now time.Duration, s *twinrig.State) bool {
	for _, age := range s.Age {
		if now-s.Stamp+age > g.cfg.MaxAge {
			return true
		}
	}
	return false
}

// slow limits the goal's speed, both as told and as the step from the last goal.
func (g *Guard) slow(now time.Duration, goal *twinrig.Goal) bool {
	cut := false
	dt := min(now-g.lastAt, g.cfg.MaxAge).Seconds()
	for i, v := range g.cfg.MaxVelocity {
		if d := goal.Joints[i] - g.last.Joints[i]; math.Abs(d) > v*dt+1e-9 {
			goal.Joints[i] = g.last.Joints[i] + math.Copysign(v*dt, d)
			cut = true
		}
		if math.Abs(goal.Velocity[i]) > v {
			goal.Velocity[i] = math.Copysign(v, goal.Velocity[i])
			cut = true
		}
	}
	return cut
}

func (g *Guard) count(done twinrig.Intervention) {
	for i := range g.counts {
		if done&(1<<i) != 0 {
			g.counts[i]++
		}
	}
}
