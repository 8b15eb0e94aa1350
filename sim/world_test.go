package sim

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
)

// standing is an upright pose.
func standing(x, y, z, yaw float64) twinrig.Pose {
	return twinrig.Pose{R: twinrig.QuatFromAxisAngle(twinrig.Vec3{0, 0, 1}, yaw), P: twinrig.Vec3{x, y, z}}
}

func box(name string, size twinrig.Vec3, mass, friction float64, x twinrig.Pose) Body {
	return Body{
		Name: name, Mass: mass, Free: true, Pose: x,
		Geoms: []Geom{{Shape: Box, Size: size, RGBA: [4]float64{.85, .1, .1, 1}, Friction: friction}},
	}
}

func cube(x, y float64) Body {
	return box("red_cube", twinrig.Vec3{.04, .04, .04}, 0.05, 0.8, standing(x, y, .02, 0))
}

// bowl is a floor and a ring of 16 walls, 120 mm wide and 42 mm high.
func bowl(x, y float64) Body {
	b := Body{Name: "blue_bowl", Mass: 0.15, Free: true, Pose: standing(x, y, 0.021, 0)}
	add := func(s Shape, size twinrig.Vec3, x twinrig.Pose) {
		b.Geoms = append(b.Geoms, Geom{Shape: s, Size: size, Pose: x, RGBA: [4]float64{.15, .3, .8, 1}, Friction: 0.8})
	}
	add(Cylinder, twinrig.Vec3{.12, .12, .006}, standing(0, 0, -.018, 0))
	for i := range 16 {
		yaw := float64(i) * math.Pi / 8
		add(Box, twinrig.Vec3{.005, .026, .036}, standing(.0605*math.Cos(yaw), .0605*math.Sin(yaw), .003, yaw))
	}
	return b
}

func newWorld(t testing.TB, bodies ...Body) *World {
	t.Helper()
	w, err := NewWorld(Spec{Params: NominalParams(), Bodies: bodies})
	require.NoError(t, err)
	t.Cleanup(w.Close)
	return w
}

// hold keeps the arm where it is for d.
func hold(t testing.TB, w *World, d time.Duration) {
	t.Helper()
	for range int(d / w.Timestep()) {
		q, _, _, _ := w.Arm()
		require.NoError(t, w.Step(w.kin.Gravity(q), 0))
	}
}

// TestPush slides a box over the table: friction stops it after v^2/(2 mu g),
// whichever way it slides.
func TestPush(t *testing.T) {
	const mu, speed = 0.4, 0.8
	for _, heading := range []float64{0, math.Pi / 4, math.Pi / 2, 2} {
		t.Run(fmt.Sprintf("heading %.2f", heading), func(t *testing.T) {
			w := newWorld(t, box("puck", twinrig.Vec3{.06, .06, .02}, 0.2, mu, standing(.3, -.2, .01, 0.3)))
			hold(t, w, 200*time.Millisecond)
			start, err := w.BodyPose("puck")
			require.NoError(t, err)
			v := w.data.QVel()[w.bodies["puck"].DOF:]
			v[0], v[1] = speed*math.Cos(heading), speed*math.Sin(heading)
			hold(t, w, time.Second)
			end, err := w.BodyPose("puck")
			require.NoError(t, err)
			moved := end.P.Sub(start.P)
			want := speed * speed / (2 * mu * 9.81)
			require.InEpsilon(t, want, math.Hypot(moved[0], moved[1]), 0.05)
			require.InDelta(t, heading, math.Atan2(moved[1], moved[0]), 0.02)
			linear, angular, err := w.BodySpeed("puck")
			require.NoError(t, err)
			require.Less(t, linear+angular, 1e-3)
		})
	}
}

func TestContactForceByName(t *testing.T) {
	top := box("top", twinrig.Vec3{.03, .03, .03}, 0.1, 0.5, standing(.3, 0, .055, 0))
	base := box("base", twinrig.Vec3{.04, .04, .04}, 0.3, 0.5, standing(.3, 0, .02, 0))
	w := newWorld(t, top, base)
	hold(t, w, time.Second)
	require.InDelta(t, 0.1*9.81, w.ContactForce("top", "base"), 1e-3)
	require.InDelta(t, 0.1*9.81, w.ContactForce("base", "top"), 1e-3)
	require.InDelta(t, 0.4*9.81, w.ContactForce("base", TableName), 1e-2)
	require.Zero(t, w.ContactForce("top", TableName))
	require.Zero(t, w.ContactForce("top", RobotName))
	require.True(t, math.IsNaN(w.ContactForce("top", "tabel")))
	require.Zero(t, testing.AllocsPerRun(10, func() {
		_ = w.Step(twinrig.Joints{}, 0)
		w.ContactForce("top", "base")
	}))
}

// TestGrasp closes the gripper on cubes all over the table, lifts them, and
// lets them go.
func TestGrasp(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	for i := range 12 {
		x, y, yaw := 0.22+0.16*rng.Float64(), 0.3*(rng.Float64()-0.5), 2*(rng.Float64()-0.5)
		t.Run(fmt.Sprintf("%d at %.2f %.2f turned %.2f", i, x, y, yaw), func(t *testing.T) {
			grasp(t, standing(x, y, 0.02, yaw))
		})
	}
}

func grasp(t *testing.T, xBO twinrig.Pose) {
	c := cube(0, 0)
	c.Pose = xBO
	w, k := newWorld(t, c), NewKinematics()
	cfg := DefaultArmConfig(twinrig.ModePosition)
	a, err := NewArm(w, cfg)
	require.NoError(t, err)
	over := twinrig.Pose{R: xBO.R.Mul(twinrig.QuatFromRPY(0, math.Pi/2, 0)), P: xBO.P}
	low, err := k.Inverse(over, twinrig.Joints{math.Atan2(xBO.P[1], xBO.P[0]), 0, .3, 0, 1.2, 0})
	require.NoError(t, err)
	over.P[2] = .15
	high, err := k.Inverse(over, low)
	require.NoError(t, err)

	w.SetArm(low, twinrig.FingerOpen)
	require.NoError(t, a.Enable())
	var s twinrig.State
	now, goal := time.Duration(0), low
	run := func(to twinrig.Joints, grip twinrig.Grip, d time.Duration) {
		const tick = 10 * time.Millisecond
		from, n := goal, int(d/tick)
		for i := 1; i <= n; i++ {
			goal = from.Add(to.Sub(from).Scale(float64(i) / float64(n)))
			_, err := a.Write(now, twinrig.Command{Goal: twinrig.Goal{
				Joints: twinrig.GravityOffset(goal, k.Gravity(goal), stiffness(cfg)), Grip: grip,
			}})
			require.NoError(t, err)
			now += tick
			require.NoError(t, a.Read(now, &s))
		}
	}

	run(low, 1, 500*time.Millisecond)
	require.Zero(t, w.ContactForce("red_cube", RobotName), "the open gripper stands round the cube")
	run(low, 0, time.Second)
	// the inner faces are 40 mm apart: 20 mm from the middle and 11 mm inset
	require.InDelta(t, 0.031, s.Grip.Finger(), 0.001)
	require.InDelta(t, 14.5, w.ContactForce("red_cube", LeftFingerName), 1)
	require.InDelta(t, 14.5, w.ContactForce("red_cube", RightFingerName), 1)
	start, err := w.BodyPose("red_cube")
	require.NoError(t, err)
	held := w.EE().Inv().Mul(start)

	run(high, 0, time.Second)
	run(high, 0, 500*time.Millisecond)
	end, err := w.BodyPose("red_cube")
	require.NoError(t, err)
	require.Greater(t, end.P[2], 0.13)
	slip, turn := held.Gap(w.EE().Inv().Mul(end))
	require.Less(t, slip, 0.001)
	require.Less(t, turn, 0.05)
	require.Zero(t, w.ContactForce("red_cube", TableName))
	require.Greater(t, w.ContactForce("red_cube", RobotName), 9.0)

	run(high, 1, time.Second)
	end, err = w.BodyPose("red_cube")
	require.NoError(t, err)
	require.Less(t, end.P[2], 0.05)
	require.Zero(t, w.ContactForce("red_cube", RobotName))
}

func stiffness(c ArmConfig) (k twinrig.Joints) {
	for i := range k {
		k[i] = c.Servos[i].Stiffness
	}
	return k
}

// TestFingersMirror pushes the left finger alone: the right one follows, and
// both stop at the end of their travel.
func TestFingersMirror(t *testing.T) {
	w := newWorld(t)
	w.SetArm(twinrig.HomePose, 0.025)
	for range 500 {
		w.data.QfrcApplied()[w.fingers[0].DOF] = 5
		require.NoError(t, w.data.Step(1))
		pos := w.data.QPos()
		require.InDelta(t, pos[w.fingers[0].QPos], -pos[w.fingers[1].QPos], 2e-4)
	}
	_, _, finger, _ := w.Arm()
	require.InDelta(t, twinrig.FingerOpen, finger, 3e-4)
}

func TestSameInputsSameWorld(t *testing.T) {
	run := func(w *World) []float64 {
		for i := range 2000 {
			tau := twinrig.Joints{0.3, -1, -0.5, 0.1, 0.05, 0.02}.Scale(math.Sin(float64(i) / 200))
			q, _, _, _ := w.Arm()
			require.NoError(t, w.Step(tau.Add(w.kin.Gravity(q)), -3))
		}
		return append(append([]float64{}, w.data.QPos()...), w.data.QVel()...)
	}
	w := newWorld(t, cube(.3, 0), bowl(.3, .15))
	first := run(w)
	require.Equal(t, first, run(newWorld(t, cube(.3, 0), bowl(.3, .15))), "another world")
	require.NoError(t, w.Reset())
	require.Zero(t, w.Time())
	require.Equal(t, first, run(w), "the same world after Reset")
}

func TestRestoreIsExact(t *testing.T) {
	w := newWorld(t, cube(.3, 0), bowl(.3, .15))
	require.NoError(t, w.SetBody("red_cube", standing(.3, .15, .1, .4))) // falls into the bowl
	run := func(w *World) ([]float64, float64) {
		hold(t, w, 400*time.Millisecond)
		return append([]float64{}, w.data.QPos()...), w.ContactForce("red_cube", "blue_bowl")
	}
	hold(t, w, 140*time.Millisecond) // about to hit
	var s Snapshot
	require.NoError(t, w.Snapshot(&s))
	require.Equal(t, 140*time.Millisecond, s.Time())
	first, force := run(w)
	require.Positive(t, force)

	require.NoError(t, w.Restore(&s))
	require.Equal(t, 140*time.Millisecond, w.Time())
	again, _ := run(w)
	require.Equal(t, first, again)

	other := newWorld(t, cube(.1, .1), bowl(.2, .2))
	var copied Snapshot
	copied.CopyFrom(&s)
	require.NoError(t, other.Restore(&copied))
	again, _ = run(other)
	require.Equal(t, first, again, "another world of equal bodies")

	require.Error(t, newWorld(t).Restore(&s), "other bodies")
	require.Zero(t, testing.AllocsPerRun(10, func() {
		_ = w.Snapshot(&s)
		_ = w.Restore(&s)
	}))
}

func TestBodies(t *testing.T) {
	wall := box("wall", twinrig.Vec3{.02, .3, .1}, 0, 0.5, standing(.5, 0, .05, 0))
	wall.Free = false
	w := newWorld(t, cube(.3, 0), wall)
	want := standing(.25, -.1, .3, .7)
	require.NoError(t, w.SetBody("red_cube", want))
	got, err := w.BodyPose("red_cube")
	require.NoError(t, err)
	dist, angle := got.Gap(want)
	require.Less(t, dist+angle, 1e-12)
	got, err = w.BodyPose("wall")
	require.NoError(t, err)
	require.Equal(t, wall.Pose, got)
	require.EqualError(t, w.SetBody("wall", want), "sim: body wall is fixed to the table")
	require.EqualError(t, w.SetBody("cube", want), `sim: the world has no body named "cube"`)
	_, err = w.BodyPose("cube")
	require.Error(t, err)
	require.ErrorContains(t, w.SetBody("red_cube", twinrig.Pose{}), "no pose")
}

func TestStepErrors(t *testing.T) {
	w := newWorld(t)
	require.ErrorContains(t, w.Step(twinrig.Joints{2: math.NaN()}, 0), "not finite")
	require.ErrorContains(t, w.Step(twinrig.Joints{}, math.Inf(1)), "not finite")
	require.Zero(t, w.Time())
	var err error
	for range 100 {
		if err = w.Step(twinrig.Joints{1e12}, 0); err != nil {
			break
		}
	}
	require.ErrorContains(t, err, "unstable")
	require.NoError(t, w.Reset())
	require.NoError(t, w.Step(twinrig.Joints{}, 0))
}

func BenchmarkWorld(b *testing.B) {
	w := newWorld(b, cube(.3, 0), bowl(.3, .15))
	hold(b, w, 500*time.Millisecond)
	for b.Loop() {
		q, _, _, _ := w.Arm()
		if err := w.Step(w.kin.Gravity(q), 0); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "steps/s")
}
