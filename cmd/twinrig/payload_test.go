package main

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/agent"
	"twinrig/configs"
	"twinrig/sim"
)

// halfReach are poses with the hand at half of the reach before the waist (0.65 m at
// full stretch), level, down, and to a side, high and low.
func halfReach(t *testing.T) []twinrig.Joints {
	t.Helper()
	const radius = 0.325
	var poses []twinrig.Joints
	k := sim.NewKinematics()
	for _, c := range []struct{ pitch, yaw, z float64 }{
		{math.Pi / 2, 0, 0.08}, {math.Pi / 2, 0.6, 0.25}, {0, 0, 0.25}, {0.6, -0.6, 0.15},
	} {
		x := twinrig.Pose{
			R: twinrig.QuatFromRPY(0, c.pitch, c.yaw),
			P: twinrig.Vec3{radius * math.Cos(c.yaw), radius * math.Sin(c.yaw), c.z},
		}
		q, err := k.Inverse(x, middle)
		require.NoError(t, err)
		poses = append(poses, q)
	}
	return poses
}

// With the default gains the virtual arm holds 250 g that its model knows nothing of,
// at half reach: it hangs a little lower, and is still.
func TestHoldsAPayloadAtHalfReach(t *testing.T) {
	kin := sim.NewKinematics()
	for _, grams := range []float64{0, 250} {
		worst, drop, speed := 0.0, 0.0, 0.0
		for seed := uint64(1); seed <= 3; seed++ {
			d, err := configs.LoadDemo("")
			require.NoError(t, err)
			d.Virtual.Seed, d.Virtual.Payload = seed, grams/1000
			b := benchOf(t, d, sim.NewKinematics())
			for _, q := range halfReach(t) {
				off := b.stand(t, q)
				worst = max(worst, off.MaxAbs())
				drop = max(drop, kin.Forward(q.Add(off)).P.Sub(kin.Forward(q).P).Norm())
				_, err := b.cell.runner.Run(context.Background(), agent.Hold{}, func(r *twinrig.Report) bool {
					speed = max(speed, r.State.Velocity.MaxAbs())
					require.Zero(t, r.Guard, "%v", r.Guard.Names())
					return false
				}, time.Second)
				require.NoError(t, err)
			}
			b.close(t)
		}
		t.Logf("virtual, three arms, four poses, %3.0f g: worst joint %.2f deg off, hand %.1f mm, fastest joint at rest %.3f rad/s",
			grams, worst*180/math.Pi, 1000*drop, speed)
		require.Zero(t, speed, "no oscillation")
		if grams == 0 {
			require.Less(t, worst*180/math.Pi, 0.3)
			continue
		}
		require.Less(t, worst*180/math.Pi, 1.0)
		require.Less(t, drop, 0.012)
		require.Greater(t, drop, 0.004, "it does carry something")
	}
}
