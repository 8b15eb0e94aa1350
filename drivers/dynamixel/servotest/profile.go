package servotest

import (
	"math"

	"twinrig/drivers/dynamixel"
)

// profile is the way the firmware goes to a goal: a trapezoid of speed. In the
// position modes it is in pulses and seconds, in velocity mode vel is in
// velocity steps.
type profile struct {
	pos, vel, acc float64
	goal          float64
	most          float64 // speed on the way; 0 is unlimited
	ramp          float64 // acceleration; 0 is unlimited
}

// plan sets out for goal. velocity and accel are the profile registers: speeds,
// or times in ms if timed.
func (p *profile) plan(goal float64, velocity, accel int32, timed bool) {
	p.goal = goal
	if !timed {
		p.most = float64(velocity) * dynamixel.RadPerSecPerStep / dynamixel.RadPerPulse
		p.ramp = float64(accel) * dynamixel.RadPerSec2PerStep / dynamixel.RadPerPulse
		return
	}
	whole := float64(velocity) / 1000
	up := min(float64(accel)/1000, whole/2)
	p.most, p.ramp = 0, 0
	if whole > 0 {
		p.most = math.Abs(goal-p.pos) / (whole - up)
	}
	if up > 0 {
		p.ramp = p.most / up
	}
}

// step goes on for dt seconds.
func (p *profile) step(dt float64) {
	left := p.goal - p.pos
	if p.most <= 0 || left == 0 && p.vel == 0 {
		p.pos, p.vel, p.acc = p.goal, 0, 0
		return
	}
	want := math.Copysign(p.most, left)
	if p.ramp > 0 {
		// No faster than what can still stop in time, in steps of dt.
		half := p.ramp * dt / 2
		stop := math.Sqrt(half*half+2*p.ramp*math.Abs(left)) - half
		want = math.Copysign(min(p.most, stop), left)
	}
	p.chase(want, p.ramp, dt)
	p.pos += p.vel * dt
	if (p.goal-p.pos)*left <= 0 && (p.ramp <= 0 || math.Abs(p.vel) <= 2*p.ramp*dt) {
		p.pos, p.vel, p.acc = p.goal, 0, 0
	}
}

// chase brings vel towards want by at most ramp.
func (p *profile) chase(want, ramp, dt float64) {
	by := want - p.vel
	if ramp > 0 {
		by = min(max(by, -ramp*dt), ramp*dt)
	}
	p.vel += by
	p.acc = by / dt
}

// ongoing tells whether the goal lies ahead.
func (p *profile) ongoing() bool { return p.pos != p.goal }

// accelSteps is Profile Acceleration in velocity steps per second.
func accelSteps(v int32) float64 {
	return float64(v) * dynamixel.RadPerSec2PerStep / dynamixel.RadPerSecPerStep
}
