package main

import (
	"time"

	"twinrig"
	"twinrig/agent"
	"twinrig/policy/scripted"
	"twinrig/sim"
	"twinrig/sim/mirror"
	"twinrig/sim/scene"
)

// cameraName is the camera's in logs and in the mirror.
const cameraName = "webcam"

// stage is one scene with the mirror that is built for it.
type stage struct {
	scene  scene.Scene
	mirror *mirror.Mirror
	spec   sim.Spec
	album  album
	judge  *scene.Judge // of the mirror's outcome; read it after a Flush
}

// newStage builds the mirror of a scene: the model that everybody knows, with
// the objects where the operator was told to put them.
func newStage(s scene.Scene, c *cell, hooks mirror.Hooks) (*stage, error) {
	camera := sim.CameraOf(cameraName, &c.cal.Camera)
	nominal, err := s.Place(0)
	if err != nil {
		return nil, err
	}
	st := &stage{
		scene: s,
		spec:  sim.Spec{Params: sim.NominalParams(), Bodies: s.Bodies(nominal), Cameras: []sim.CameraSpec{camera}},
	}
	if st.judge, err = scene.NewJudge(&st.scene, scene.DefaultRules()); err != nil {
		return nil, err
	}
	arm := sim.DefaultArmConfig(c.arm.Mode())
	arm.EffortLimit = c.cfg.Loop.Guard.MaxEffort
	for i, k := range c.stiffness() {
		arm.Servos[i].Stiffness = k
	}
	st.album.witness = scene.Witness{Judge: st.judge}
	st.mirror, err = mirror.New(c.cfg.Mirror, mirror.Twin{Spec: st.spec, Arm: arm, Gains: c.gains()}, &st.album, hooks)
	return st, err
}

// sink is the mirror as the loop's sink.
func (s *stage) sink(lockstep bool) agent.Sink {
	if lockstep {
		return mirror.Lockstep{Mirror: s.mirror}
	}
	return s.mirror
}

// task is what the scripted policies are told: the nominal placement.
func (s *stage) task(p scene.Placement) scripted.Task { return taskOf(&s.scene, p) }

func taskOf(s *scene.Scene, p scene.Placement) scripted.Task {
	a, b := s.Source(), s.Target()
	size := a.Extent()
	spot := p[a.Name]
	src := scripted.Source{X: spot.X, Y: spot.Y, Yaw: spot.Yaw, Height: size[2], Width: size[1]}
	switch {
	case a.Shape == scene.Cylinder || a.Shape == scene.Sphere:
	case size[0] == size[1]:
		src.Symmetry = 4
	default:
		src.Symmetry = 2
		if size[0] < size[1] {
			// The fingers close on the narrower side.
			src.Yaw, src.Width = src.Yaw+quarterTurn, size[0]
		}
	}
	at := p[b.Name]
	return scripted.Task{Source: src, Target: scripted.Target{X: at.X, Y: at.Y, Rim: b.Extent()[2]}}
}

// album is the mirror's watcher: it judges, and keeps the mirror's state at each
// control step for pictures.
type album struct {
	witness scene.Witness
	shots   []shot
}

type shot struct {
	stamp time.Duration
	state sim.Snapshot
}

// Begin implements mirror.Watcher.
func (a *album) Begin(w *sim.World) error {
	a.shots = a.shots[:0]
	return a.witness.Begin(w)
}

// Watch implements mirror.Watcher.
func (a *album) Watch(now time.Duration, w *sim.World, s *twinrig.State, goal twinrig.Grip) error {
	a.shots = append(a.shots, shot{stamp: now})
	if err := w.Snapshot(&a.shots[len(a.shots)-1].state); err != nil {
		return err
	}
	return a.witness.Watch(now, w, s, goal)
}

// nearest is the shot nearest to a time, nil if there is none.
func (a *album) nearest(t time.Duration) *sim.Snapshot {
	var best *shot
	for i := range a.shots {
		if s := &a.shots[i]; best == nil || (s.stamp-t).Abs() < (best.stamp-t).Abs() {
			best = s
		}
	}
	if best == nil {
		return nil
	}
	return &best.state
}
