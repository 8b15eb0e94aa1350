package agent

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
)

const (
	ms     = time.Millisecond
	period = 200 * ms
)

var policySpeed = DefaultConfig().Motion.Policy

// Equal steps at 5 Hz: the velocity neither stops nor steps between them.
func TestVelocityFlowsThroughGoals(t *testing.T) {
	var ip Interpolator
	ip.Reset(0, twinrig.Joints{})
	each := twinrig.Joints{0.10, -0.08, 0.06, 0.04, -0.02, 0.01}
	var goal, lastV, lastA twinrig.Joints
	least, most := math.Inf(1), 0.0
	for now := time.Duration(0); now < 3*time.Second; now += ms {
		if now%period == 0 {
			goal = goal.Add(each)
			ip.Toward(now, goal, 300*ms, policySpeed)
		}
		_, v, a := ip.At(now)
		for i := range each {
			if now > 0 {
				require.LessOrEqual(t, math.Abs(v[i]-lastV[i]), 25*0.001*1.01, "at %v", now)
				require.LessOrEqual(t, math.Abs(a[i]-lastA[i]), policySpeed.Jerk*0.001*1.01, "jerk at %v", now)
			}
			if now > time.Second {
				share := v[i] * period.Seconds() / each[i]
				least, most = min(least, share), max(most, share)
			}
		}
		lastV, lastA = v, a
	}
	t.Logf("velocity is %.2f to %.2f of the mean", least, most)
	require.Greater(t, least, 0.7)
	require.Less(t, most, 1.3)
}

func TestTowardArrivesAtRestAndKeepsItsLimits(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 0))
	speed := Speed{Velocity: 1.2, Acceleration: 3, Jerk: 60}
	for range 50 {
		var ip Interpolator
		var from, to, then twinrig.Joints
		for i := range from {
			from[i], to[i], then[i] = 3*r.Float64()-1.5, 3*r.Float64()-1.5, 3*r.Float64()-1.5
		}
		ip.Reset(0, from)
		ip.Toward(0, to, 0, speed)
		turn := time.Duration(r.Float64() * float64(2*time.Second))
		var last, lastA twinrig.Joints
		for now := time.Duration(0); now < 15*time.Second; now += 2 * ms {
			if now >= turn && now < turn+2*ms {
				ip.Toward(now, then, 0, speed)
			}
			q, v, a := ip.At(now)
			require.LessOrEqual(t, v.MaxAbs(), 1.2*1.02)
			require.LessOrEqual(t, a.MaxAbs(), 3*1.1)
			if now > 0 {
				require.LessOrEqual(t, q.Sub(last).MaxAbs(), 1.25*0.002)
				require.LessOrEqual(t, a.Sub(lastA).MaxAbs(), 60*1.01*0.002)
			}
			last, lastA = q, a
		}
		q, v, a := ip.At(15 * time.Second)
		require.Equal(t, then, q)
		require.Zero(t, v)
		require.Zero(t, a)
	}
}

func TestBrakeStopsSmoothly(t *testing.T) {
	var ip Interpolator
	ip.Reset(0, twinrig.Joints{})
	ip.Toward(0, twinrig.Joints{1, -0.8, 0.6, 0.4, 0.2, 0.1}, 0, Speed{Velocity: 1, Acceleration: 5, Jerk: 100})
	at := 600 * ms
	q0, v0, _ := ip.At(at)
	ip.Brake(at)
	q1, v1, _ := ip.At(at)
	require.InDeltaSlice(t, q0[:], q1[:], 1e-12)
	require.InDeltaSlice(t, v0[:], v1[:], 1e-12)
	q, v, _ := ip.At(at + 200*ms)
	require.Zero(t, v)
	require.InDelta(t, q0[0]+0.1*v0[0], q[0], 1e-12)
}

func TestInterpolatorDoesNotAllocate(t *testing.T) {
	var ip Interpolator
	n := time.Duration(0)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		n += ms
		ip.Toward(n, joints(0.1), 300*ms, policySpeed)
		ip.At(n)
		ip.Brake(n)
	}))
}
