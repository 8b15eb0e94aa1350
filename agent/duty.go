package agent

import (
	"math"
	"time"

	"twinrig"
)

// DutyConfig bounds how hard the joints are driven over time: an arm that leans on
// something, and a motor that gets warm, are noticed by this before the servo shuts
// down.
type DutyConfig struct {
	// Max is the most that the measured torque's share of max_effort_nm may be in
	// the mean over Over; 0 is no bound.
	Max  float64       `yaml:"max_share"`
	Over time.Duration `yaml:"over"`
}

// DefaultDuty lets the arm hold anything that it can hold, and push for some seconds.
func DefaultDuty() DutyConfig { return DutyConfig{Max: 0.85, Over: 5 * time.Second} }

func (c *DutyConfig) limits() []limit {
	return []limit{
		{"guard.duty.max_share", c.Max, 0, 1},
		{"guard.duty.over in s", c.Over.Seconds(), 0.1, 600},
	}
}

// relieved is the share of Max below which a joint that was overdriven counts as
// rested.
const relieved = 0.9

// duty is the joints' torque over time.
type duty struct {
	share twinrig.Joints // exponential mean
	last  time.Duration
	over  bool
}

// overdriven takes one reading and tells whether a joint has been driven too hard,
// until all are rested. A joint without torque sensing counts as resting.
func (d *duty) overdriven(c *DutyConfig, now time.Duration, effort, most twinrig.Joints) bool {
	k := 1 - math.Exp(-max(0, now-d.last).Seconds()/c.Over.Seconds())
	d.last = now
	worst := 0.0
	for i, tau := range effort {
		if math.IsNaN(tau) || math.IsInf(tau, 0) {
			tau = 0
		}
		d.share[i] += k * (math.Abs(tau)/most[i] - d.share[i])
		worst = max(worst, d.share[i])
	}
	switch {
	case c.Max == 0:
		return false
	case worst > c.Max:
		d.over = true
	case worst < relieved*c.Max:
		d.over = false
	}
	return d.over
}

// relieve has the arm hold where it is instead of where it pushes to.
func (g *Guard) relieve(now time.Duration, s *twinrig.State) bool {
	before := g.duty.over
	if !g.duty.overdriven(&g.cfg.Duty, now, s.Effort, g.cfg.MaxEffort) {
		return false
	}
	if !before {
		g.last.Joints = twinrig.PositionLimits.Clamp(s.Measured)
		g.outside = g.cfg.Workspace.Outside(g.kin.Forward(g.last.Joints))
	}
	return true
}

// Duty is each joint's torque as a share of what it may be driven with, in the mean
// over the configured time.
func (g *Guard) Duty() twinrig.Joints { return g.duty.share }
