package mirror_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/sim"
	"twinrig/sim/mirror"
	"twinrig/sim/scene"
)

const tick = 5 * time.Millisecond

func gains() twinrig.Gains {
	return twinrig.Gains{
		Kp: twinrig.Joints{60, 80, 60, 25, 25, 10},
		Kd: twinrig.Joints{3, 4, 3, 1, 1, 0.4},
	}
}

// task is the cube and bowl scene with one placement, as a twin's spec.
func task(t testing.TB, params sim.Params, mode twinrig.Mode) (*scene.Scene, scene.Placement, mirror.Twin) {
	t.Helper()
	s := &scene.Shipped()[0]
	p := scene.Placement{"red_cube": {X: 0.28, Y: -0.10, Yaw: 0.3}, "blue_bowl": {X: 0.30, Y: 0.12}, "orange_block": {X: 0.40, Y: -0.20}}
	require.NoError(t, s.Check(p))
	return s, p, mirror.Twin{
		Spec:  sim.Spec{Params: params, Bodies: s.Bodies(p)},
		Arm:   sim.DefaultArmConfig(mode),
		Gains: gains(),
	}
}

// script is a pick and place of the task as goals at each tick.
func script(t testing.TB, s *scene.Scene, p scene.Placement) []twinrig.Goal {
	t.Helper()
	kin := sim.NewKinematics()
	cube, bowl := p[s.Source().Name], p[s.Target().Name]
	type leg struct {
		x, y, z, yaw, seconds float64
		grip                  twinrig.Grip
	}
	legs := []leg{
		{0.25, 0, 0.20, 0, 0.2, 1},
		{cube.X, cube.Y, 0.16, cube.Yaw, 1.2, 1},
		{cube.X, cube.Y, 0.022, cube.Yaw, 1.2, 1},
		{cube.X, cube.Y, 0.022, cube.Yaw, 1.2, 0},
		{cube.X, cube.Y, 0.16, cube.Yaw, 1.2, 0},
		{bowl.X, bowl.Y, 0.16, 0, 1.6, 0},
		{bowl.X, bowl.Y, 0.08, 0, 0.8, 0},
		{bowl.X, bowl.Y, 0.08, 0, 1, 1},
		{bowl.X, bowl.Y, 0.16, 0, 1.2, 1},
	}
	q := twinrig.Joints{0, -0.8, 0.5, 0, 1.7, 0}
	var goals []twinrig.Goal
	from := legs[0]
	for _, to := range legs {
		n := int(to.seconds / tick.Seconds())
		for i := 1; i <= n; i++ {
			u := float64(i) / float64(n)
			u = u * u * (3 - 2*u)
			blend := func(a, b float64) float64 { return a + u*(b-a) }
			xBE := twinrig.Pose{
				R: twinrig.QuatFromRPY(0, math.Pi/2, blend(from.yaw, to.yaw)),
				P: twinrig.Vec3{blend(from.x, to.x), blend(from.y, to.y), blend(from.z, to.z)},
			}
			next, err := kin.Inverse(xBE, q)
			require.NoError(t, err)
			g := twinrig.Goal{Joints: next, Grip: to.grip}
			if len(goals) > 0 {
				g.Velocity = next.Sub(q).Scale(1 / tick.Seconds())
			}
			goals = append(goals, g)
			q = next
		}
		from = to
	}
	return goals
}

// record runs the script on a simulated arm that stands for the real one, and
// returns the reports and what a judge of that world says.
func record(t testing.TB, s *scene.Scene, tw mirror.Twin, goals []twinrig.Goal) ([]twinrig.Report, scene.Outcome) {
	t.Helper()
	w, err := sim.NewWorld(tw.Spec)
	require.NoError(t, err)
	defer w.Close()
	judge, err := scene.NewJudge(s, scene.DefaultRules())
	require.NoError(t, err)
	w.SetArm(goals[0].Joints, twinrig.FingerOpen)
	arm, err := sim.NewArm(w, tw.Arm)
	require.NoError(t, err)
	require.NoError(t, arm.Enable())
	var state twinrig.State
	settled := 100 * time.Millisecond
	require.NoError(t, arm.Read(settled, &state))
	w.SetArm(goals[0].Joints, twinrig.FingerOpen)
	require.NoError(t, arm.Enable())
	require.NoError(t, judge.Start(w))

	const start = 7 * time.Second
	kin := sim.NewKinematics()
	reports := make([]twinrig.Report, len(goals))
	for i := range reports {
		r := &reports[i]
		at := time.Duration(i) * tick
		r.Tick, r.Now, r.Step = uint64(i), start+at, i/40
		require.NoError(t, arm.Read(settled+at, &r.State))
		c := twinrig.Command{Goal: goals[i]}
		gravity := kin.Gravity(r.State.Measured)
		if tw.Arm.Mode == twinrig.ModeTorque {
			c.Effort = tw.Gains.Effort(&c.Goal, &r.State, gravity)
		} else {
			var stiffness twinrig.Joints
			for k := range stiffness {
				stiffness[k] = tw.Arm.Servos[k].Stiffness
			}
			c.Joints = twinrig.GravityOffset(c.Joints, gravity, stiffness)
			c.Effort = gravity
		}
		r.Sent, err = arm.Write(settled+at, c)
		require.NoError(t, err)
		if i > 0 && i%40 == 0 {
			_, err := judge.Step(scene.Tick{Now: r.Now, Grip: r.State.Grip, GripGoal: r.Sent.Grip}, w)
			require.NoError(t, err)
		}
		r.State.Stamp = r.Now
	}
	return reports, judge.Outcome()
}

// reflect runs reports through a mirror in lockstep.
func reflect(t testing.TB, s *scene.Scene, p scene.Placement, tw mirror.Twin, reports []twinrig.Report) ([]twinrig.Gap, mirror.Summary, scene.Outcome) {
	t.Helper()
	judge, err := scene.NewJudge(s, scene.DefaultRules())
	require.NoError(t, err)
	m, err := mirror.New(mirror.DefaultConfig(), tw, &scene.Witness{Judge: judge}, mirror.Hooks{})
	require.NoError(t, err)
	defer m.Close()
	require.NoError(t, m.Start(reports[0].State, s.Poses(p)))
	for i := range reports {
		require.NoError(t, m.Feed(&reports[i]))
	}
	sum, err := m.Summary()
	require.NoError(t, err)
	gaps, err := m.Gaps()
	require.NoError(t, err)
	return gaps, sum, judge.Outcome()
}

// A mirror of its own equal has no gap at all, and its trial ends alike.
func TestMirrorOfItself(t *testing.T) {
	for _, mode := range []twinrig.Mode{twinrig.ModeTorque, twinrig.ModePosition} {
		t.Run(mode.String(), func(t *testing.T) {
			s, p, tw := task(t, sim.NominalParams(), mode)
			reports, want := record(t, s, tw, script(t, s, p))
			require.True(t, want.Succeeded(), "%+v", want)
			gaps, sum, got := reflect(t, s, p, tw, reports)
			require.Len(t, gaps, 47)
			require.Less(t, sum.Translation.Max, 1e-6)
			require.Less(t, sum.JointRMS.MaxAbs(), 1e-6)
			require.Less(t, sum.Grip.Max, 1e-6)
			require.True(t, sum.Complete())
			require.Equal(t, mirror.Never, sum.DivergedAt)
			require.Equal(t, want, got)

			// The same reports give the same gaps, whoever ran when.
			again, _, _ := reflect(t, s, p, tw, reports)
			require.Equal(t, gaps, again)
		})
	}
}

// An arm with other parameters than the mirror's shows in the gap, and more
// so the more they differ.
func TestMirrorSeesTheDifference(t *testing.T) {
	var last float64
	for _, extra := range []float64{0, 0.3, 0.9} {
		params := sim.NominalParams()
		for i := range params.Friction {
			params.Friction[i] += extra
		}
		s, p, real := task(t, params, twinrig.ModeTorque)
		_, _, tw := task(t, sim.NominalParams(), twinrig.ModeTorque)
		reports, _ := record(t, s, real, script(t, s, p))
		_, sum, _ := reflect(t, s, p, tw, reports)
		if extra > 0 {
			require.Greater(t, sum.Translation.RMS, last+0.001)
		}
		last = sum.Translation.RMS
	}
}

// The mirror is told where the objects are, and nothing that happens later: a
// cube somewhere else in the mirror is a trial that ends otherwise.
func TestMirrorOutcomeDiffers(t *testing.T) {
	s, p, tw := task(t, sim.NominalParams(), twinrig.ModeTorque)
	reports, want := record(t, s, tw, script(t, s, p))
	require.True(t, want.Succeeded())
	moved := s.Perturb(p, 1, 0, 0)
	moved["red_cube"] = scene.Spot{X: p["red_cube"].X - 0.034, Y: p["red_cube"].Y}
	_, _, got := reflect(t, s, moved, tw, reports)
	require.False(t, got.Succeeded())
	require.Contains(t, got.Labels, scene.MissedGrasp)
}

func TestNewRefuses(t *testing.T) {
	_, _, tw := task(t, sim.NominalParams(), twinrig.ModeTorque)
	bad := mirror.DefaultConfig()
	bad.Queue = 0
	_, err := mirror.New(bad, tw, nil, mirror.Hooks{})
	require.ErrorContains(t, err, "mirror: queue")
	loose := tw
	loose.Gains = twinrig.Gains{}
	_, err = mirror.New(mirror.DefaultConfig(), loose, nil, mirror.Hooks{})
	require.ErrorContains(t, err, "without gains")
	weak := tw
	weak.Arm.Gripper = sim.Servo{}
	_, err = mirror.New(mirror.DefaultConfig(), weak, nil, mirror.Hooks{})
	require.ErrorContains(t, err, "mirror: sim: arm")
	_, err = mirror.NewReplayer(mirror.ReplayConfig{}, tw)
	require.ErrorContains(t, err, "mirror: replay: tick")

	m, err := mirror.New(mirror.DefaultConfig(), tw, nil, mirror.Hooks{})
	require.NoError(t, err)
	defer m.Close()
	require.ErrorContains(t, m.Start(twinrig.State{}, map[string]twinrig.Pose{"vase": twinrig.IdentityPose}), `"vase"`)
}

// BenchmarkMirror is one 5 ms report of a pick and place: how much faster than
// real time the mirror is.
func BenchmarkMirror(b *testing.B) {
	s, p, tw := task(b, sim.NominalParams(), twinrig.ModeTorque)
	reports, _ := record(b, s, tw, script(b, s, p))
	m, err := mirror.New(mirror.DefaultConfig(), tw, nil, mirror.Hooks{})
	require.NoError(b, err)
	defer m.Close()
	n := 0
	for b.Loop() {
		if n%len(reports) == 0 {
			require.NoError(b, m.Start(reports[0].State, s.Poses(p)))
		}
		require.NoError(b, m.Feed(&reports[n%len(reports)]))
		n++
	}
	require.NoError(b, m.Flush())
	b.ReportMetric(float64(n)*tick.Seconds()/b.Elapsed().Seconds(), "x_real_time")
}

// BenchmarkPut is what a report costs the control loop.
func BenchmarkPut(b *testing.B) {
	_, _, tw := task(b, sim.NominalParams(), twinrig.ModeTorque)
	m, err := mirror.New(mirror.DefaultConfig(), tw, nil, mirror.Hooks{})
	require.NoError(b, err)
	defer m.Close()
	r := &twinrig.Report{}
	for b.Loop() {
		m.Put(r)
	}
}
