package mirror

import (
	"time"

	"twinrig"
)

// move is a cubic in each joint from a position and velocity to rest at a goal.
type move struct {
	begin    time.Duration
	length   float64 // s
	from, by twinrig.Joints
	velocity twinrig.Joints
}

// newMove starts at now where the move before it has come to.
func newMove(before *move, now, length time.Duration, goal twinrig.Joints) move {
	q, dq := before.at(now)
	return move{begin: now, length: length.Seconds(), from: q, by: goal.Sub(q), velocity: dq}
}

// still is the move that stays at q.
func still(q twinrig.Joints) move { return move{from: q, length: 1} }

// at returns the goal position and velocity at a time not before the move's
// begin.
func (m *move) at(now time.Duration) (q, dq twinrig.Joints) {
	u := (now - m.begin).Seconds() / m.length
	if u >= 1 {
		return m.from.Add(m.by), twinrig.Joints{}
	}
	for i := range q {
		v := m.velocity[i] * m.length
		a, b := 3*m.by[i]-2*v, v-2*m.by[i]
		q[i] = m.from[i] + u*(v+u*(a+u*b))
		dq[i] = (v + u*(2*a+3*u*b)) / m.length
	}
	return q, dq
}
