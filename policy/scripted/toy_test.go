package scripted_test

import (
	"context"
	"errors"
	"math"
	"time"

	"twinrig"
	"twinrig/policy"
	"twinrig/policy/scripted"
)

// gantry's joints are the Bridge state: x y z roll pitch yaw.
type gantry struct{}

func (gantry) Forward(q twinrig.Joints) twinrig.Pose {
	x, _ := policy.PoseFromState(policy.BridgeState{q[0], q[1], q[2], q[3], q[4], q[5]})
	return x
}

func (gantry) Inverse(x twinrig.Pose, _ twinrig.Joints) (twinrig.Joints, error) {
	if x.P.Norm() > 0.6 {
		return twinrig.Joints{}, errors.New("too far")
	}
	s := policy.StateFromPose(x, 0)
	return twinrig.Joints(s[:6]), nil
}

// toy is a table with one thing on it and a hand that lags behind its goal and
// stands a few millimetres beside it. A grasp holds when the pinch point is near
// the thing's middle and turned to it.
type toy struct {
	at     twinrig.Goal
	q      twinrig.Joints
	grip   float64
	offset twinrig.Joints
	thing  twinrig.Vec3
	yaw    float64
	held   bool
	now    time.Duration
	minZ   float64       // lowest the pinch point went
	opened int           // how often it let go of the thing
	placed time.Duration // when it last did
}

const dt = 10 * time.Millisecond

func (w *toy) step() {
	for i := range w.q {
		w.q[i] += (w.at.Joints[i] + w.offset[i] - w.q[i]) * dt.Seconds() / 0.08
	}
	stop := 0.0
	e := twinrig.Vec3{w.q[0], w.q[1], w.q[2]}
	w.minZ = min(w.minZ, e[2])
	if w.held {
		stop = 0.727 // a 40 mm thing between 11 mm pads
		w.thing = twinrig.Vec3{e[0], e[1], e[2]}
	}
	was := w.grip
	w.grip = max(w.grip+math.Copysign(min(2*dt.Seconds(), math.Abs(float64(w.at.Grip)-w.grip)), float64(w.at.Grip)-w.grip), stop)
	turn := math.Abs(math.Remainder(w.q[5]-w.yaw, math.Pi/2))
	reach := math.Hypot(e[0]-w.thing[0], e[1]-w.thing[1])
	if was > 0.727 && w.grip <= 0.73 && reach < 0.013 && math.Abs(e[2]-w.thing[2]) < 0.012 && turn < 0.35 {
		w.held = true
	}
	if w.held && w.grip > 0.8 {
		w.held = false
		w.opened++
		w.placed = w.now
		w.thing[2] = 0.02
	}
}

// trial runs a policy for 14 s and tells whether the thing is at the target.
func (w *toy) trial(task scripted.Task, skill scripted.Skill, seed uint64) (*scripted.Policy, policy.Stats, bool) {
	p, err := scripted.New(scripted.Config{Task: task, Skill: skill, Seed: seed}, gantry{})
	if err != nil {
		panic(err)
	}
	b, err := policy.NewBroker(context.Background(), policy.DefaultConfig(), policy.Deps{
		Policy: p, Kin: gantry{},
		Executor: policy.NewInline(func() time.Duration { return 30 * time.Millisecond }),
	})
	if err != nil {
		panic(err)
	}
	w.at = twinrig.Goal{Joints: twinrig.Joints{0.3, 0, 0.15}, Grip: 1}
	w.q, w.grip, w.minZ = w.at.Joints, 1, 1
	var s twinrig.State
	for now := time.Duration(0); now < 14*time.Second; now += dt {
		s.Stamp, s.Measured, s.Grip = now, w.q, twinrig.Grip(w.grip)
		if g, ok := b.Next(now, &w.at, &s); ok {
			w.at = g
		}
		w.now = now
		w.step()
	}
	at := math.Hypot(w.thing[0]-task.Target.X, w.thing[1]-task.Target.Y)
	return p, b.Stats(), !w.held && at < 0.03
}
