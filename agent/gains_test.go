package agent

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
)

// inertias are the least and greatest moment of inertia about each joint over
// the workspace, armature included, kg m^2: calculated from the URDF's links
// with 0.02 to 0.04 of armature, and a 250 g load. wrist_rotate's loop is not the
// host's.
var inertias = [twinrig.WristRotate][2]float64{
	{0.03, 0.27}, {0.08, 0.32}, {0.055, 0.11}, {0.021, 0.031}, {0.021, 0.032},
}

// respond simulates one joint under the sampled law: the torque of a reading
// acts a delay later and stays for a period. It returns the greatest overshoot
// over a step of 0.1 rad and what is left of the error after 2 s.
func respond(kp, kd, inertia, friction, disturbance float64, period, delay time.Duration) (over, left float64) {
	const dt = 100 * time.Microsecond
	const goal = 0.1
	var q, v, tau float64
	queue := []struct {
		at  time.Duration
		tau float64
	}{}
	next := time.Duration(0)
	for now := time.Duration(0); now < 2*time.Second; now += dt {
		if now >= next {
			next += period
			queue = append(queue, struct {
				at  time.Duration
				tau float64
			}{now + delay, kp*(goal-q) - kd*v})
		}
		for len(queue) > 0 && queue[0].at <= now {
			tau, queue = queue[0].tau, queue[1:]
		}
		net := tau + disturbance
		if math.Abs(v) < 1e-4 && math.Abs(net) <= friction {
			v = 0
			continue
		}
		a := (net - math.Copysign(friction, v)) / inertia
		if v == 0 {
			a = (net - math.Copysign(friction, net)) / inertia
		}
		if nv := v + a*dt.Seconds(); v != 0 && nv*v < 0 && friction > 0 {
			v = 0
		} else {
			v = nv
		}
		q += v * dt.Seconds()
		over = max(over, q-goal)
	}
	return over / goal, math.Abs(q - goal)
}

func TestGainsAreStableWithDelay(t *testing.T) {
	c := DefaultConfig()
	for i, js := range inertias {
		for _, j := range js {
			name := twinrig.AxisNames[i]
			over, left := respond(c.Kp[i], c.Kd[i], j, 0, 0, c.Period(), 5*time.Millisecond)
			t.Logf("%-12s %.3f kg m^2: overshoot %2.0f %%, left %.1e rad", name, j, 100*over, left)
			require.Less(t, over, 0.45, name)
			require.Less(t, left, 1e-4, name)
			// Margins: twice the gain, and twice the delay, still settle.
			_, left = respond(1.8*c.Kp[i], 1.8*c.Kd[i], j, 0, 0, c.Period(), 5*time.Millisecond)
			require.Less(t, left, 1e-3, "%s: gain margin", name)
			_, left = respond(c.Kp[i], c.Kd[i], j, 0, 0, c.Period(), 10*time.Millisecond)
			require.Less(t, left, 1e-3, "%s: delay margin", name)
		}
	}
}

// With 0.15 Nm of friction and 8 % of the greatest gravity torque unknown, no
// joint stands more than half a degree off.
func TestGainsHoldToHalfADegree(t *testing.T) {
	c := DefaultConfig()
	gravity := twinrig.Joints{0, 4, 1.5, 0.2, 0.2, 0}
	for i := range twinrig.WristRotate {
		worst := (0.15 + 0.08*gravity[i]) / c.Kp[i]
		require.Less(t, worst, 0.5*math.Pi/180, twinrig.AxisNames[i])
		_, left := respond(c.Kp[i], c.Kd[i], inertias[i][0], 0.15, -0.08*gravity[i], c.Period(), 5*time.Millisecond)
		require.Less(t, left, 1.05*worst, twinrig.AxisNames[i])
	}
}
