package scene

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/sim"
)

// hand moves a world's arm by a plain PD law, gripper down, and lets a judge
// look on at 5 Hz.
type hand struct {
	t     *testing.T
	w     *sim.World
	kin   *sim.Kinematics
	judge *Judge
	q     twinrig.Joints // goal
	xBE   twinrig.Pose   // goal
	grip  twinrig.Grip   // goal
	next  time.Duration
}

// down is the hand at p, pointing down, the fingers on both sides along y when
// yaw is 0.
func down(p twinrig.Vec3, yaw float64) twinrig.Pose {
	return twinrig.Pose{R: twinrig.QuatFromRPY(0, math.Pi/2, yaw), P: p}
}

func newHand(t *testing.T, s *Scene, p Placement) *hand {
	t.Helper()
	h := &hand{t: t, w: newWorld(t, s, p), kin: sim.NewKinematics(), grip: 1}
	h.xBE = down(twinrig.Vec3{0.25, 0, 0.2}, 0)
	q, err := h.kin.Inverse(h.xBE, twinrig.Joints{0, -0.8, 0.5, 0, 1.7, 0})
	require.NoError(t, err)
	h.q = q
	h.w.SetArm(q, twinrig.FingerOpen)
	h.judge, err = NewJudge(s, DefaultRules())
	require.NoError(t, err)
	h.wait(0.2)
	require.NoError(t, h.judge.Start(h.w))
	h.next = h.w.Time()
	return h
}

// wait lets time pass.
func (h *hand) wait(seconds float64) {
	h.t.Helper()
	kp := twinrig.Joints{150, 150, 150, 60, 60, 30}
	kd := twinrig.Joints{8, 8, 8, 3, 3, 1.5}
	for range int(seconds / 0.002) {
		q, dq, finger, speed := h.w.Arm()
		gains := twinrig.Gains{Kp: kp, Kd: kd}
		tau := gains.Effort(&twinrig.Goal{Joints: h.q}, &twinrig.State{Measured: q, Velocity: dq}, h.kin.Gravity(q))
		tau, _ = twinrig.ClampEffort(tau, twinrig.MaxEffort)
		force := min(max(800*(h.grip.Finger()-finger)-20*speed, -5), 5)
		require.NoError(h.t, h.w.Step(tau, force))
		if h.next > 0 && h.w.Time() >= h.next {
			h.next += 200 * time.Millisecond
			_, err := h.judge.Step(Tick{Now: h.w.Time(), Grip: twinrig.GripFromFinger(finger), GripGoal: h.grip}, h.w)
			require.NoError(h.t, err)
		}
	}
}

// to leads the hand along a straight line at 0.2 m/s and waits until it is
// there.
func (h *hand) to(p twinrig.Vec3, yaw float64) {
	h.t.Helper()
	from := h.xBE
	n := int(math.Ceil(max(p.Sub(from.P).Norm()/0.004, 1)))
	_, _, yaw0 := from.R.Mul(twinrig.QuatFromRPY(0, -math.Pi/2, 0)).RPY()
	for i := 1; i <= n; i++ {
		u := float64(i) / float64(n)
		h.xBE = down(from.P.Add(p.Sub(from.P).Scale(u)), yaw0+(yaw-yaw0)*u)
		q, err := h.kin.Inverse(h.xBE, h.q)
		require.NoError(h.t, err, "%v", h.xBE)
		h.q = q
		h.wait(0.02)
	}
	h.wait(0.3)
}

func (h *hand) gripper(g twinrig.Grip) {
	h.t.Helper()
	h.grip = g
	h.wait(1)
}

func (h *hand) where(name string) twinrig.Vec3 {
	h.t.Helper()
	x, err := h.w.BodyPose(name)
	require.NoError(h.t, err)
	return x.P
}

// pick grasps the object, with an error in m along x, and lifts it.
func (h *hand) pick(o *Object, at Spot, miss float64) {
	h.t.Helper()
	p := h.where(o.Name)
	p[0] += miss
	yaw := math.Remainder(at.Yaw, math.Pi/2)
	h.to(twinrig.Vec3{p[0], p[1], 0.16}, yaw)
	h.to(twinrig.Vec3{p[0], p[1], 0.022}, yaw)
	h.gripper(0)
	h.to(twinrig.Vec3{p[0], p[1], 0.16}, yaw)
}

// place lets go over a point.
func (h *hand) place(p twinrig.Vec3) {
	h.t.Helper()
	h.to(twinrig.Vec3{p[0], p[1], 0.16}, 0)
	h.to(twinrig.Vec3{p[0], p[1], 0.075}, 0)
	h.gripper(1)
	h.to(twinrig.Vec3{p[0], p[1], 0.16}, 0)
	h.wait(0.6)
}

// Each shipped scene can be done, and the judge sees it done.
func TestScenesCanBeDone(t *testing.T) {
	scenes := Shipped()
	for i := range scenes {
		s := &scenes[i]
		for seed := range uint64(5) {
			p, err := s.Place(seed)
			require.NoError(t, err)
			h := newHand(t, s, p)
			h.pick(s.Source(), p[s.Source().Name], 0)
			require.True(t, h.judge.a.lifted, "%s seed %d", s.Name, seed)
			h.place(h.where(s.Target().Name))
			o := h.judge.Outcome()
			require.True(t, o.Succeeded(), "%s seed %d: %+v", s.Name, seed, o)
			require.True(t, o.Related)
			require.False(t, o.Unstable)
			require.Empty(t, o.Recovered)
			require.Less(t, o.Grasp, o.Lift)
			require.Less(t, o.Lift, o.FirstTrue)
			require.LessOrEqual(t, o.FirstTrue, o.Success)
		}
	}
}

// Each way to fail is seen for what it is.
func TestScenesFail(t *testing.T) {
	for _, c := range []struct {
		name string
		act  func(h *hand, s *Scene, p Placement)
		want []Label
	}{
		{"stands still", func(h *hand, _ *Scene, _ Placement) { h.wait(1) }, []Label{NoAttempt}},
		{"misses", func(h *hand, s *Scene, p Placement) {
			h.pick(s.Source(), p[s.Source().Name], -0.036)
		}, []Label{MissedGrasp}},
		{"keeps it", func(h *hand, s *Scene, p Placement) {
			h.pick(s.Source(), p[s.Source().Name], 0)
		}, []Label{Unfinished}},
		{"puts it beside the target", func(h *hand, s *Scene, p Placement) {
			h.pick(s.Source(), p[s.Source().Name], 0)
			h.place(twinrig.Vec3{h.where(s.Target().Name)[0], 0, 0})
		}, []Label{PlacedBeside}},
		{"takes the distractor", func(h *hand, s *Scene, p Placement) {
			x, y := p[s.Objects[2].Name].X, p[s.Objects[2].Name].Y
			require.NoError(h.t, h.w.SetBody(s.Objects[2].Name, at(x-0.10, y+0.06, 0.015)))
			h.wait(0.2)
			h.pick(&s.Objects[2], Spot{}, 0)
		}, []Label{WrongObject}},
		{"presses on the table", func(h *hand, _ *Scene, _ Placement) {
			h.to(twinrig.Vec3{0.25, 0, 0.1}, 0)
			h.to(twinrig.Vec3{0.25, 0, -0.03}, 0)
		}, []Label{Collision}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Shipped()[0]
			p := Placement{"red_cube": {X: 0.28, Y: -0.10}, "blue_bowl": {X: 0.30, Y: 0.12}, "orange_block": {X: 0.40, Y: -0.20}}
			require.NoError(t, s.Check(p))
			h := newHand(t, &s, p)
			c.act(h, &s, p)
			h.wait(0.6)
			o := h.judge.Outcome()
			require.False(t, o.Succeeded())
			require.Equal(t, c.want, o.Labels, "%+v", o)
		})
	}
}
