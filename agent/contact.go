package agent

import (
	"errors"
	"fmt"
	"math"
	"time"

	"twinrig"
)

// Contacts tells which two bodies of the arm's model touch most, with joints q in
// rad; a Contact whose Over is 0 is none. Goroutines may share it; it does not
// allocate.
type Contacts interface {
	Deepest(q twinrig.Joints, grip twinrig.Grip) twinrig.Contact
}

// ContactConfig is how contact of the arm with the table and with itself is kept
// from. Lengths are m in B.
type ContactConfig struct {
	// Predict switches it on.
	Predict bool `yaml:"predict"`
	// SelfOverlap is how far the simplified shapes of two links may overlap: at
	// rest in its sleep pose the real arm does by 6 mm.
	SelfOverlap float64 `yaml:"self_overlap_m"`
	// TableZ is the table's height.
	TableZ float64 `yaml:"table_z_m"`
	// LinkGap is how far above the table all but the fingers must stay.
	LinkGap float64 `yaml:"link_gap_m"`
	// FingerOverlap is how far below it a finger's lowest corner may be: a hand
	// that leans must still get its pads to the table. Their middle is bounded
	// by the workspace's tip_floor_m.
	FingerOverlap float64 `yaml:"finger_overlap_m"`
	// Brake is the deceleration that each joint is taken to be able of.
	Brake float64 `yaml:"brake_rad_s2"`
}

// DefaultContact predicts over a table at z = 0.
func DefaultContact() ContactConfig {
	return ContactConfig{Predict: true, SelfOverlap: 0.010, LinkGap: 0.005, FingerOverlap: 0.005, Brake: 25}
}

func (c *ContactConfig) limits() []limit {
	return []limit{
		{"guard.contact.self_overlap_m", c.SelfOverlap, 0, 0.05},
		{"guard.contact.table_z_m", c.TableZ, -0.5, 0.3},
		{"guard.contact.link_gap_m", c.LinkGap, -0.05, 0.1},
		{"guard.contact.finger_overlap_m", c.FingerOverlap, -0.05, 0.05},
		{"guard.contact.brake_rad_s2", c.Brake, 1, 200},
	}
}

// Allow refuses a target, for policy.Deps: a pose outside the workspace, or joints
// in contact (k nil predicts none).
func (c *GuardConfig) Allow(k Contacts) func(goal twinrig.Goal, xBE twinrig.Pose) error {
	return func(goal twinrig.Goal, xBE twinrig.Pose) error {
		if d := c.Workspace.Outside(xBE); d > 0 {
			return fmt.Errorf("hand would be %.1f mm outside the workspace", 1000*d)
		}
		if k != nil {
			if touch := k.Deepest(goal.Joints, goal.Grip); touch.Over > 0 {
				return errors.New(touch.String())
			}
		}
		return nil
	}
}

// getsStuck is how much deeper, m, the arm must be about to get before its own
// motion counts: it follows its goal with an error.
const getsStuck = 0.001

// touches predicts contact on the way to where the arm would stand if it braked now,
// from the goal and from the measured motion. In contact only the way out is open.
func (g *Guard) touches(now time.Duration, s *twinrig.State, goal *twinrig.Goal) bool {
	if g.contacts == nil {
		return false
	}
	// A goal's speed is what it tells or what its step amounts to.
	speed := goal.Velocity
	if dt := (now - g.lastAt).Seconds(); dt > 0 {
		for i := range speed {
			if v := (goal.Joints[i] - g.last.Joints[i]) / dt; math.Abs(v) > math.Abs(speed[i]) {
				speed[i] = v
			}
		}
	}
	at, worst := g.brakes(goal.Joints, speed, goal.Grip)
	if worst.Over > g.over+1e-6 {
		g.contact = worst
		return true
	}
	here, worst := g.brakes(s.Measured, s.Velocity, s.Grip)
	if worst.Over > max(g.over, here)+getsStuck {
		g.contact = worst
		return true
	}
	g.over = at
	return false
}

// brakeStep is how far apart, rad, the poses are that are looked at on the way to a
// stop: the hand goes less than it is thick.
const brakeStep = 0.03

// brakeLeast is a way, rad, that is not worth looking at both its ends.
const brakeLeast = 0.001

// brakes looks at the way that joints at q with speed v need to come to rest: how much
// too deep it is at q, and the worst on the way.
func (g *Guard) brakes(q, v twinrig.Joints, grip twinrig.Grip) (at float64, worst twinrig.Contact) {
	var way twinrig.Joints
	for i := range way {
		way[i] = v[i] * math.Abs(v[i]) / (2 * g.cfg.Contact.Brake)
	}
	length := way.MaxAbs()
	if length < brakeLeast {
		q, length = q.Add(way), 0
	}
	worst = g.contacts.Deepest(twinrig.PositionLimits.Clamp(q), grip)
	at = worst.Over
	steps := int(math.Ceil(length / brakeStep))
	for k := 1; k <= steps; k++ {
		to := q.Add(way.Scale(float64(k) / float64(steps)))
		if c := g.contacts.Deepest(twinrig.PositionLimits.Clamp(to), grip); c.Over > worst.Over {
			worst = c
		}
	}
	return at, worst
}

// rests is how much too deep the arm is with the goal that was last let pass.
func (g *Guard) rests() float64 {
	if g.contacts == nil {
		return 0
	}
	return g.contacts.Deepest(g.last.Joints, g.last.Grip).Over
}
