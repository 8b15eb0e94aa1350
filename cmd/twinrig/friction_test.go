package main

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/agent"
	"twinrig/calib"
	"twinrig/configs"
	"twinrig/sim"
	"twinrig/sim/virtual"
)

// tracked is how the arm followed.
type tracked struct {
	joints float64 // RMS of the five that the host drives, rad
	hand   float64 // RMS of the pinch point, m
	over   float64 // the most that a joint went past where it was to stop, rad
	ripple float64 // RMS of the velocity at rest, rad/s
}

func (r tracked) String() string {
	return fmt.Sprintf("joints %.2f mrad RMS, hand %.2f mm, at most %.1f mrad past the end, %.2f mrad/s at rest",
		1000*r.joints, 1000*r.hand, 1000*r.over, 1000*r.ripple)
}

// track moves through poses and measures.
func (b *bench) track(t testing.TB, poses []twinrig.Joints, speed agent.Speed) (r tracked) {
	t.Helper()
	kin := sim.NewKinematics()
	n, rest := 0.0, 0.0
	for _, q := range poses {
		from := twinrig.Joints{}
		first := true
		var arrived time.Duration
		_, err := b.cell.runner.Run(context.Background(), agent.NewMove(q, 0.5, speed), func(rep *twinrig.Report) bool {
			if first {
				from, first = rep.Asked.Joints, false
			}
			d := rep.State.Measured.Sub(rep.Asked.Joints)
			d[twinrig.WristRotate] = 0
			if rep.Asked.Velocity.MaxAbs() > 0 {
				arrived = rep.Now
				for _, v := range d {
					r.joints += v * v
				}
				x := kin.Forward(rep.State.Measured).P.Sub(kin.Forward(rep.Asked.Joints).P).Norm()
				r.hand += x * x
				n++
			}
			for i := range twinrig.WristRotate {
				r.over = max(r.over, (rep.State.Measured[i]-q[i])*math.Copysign(1, q[i]-from[i]))
			}
			if rep.Now-arrived > time.Second {
				for i := range twinrig.WristRotate {
					r.ripple += rep.State.Velocity[i] * rep.State.Velocity[i]
				}
				rest++
			}
			return rep.Now-arrived > 1500*time.Millisecond
		}, 30*time.Second)
		require.NoError(t, err)
	}
	r.joints, r.hand, r.ripple = math.Sqrt(r.joints/n/5), math.Sqrt(r.hand/n), math.Sqrt(r.ripple/rest/5)
	return r
}

// Making up for friction takes away half of the error with which the virtual arm
// follows its goals, or nearly so where it was measured a fifth too low or too high,
// and brings no overshoot and no ripple.
func TestFrictionIsMadeUpFor(t *testing.T) {
	poses := posesAbove(4, 6)
	truth := virtual.DrawHidden(1).Params
	for _, speed := range []agent.Speed{{Velocity: 0.3, Acceleration: 2, Jerk: 30}, {Velocity: 1.2, Acceleration: 3, Jerk: 30}} {
		run := func(on bool, measured float64) tracked {
			d, err := configs.LoadDemo("")
			require.NoError(t, err)
			d.Virtual.Seed, d.Rig.Loop.Friction.On = 1, on
			b := benchOf(t, d, sim.NewKinematics(), func(a *calib.Arm) {
				a.FrictionNm = calib.PerJoint(truth.Friction.Scale(measured))
				a.DampingNmSPerRad = calib.PerJoint(truth.Damping.Scale(measured))
			})
			defer b.close(t)
			return b.track(t, poses, speed)
		}
		without := run(false, 1)
		t.Logf("virtual, at %.1f rad/s, without: %s", speed.Velocity, without)
		for _, measured := range []float64{0.8, 1, 1.2} {
			with := run(true, measured)
			t.Logf("virtual, at %.1f rad/s, friction measured %.1f times: %s", speed.Velocity, measured, with)
			require.Less(t, with.joints, 0.6*without.joints)
			require.Less(t, with.hand, 0.7*without.hand)
			require.Less(t, with.over, 0.002)
			require.Less(t, with.ripple, 1e-3)
		}
	}
}
