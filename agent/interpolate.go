package agent

import (
	"math"
	"time"

	"twinrig"
)

// Interpolator moves the goal smoothly: each joint follows a fifth-order
// polynomial that starts with the position, velocity and acceleration the goal
// has and ends at rest at the target, within a limit of velocity, acceleration and
// jerk. A new target replans from wherever the goal is then, so neither velocity nor
// acceleration ever steps, and a target that comes before the last one is reached is
// passed without stopping. It does not allocate.
type Interpolator struct {
	start    time.Duration
	duration float64 // s
	target   twinrig.Joints
	c        [twinrig.NumJoints][6]float64 // by powers of t in s
}

// Reset stands still at q.
func (ip *Interpolator) Reset(now time.Duration, q twinrig.Joints) {
	*ip = Interpolator{start: now, target: q}
	for i := range q {
		ip.c[i][0] = q[i]
	}
}

// At gives the goal's position, velocity (rad/s) and acceleration (rad/s^2).
func (ip *Interpolator) At(now time.Duration) (q, dq, ddq twinrig.Joints) {
	t := (now - ip.start).Seconds()
	if t >= ip.duration {
		return ip.target, twinrig.Joints{}, twinrig.Joints{}
	}
	for i := range q {
		q[i], dq[i], ddq[i] = evaluate(&ip.c[i], t)
	}
	return q, dq, ddq
}

// Toward replans to the target, to be there in the horizon, or later where the
// speed asks for it.
func (ip *Interpolator) Toward(now time.Duration, target twinrig.Joints, horizon time.Duration, speed Speed) {
	q, dq, ddq := ip.At(now)
	d := horizon.Seconds()
	for i := range q {
		// What a move from rest to rest would need.
		dist := math.Abs(target[i] - q[i])
		d = max(d, 1.875*dist/speed.Velocity, math.Sqrt(5.7736*dist/speed.Acceleration), math.Cbrt(60*dist/speed.Jerk))
	}
	d = max(d, 1e-3)
	// What the present velocity adds is found by trying.
	for range 20 {
		for i := range q {
			ip.c[i] = quintic(q[i], dq[i], ddq[i], target[i], d)
		}
		if ip.within(d, speed) {
			break
		}
		d *= 1.15
	}
	ip.start, ip.duration, ip.target = now, d, target
}

// stopTime is how long Brake takes, s.
const stopTime = 0.2

// Brake comes to rest from the present velocity, a little further on.
func (ip *Interpolator) Brake(now time.Duration) {
	q, dq, ddq := ip.At(now)
	target := twinrig.PositionLimits.Clamp(q.Add(dq.Scale(stopTime / 2)))
	for i := range q {
		ip.c[i] = quintic(q[i], dq[i], ddq[i], target[i], stopTime)
	}
	ip.start, ip.duration, ip.target = now, stopTime, target
}

// within tells whether the plan keeps the speed's limits, where the motion it
// began with does.
func (ip *Interpolator) within(d float64, speed Speed) bool {
	const n = 16
	j := speed.Jerk * 1.001
	for i := range ip.c {
		_, v0, a0 := evaluate(&ip.c[i], 0)
		v := max(speed.Velocity, math.Abs(v0)) * 1.001
		a := max(speed.Acceleration, math.Abs(a0)) * 1.001
		// The jerk is a parabola: greatest at an end or at its vertex.
		if c := &ip.c[i]; math.Abs(jerk(c, 0)) > j || math.Abs(jerk(c, d)) > j || math.Abs(jerk(c, vertex(c, d))) > j {
			return false
		}
		for k := 1; k < n; k++ {
			_, vk, ak := evaluate(&ip.c[i], d*float64(k)/n)
			if math.Abs(vk) > v || math.Abs(ak) > a {
				return false
			}
		}
	}
	return true
}

// quintic is the polynomial from (q, v, a) to rest at the target in d seconds.
func quintic(q, v, a, target, d float64) [6]float64 {
	h := target - q
	return [6]float64{
		q, v, a / 2,
		(20*h - 12*v*d - 3*a*d*d) / (2 * d * d * d),
		(-30*h + 16*v*d + 3*a*d*d) / (2 * d * d * d * d),
		(12*h - 6*v*d - a*d*d) / (2 * d * d * d * d * d),
	}
}

// jerk is the third derivative, rad/s^3.
func jerk(c *[6]float64, t float64) float64 { return 6*c[3] + t*(24*c[4]+t*60*c[5]) }

// vertex is when the jerk is greatest or least, between 0 and d.
func vertex(c *[6]float64, d float64) float64 {
	if c[5] == 0 {
		return 0
	}
	return min(max(-c[4]/(5*c[5]), 0), d)
}

func evaluate(c *[6]float64, t float64) (q, v, a float64) {
	q = c[0] + t*(c[1]+t*(c[2]+t*(c[3]+t*(c[4]+t*c[5]))))
	v = c[1] + t*(2*c[2]+t*(3*c[3]+t*(4*c[4]+t*5*c[5])))
	a = 2*c[2] + t*(6*c[3]+t*(12*c[4]+t*20*c[5]))
	return q, v, a
}
