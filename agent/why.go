package agent

import (
	"fmt"
	"math"

	"twinrig"
)

// why says in a line what one reason was about: what was asked, and the limit.
func (n *Incidents) why(reason twinrig.Intervention, r *twinrig.Report) string {
	asked := &r.Asked
	switch reason {
	case twinrig.ClippedPosition:
		d := asked.Joints.Sub(twinrig.PositionLimits.Clamp(asked.Joints))
		i := largest(d)
		return fmt.Sprintf("%s was asked to %.3f rad, its limit is %.3f", twinrig.AxisNames[i], asked.Joints[i], asked.Joints[i]-d[i])
	case twinrig.ClippedVelocity:
		i := largest(over(asked.Velocity, n.cfg.MaxVelocity))
		if math.Abs(asked.Velocity[i]) > n.cfg.MaxVelocity[i] {
			return fmt.Sprintf("%s was asked for %.2f rad/s, must be at most %.2f", twinrig.AxisNames[i], asked.Velocity[i], n.cfg.MaxVelocity[i])
		}
		i = largest(asked.Joints.Sub(r.Sent.Joints))
		return fmt.Sprintf("%s is %.3f rad behind its goal, at most %.2f rad/s", twinrig.AxisNames[i], asked.Joints[i]-r.Sent.Joints[i], n.cfg.MaxVelocity[i])
	case twinrig.ClippedEffort:
		i := largest(over(r.Sent.Effort, n.cfg.MaxEffort))
		return fmt.Sprintf("%s is driven with its limit of %.1f Nm, %.3f rad from its goal", twinrig.AxisNames[i], n.cfg.MaxEffort[i], asked.Joints[i]-r.State.Measured[i])
	case twinrig.ClippedWorkspace:
		return fmt.Sprintf("the hand would be %.1f mm outside the workspace", 1000*n.cfg.Workspace.Outside(n.kin.Forward(asked.Joints)))
	case twinrig.RefusedNaN:
		return "goal or torque is not a number"
	case twinrig.RefusedStale:
		i := 0
		for k, age := range r.State.Age {
			if age > r.State.Age[i] {
				i = k
			}
		}
		return fmt.Sprintf("%s was read %v ago, must be at most %v", twinrig.AxisNames[i], r.Now-r.State.Stamp+r.State.Age[i], n.cfg.MaxAge)
	case twinrig.RefusedJump:
		d := twinrig.PositionLimits.Clamp(asked.Joints).Sub(r.State.Measured)
		i := largest(d)
		return fmt.Sprintf("%s was asked to %+.2f rad from where it is, must be at most %.2f", twinrig.AxisNames[i], d[i], n.cfg.MaxJump)
	case twinrig.RefusedContact:
		return r.Contact.String()
	case twinrig.RefusedDuty:
		i := largest(over(r.State.Effort, n.cfg.MaxEffort))
		return fmt.Sprintf("%s is driven with %.1f Nm of %.1f for too long, more than %.0f %% in the mean over %v; the arm holds where it is",
			twinrig.AxisNames[i], r.State.Effort[i], n.cfg.MaxEffort[i], 100*n.cfg.Duty.Max, n.cfg.Duty.Over)
	case twinrig.StalePolicy:
		return "the policy has no goal for this control step"
	case twinrig.StaleCamera:
		return "the camera's picture is too old to ask the policy"
	}
	return "unknown"
}

// largest is the joint that is farthest from 0; what is not a number is not.
func largest(d twinrig.Joints) int {
	worst := 0
	for i, v := range d {
		if math.Abs(v) > math.Abs(d[worst]) || math.IsNaN(d[worst]) {
			worst = i
		}
	}
	return worst
}

// over is each joint's share of its limit.
func over(v, limit twinrig.Joints) twinrig.Joints {
	for i := range v {
		v[i] /= limit[i]
	}
	return v
}
