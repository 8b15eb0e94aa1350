package virtual

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"twinrig"
	"twinrig/calib"
	"twinrig/sim"
	"twinrig/sim/scene"
)

// World is the hidden world behind the servos. The goroutine of the servos
// steps it (it is their servotest.Shafts); all other methods may be called from
// any goroutine.
type World struct {
	hidden Hidden
	crank  calib.Gripper
	camera sim.CameraSpec

	staging sync.Mutex // one Stage at a time; before mu

	mu     sync.Mutex
	stages map[string]*sim.World // by scene name; "" is the bare table
	scene  string                // the stage that is set
	sim    *sim.World            // stages[scene]
	stuck  [twinrig.NumAxes]bool // joints that are blocked
	play   twinrig.Joints        // where each link sits in its play, rad
	now    time.Duration         // how far the world has been advanced
	film   film
	err    error // why it stopped
}

var errClosed = errors.New("virtual: the world is closed")

// newWorld builds the bare world: the arm lying in its sleep pose with the
// gripper half open, and nothing on the table. Its camera may look back age on.
func newWorld(h Hidden, camera sim.CameraSpec, age time.Duration, crank calib.Gripper) (*World, error) {
	w := &World{hidden: h, crank: crank, camera: camera, stages: map[string]*sim.World{}, film: newFilm(framePeriod, age)}
	bare, err := w.build(nil)
	if err != nil {
		return nil, err
	}
	bare.SetArm(twinrig.SleepPose, twinrig.Grip(0.5).Finger())
	w.stages[""], w.sim = bare, bare
	return w, nil
}

func (w *World) build(bodies []sim.Body) (*sim.World, error) {
	for i := range bodies {
		bodies[i].Mass *= w.hidden.MassScale
		for k := range bodies[i].Geoms {
			bodies[i].Geoms[k].Friction *= w.hidden.FrictionScale
		}
	}
	built, err := sim.NewWorld(w.spec(bodies))
	if err != nil {
		return nil, fmt.Errorf("virtual: %w", err)
	}
	return built, nil
}

func (w *World) spec(bodies []sim.Body) sim.Spec {
	// a real arm rests on itself when its torque is off
	return sim.Spec{Params: w.hidden.Params, Bodies: bodies, Cameras: []sim.CameraSpec{w.camera}, SelfContact: true}
}

// Stage clears the table and puts the objects of a scene on it, at rest, where
// an operator would: p says where. The arm stays as it is, but stands still.
func (w *World) Stage(s *scene.Scene, p scene.Placement) error {
	w.staging.Lock()
	defer w.staging.Unlock()
	next, err := w.stage(s.Name, func() (*sim.World, error) { return w.build(s.Bodies(p)) })
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	q, _, finger, _ := w.sim.Arm()
	if err := next.Reset(); err != nil {
		return fmt.Errorf("virtual: %w", err)
	}
	next.SetArm(q, finger)
	for name, xBO := range s.Poses(p) {
		if err := next.SetBody(name, xBO); err != nil {
			return fmt.Errorf("virtual: %w", err)
		}
	}
	w.scene, w.sim = s.Name, next
	return nil
}

// stage is the world of that name, which is built, if there is none yet, while
// the servos go on turning.
func (w *World) stage(name string, build func() (*sim.World, error)) (*sim.World, error) {
	w.mu.Lock()
	built, err := w.stages[name], w.err
	w.mu.Unlock()
	if err != nil || built != nil {
		return built, err
	}
	if built, err = build(); err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		built.Close()
		return nil, w.err
	}
	w.stages[name] = built
	return built, nil
}

// Advance implements servotest.Shafts.
func (w *World) Advance(dt time.Duration, torque []float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = w.advance(dt, torque)
	}
}

// Block implements servotest.Blocker: the joint of servo i is jammed.
func (w *World) Block(i int, blocked bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stuck[mountings[i].axis] = blocked
}

func (w *World) advance(dt time.Duration, torque []float64) error {
	for axis, stuck := range w.stuck {
		w.sim.Jam(axis, stuck)
	}
	_, _, finger, _ := w.sim.Arm()
	effort, force := w.loads(torque, finger)
	for range dt / w.sim.Timestep() {
		if err := w.sim.Step(effort, force); err != nil {
			return err
		}
	}
	w.now += dt
	w.shiftPlay(dt, &effort)
	return w.film.expose(w.now, w.scene, w.sim)
}

// shiftPlay moves each link across its play, towards the side that the torque
// pushes it to. A torque within the joint's friction moves nothing.
func (w *World) shiftPlay(dt time.Duration, effort *twinrig.Joints) {
	const crossing = 20 * time.Millisecond
	for i := range w.play {
		if math.Abs(effort[i]) <= w.hidden.Params.Friction[i] {
			continue
		}
		side := -math.Copysign(w.hidden.Backlash[i]/2, effort[i])
		w.play[i] += (side - w.play[i]) * min(1, float64(dt)/float64(crossing))
	}
}

// Shaft implements servotest.Shafts.
func (w *World) Shaft(i int) (angle, speed float64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.shaft(i)
}

// Err is why the world stopped, or nil.
func (w *World) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// Truth lets see into the hidden world for the time of the call. It is for the
// judge of a virtual trial.
func (w *World) Truth(see func(scene.View) error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	return see(w.sim)
}

// close frees the world and returns why it had stopped, if it had.
func (w *World) close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if errors.Is(w.err, errClosed) {
		return nil
	}
	failed := w.err
	for _, s := range w.stages {
		s.Close()
	}
	w.err = errClosed
	return failed
}
