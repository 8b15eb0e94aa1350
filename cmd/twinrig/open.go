package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"

	"go.yaml.in/yaml/v3"

	"twinrig/agent"
	"twinrig/agent/telemetry/metrics"
	"twinrig/configs"
	"twinrig/drivers/camera"
	"twinrig/drivers/serial"
	"twinrig/eval"
	"twinrig/sim/mirror"
	"twinrig/sim/scene"
	"twinrig/sim/virtual"
)

// fifoPriority is the loop's; the emulated servos run one above, as hardware
// would.
const fifoPriority = 40

// spareProcs is how many of Go's processors there are beyond the cores: one for
// each thread that must not wait (loop, servos), and some for those in cgo.
const spareProcs = 4

// openDemo assembles the virtual rig, the arm on it, the mirrors and the
// telemetry, and has the arm hold. closeAll parks the arm and closes everything;
// say tells a person something worth knowing.
func openDemo(ctx context.Context, d *configs.Demo, lockstep bool, dir string, study *eval.Study, scenes []scene.Scene, say func(string)) (r *runner, closeAll func() error, err error) {
	var closing closers
	defer func() {
		if err != nil {
			err = errors.Join(err, closing.close())
		}
	}()
	r = &runner{
		study: d.Study, dir: dir, lockstep: lockstep, virtual: study.Virtual,
		digest: study.ConfigSHA256, config: []byte(study.Config),
		stages: map[string]*stage{}, pictures: &pictures{}, say: say,
	}
	open := openPaced
	switch {
	case !study.Virtual:
		open = openReal
	case lockstep:
		open = openLockstep
	}
	if err := open(ctx, d, r, &closing, say); err != nil {
		return nil, nil, err
	}
	if r.calib, err = yaml.Marshal(r.cell.cal); err != nil {
		return nil, nil, err
	}
	hooks := mirror.Hooks{}
	if !lockstep {
		hooks.Clock = r.cell.clock
		hooks.Gap = r.putGap
	}
	for _, sc := range scenes {
		st, err := newStage(sc, r.cell, hooks)
		if err != nil {
			return nil, nil, err
		}
		closing.add(func() error { st.mirror.Close(); return nil })
		r.stages[sc.Name] = st
	}
	if err := r.cell.start(ctx, lockstep, &closing, r.say); err != nil {
		return nil, nil, err
	}
	return r, closing.close, nil
}

// openLockstep builds the cell on virtual time.
func openLockstep(_ context.Context, d *configs.Demo, r *runner, closing *closers, _ func(string)) error {
	rig, err := virtual.NewLockstep(d.Virtual)
	if err != nil {
		return err
	}
	closing.add(rig.Close)
	cal, err := d.Rig.Calibration()
	if err != nil {
		return err
	}
	if r.cell, err = openArm(d.Rig, cal, rig.Port()); err != nil {
		return err
	}
	r.cell.clock, r.cell.camera = rig.Clock().Now, rig.Camera()
	r.cell.runner = agent.NewLockstepRunner(r.cell.loop, agent.Lockstep{Clock: rig.Clock()})
	r.operator = &virtualOperator{world: rig.World(), study: d.Study}
	return nil
}

// openPaced builds the cell on the machine's clock: the servos behind a pty that
// the real driver opens, the camera behind a URL.
func openPaced(ctx context.Context, d *configs.Demo, r *runner, closing *closers, say func(string)) error {
	// A thread that comes back from a wait needs a P at once, and with one for
	// each core it would queue behind pictures being encoded.
	runtime.GOMAXPROCS(runtime.NumCPU() + spareProcs)
	clock, err := agent.OpenClock()
	if err != nil {
		return err
	}
	rig, err := virtual.Serve(d.Virtual, clock.Now, func() { agent.LockThread(fifoPriority + 1) })
	if err != nil {
		return err
	}
	closing.add(rig.Close)
	cfg := d.Rig
	cfg.Serial.Port, cfg.Camera.Source, cfg.Camera.Rate = rig.PortPath(), rig.CameraURL(), d.Virtual.Webcam.Rate
	port, err := serial.Open(cfg.Serial)
	if err != nil {
		return err
	}
	closing.add(port.Close)
	say(fmt.Sprintf("virtual servos on %s, virtual camera on %s", rig.PortPath(), rig.CameraURL()))
	cal, err := cfg.Calibration()
	if err != nil {
		return err
	}
	cam, err := camera.Open(cfg.Camera, clock.Now)
	if err != nil {
		return err
	}
	closing.add(cam.Close)
	pub, err := r.openTelemetry(d, cam, closing, say)
	if err != nil {
		return err
	}
	late := metrics.NewLoop()
	sinks := []agent.Sink{pub, late}
	if d.Foxglove != "" {
		live, err := showFoxglove(d.Foxglove, cfg.Name, cam, closing, say)
		if err != nil {
			return err
		}
		r.tell, sinks = shown{pub, live}, append(sinks, live)
	}
	if r.cell, err = openArm(cfg, cal, port, sinks...); err != nil {
		return err
	}
	r.cell.clock, r.cell.camera = clock.Now, cam
	r.cell.runner = agent.NewRunner(r.cell.loop, agent.Realtime{Clock: clock})
	r.watch = &watch{cell: r.cell, loop: late, tell: pub, say: r.say}
	if d.Listen != "" {
		s, err := r.watch.serve(d.Listen, closing)
		if err != nil {
			return err
		}
		say("metrics and health on " + s.url)
	}
	r.operator = &virtualOperator{world: rig.World(), study: d.Study}
	return nil
}

// start takes torque on and holds. When the cell is closed the arm is parked and
// torque taken off.
func (c *cell) start(ctx context.Context, lockstep bool, closing *closers, say func(string)) error {
	if err := c.arm.Enable(); err != nil {
		return errors.Join(err, c.arm.Halt())
	}
	if lockstep {
		closing.add(c.runner.Stop)
		return nil
	}
	// The loop stops with ctx, or when the cell is closed.
	loop, stop := context.WithCancel(ctx)
	c.relay.Start()
	served := make(chan error, 1)
	granted := make(chan agent.Grants, 1)
	go func() {
		granted <- agent.LockThread(fifoPriority)
		served <- c.runner.Serve(loop)
	}()
	say("real time: " + (<-granted).String())
	unwatch := haltOnSecondSignal(ctx, c.runner)
	closing.add(func() error {
		stop()
		err := <-served
		c.relay.Close()
		unwatch()
		return err
	})
	return nil
}

// haltOnSecondSignal takes torque off at once when a signal comes after the one
// that ended ctx, while the arm is on its way to the park pose.
func haltOnSecondSignal(ctx context.Context, r *agent.Runner) (stop func()) {
	done := make(chan struct{})
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		select {
		case <-done:
			return
		case <-ctx.Done():
		}
		again := make(chan os.Signal, 1)
		signal.Notify(again, os.Interrupt, syscall.SIGTERM)
		defer signal.Stop(again)
		select {
		case <-done:
		case <-again:
			if err := r.HaltNow(); err != nil {
				fmt.Fprintln(os.Stderr, "twinrig:", err)
			}
		}
	}()
	return func() { close(done); <-gone }
}

// curves reads the trials' gaps back from their logs.
func curves(dir string, results []eval.Result) ([]eval.Curve, error) {
	var out []eval.Curve
	for i := range results {
		id := results[i].Trial.ID
		gaps, err := gapsOf(filepath.Join(dir, "trials", id, "trial.mcap"))
		if errors.Is(err, os.ErrNotExist) {
			continue // the attempt failed before it was recorded
		}
		if err != nil {
			return nil, err
		}
		out = append(out, eval.CurveOf(id, gaps))
	}
	return out, nil
}
