package main

import (
	"context"
	"math"
	"math/rand/v2"
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

// weightless is a loop that knows of no gravity.
type weightless struct{}

func (weightless) Gravity(twinrig.Joints) twinrig.Joints { return twinrig.Joints{} }

// bench is an arm in the virtual world, in lockstep.
type bench struct {
	rig  *virtual.Lockstep
	cell *cell
}

func newBench(t testing.TB, seed uint64, gravity agent.Gravity, change ...func(*calib.Arm)) *bench {
	t.Helper()
	d, err := configs.LoadDemo("")
	require.NoError(t, err)
	d.Virtual.Seed = seed
	return benchOf(t, d, gravity, change...)
}

// benchOf is the bench of a demo's rig.
func benchOf(t testing.TB, d configs.Demo, gravity agent.Gravity, change ...func(*calib.Arm)) *bench {
	t.Helper()
	require.NoError(t, fitRate(&d.Rig, &d))
	rig, err := virtual.NewLockstep(d.Virtual)
	require.NoError(t, err)
	cal, err := d.Rig.Calibration()
	require.NoError(t, err)
	for _, f := range change {
		f(&cal.Arm)
	}
	c, err := openArm(d.Rig, cal, rig.Port())
	require.NoError(t, err)
	c.loop, err = agent.NewLoop(d.Rig.Loop, agent.Deps{
		Arm: c.arm, Mode: c.arm.Mode(), Kin: sim.NewKinematics(), Gravity: gravity,
		Contacts: contacts(&d.Rig.Loop.Guard),
		Friction: twinrig.Joints(cal.Arm.FrictionNm), Damping: twinrig.Joints(cal.Arm.DampingNmSPerRad),
		Sinks: []agent.Sink{&c.relay},
	})
	require.NoError(t, err)
	c.runner = agent.NewLockstepRunner(c.loop, agent.Lockstep{Clock: rig.Clock()})
	require.NoError(t, c.arm.Enable())
	return &bench{rig, c}
}

func (b *bench) close(t testing.TB) {
	require.NoError(t, b.cell.runner.Stop())
	b.rig.Close()
}

// stand goes to q and returns the measured error after two seconds there.
func (b *bench) stand(t testing.TB, q twinrig.Joints) twinrig.Joints {
	t.Helper()
	var last twinrig.Report
	var arrived time.Duration
	end, err := b.cell.runner.Run(context.Background(), agent.NewMove(q, 0.5, b.cell.cfg.Loop.Motion.Move),
		func(r *twinrig.Report) bool {
			last = *r
			if r.Asked.Joints.Sub(q).MaxAbs() > 1e-9 {
				arrived = r.Now
			}
			return r.Now-arrived > 2*time.Second
		}, 20*time.Second)
	require.NoError(t, err)
	require.Equal(t, agent.EndDone, end, "the guard let the goal get there")
	return last.State.Measured.Sub(q)
}

// middle is the pose between two others, the hand in front of the base.
var middle = twinrig.Joints{twinrig.Shoulder: -0.96, twinrig.Elbow: 1.16, twinrig.WristAngle: -0.3}

// posesAbove draws poses that the guard lets the arm move to from middle.
func posesAbove(seed uint64, n int) []twinrig.Joints {
	rng := rand.New(rand.NewPCG(seed, 0x70))
	kin := sim.NewKinematics()
	box := agent.DefaultGuard().Workspace
	clear := func(q twinrig.Joints) bool {
		for s := 0.0; s <= 1; s += 0.02 {
			xBE := kin.Forward(middle.Add(q.Sub(middle).Scale(s)))
			if box.Outside(xBE) > 0 || xBE.P[2] < 0.1 {
				return false
			}
		}
		return true
	}
	var poses []twinrig.Joints
	for l := twinrig.PositionLimits; len(poses) < n; {
		var q twinrig.Joints
		for i := range q {
			q[i] = 0.8 * (l.Lower[i] + rng.Float64()*(l.Upper[i]-l.Lower[i]))
		}
		if clear(q) {
			poses = append(poses, q)
		}
	}
	return poses
}

// With gravity compensation the virtual arm holds 20 random poses to half a
// degree, and at least three times better than without.
func TestHoldsRandomPoses(t *testing.T) {
	poses := posesAbove(1, 20)
	with, without := newBench(t, 1, sim.NewKinematics()), newBench(t, 1, weightless{})
	defer with.close(t)
	defer without.close(t)
	const deg = 180 / math.Pi
	var sum, sumWithout float64
	var most, mostWithout twinrig.Joints
	worst := 0.0
	for _, q := range poses {
		with.stand(t, middle)
		without.stand(t, middle)
		a, b := with.stand(t, q), without.stand(t, q)
		worst = max(worst, a.MaxAbs())
		for i := range q {
			most[i], mostWithout[i] = max(most[i], math.Abs(a[i])), max(mostWithout[i], math.Abs(b[i]))
			sum += a[i] * a[i]
			sumWithout += b[i] * b[i]
		}
	}
	t.Logf("worst by joint, deg: %.3f, without %.3f", most.Scale(deg), mostWithout.Scale(deg))
	ratio := math.Sqrt(sumWithout / sum)
	t.Logf("virtual: worst joint %.3f deg, RMS %.3f deg; without gravity compensation RMS %.3f deg, %.1f times as much",
		worst*deg, math.Sqrt(sum/120)*deg, math.Sqrt(sumWithout/120)*deg, ratio)
	require.Less(t, worst*deg, 0.5)
	require.Greater(t, ratio, 3.0)
}
