package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"go.yaml.in/yaml/v3"

	"twinrig"
	"twinrig/agent"
	"twinrig/agent/telemetry/metrics"
	"twinrig/agent/telemetry/mqtt"
	"twinrig/configs"
	"twinrig/drivers/camera"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/serial"
)

// bringUp makes the arm of a rig file ready for torque: what is on the bus is
// looked at and compared, an arm that holds by itself is parked first, and a
// guardian watches this process from then on. path is the rig's file. A camera is
// opened if telemetry shows it or the cell must see, which is then an error without.
func bringUp(ctx context.Context, cfg configs.Rig, path string, mustSee bool, closing *closers, say func(string), sinks ...agent.Sink) (*cell, *mqtt.Publisher, error) {
	cal, err := cfg.Calibration()
	if err != nil {
		return nil, nil, err
	}
	for _, warning := range cal.Warnings() {
		say("calibration: " + warning)
	}
	port, err := serial.Open(cfg.Serial)
	if err != nil {
		return nil, nil, err
	}
	closing.add(port.Close)
	holds, err := inspectArm(dynamixel.NewBus(port, cfg.Bus), &cfg, cal, say)
	if err != nil {
		return nil, nil, err
	}
	if holds {
		say("the arm holds by itself: parking it before it is brought up")
		if err := parkHolding(ctx, cfg, cal, port); err != nil {
			return nil, nil, err
		}
	}
	clock, err := agent.OpenClock()
	if err != nil {
		return nil, nil, err
	}
	tell, err := openPublisher(&cfg, closing, say)
	if err != nil {
		return nil, nil, err
	}
	say = logged(say, tell)
	cam, err := openCamera(&cfg, clock.Now, mustSee, tell, closing, say)
	if err != nil {
		return nil, nil, err
	}
	c, err := openArm(cfg, cal, port, append(sinks, tell)...)
	if err != nil {
		return nil, nil, err
	}
	c.clock, c.camera, c.runner = clock.Now, cam, agent.NewRunner(c.loop, agent.Realtime{Clock: clock})
	dismiss, err := startGuardian(path)
	if err != nil {
		return nil, nil, err
	}
	closing.add(dismiss)
	return c, tell, nil
}

// openPublisher publishes the rig.
func openPublisher(cfg *configs.Rig, closing *closers, say func(string)) (*mqtt.Publisher, error) {
	if cfg.MQTT.QueueFile == "" {
		dir, err := stateDir()
		if err != nil {
			return nil, err
		}
		cfg.MQTT.QueueFile = filepath.Join(dir, "mqtt-"+cfg.Name+".db")
	}
	tell, err := mqtt.Open(cfg.MQTT, cfg.Name, func(err error) { say("telemetry: " + err.Error()) })
	if err == nil {
		closing.add(tell.Close)
	}
	return tell, err
}

// openCamera opens the rig's camera if anybody looks, and publishes what it sees.
func openCamera(cfg *configs.Rig, now func() time.Duration, mustSee bool, tell *mqtt.Publisher, closing *closers, say func(string)) (twinrig.Camera, error) {
	if !mustSee && cfg.MQTT.CameraRate == 0 {
		return nil, nil
	}
	cam, err := camera.Open(cfg.Camera, now)
	switch {
	case err != nil && mustSee:
		return nil, err
	case err != nil:
		say(fmt.Sprintf("telemetry: no pictures: %v", err))
		return nil, nil
	}
	closing.add(cam.Close)
	closing.add(film(cam, tell.PutFrame, cfg.MQTT.CameraRate, func(err error) { say("telemetry: " + err.Error()) }))
	return cam, nil
}

// studyRig is the rig's file in a study's folder, for the guardian.
const studyRig = "rig.yaml"

// openReal builds the cell on a real arm, with a person as the operator.
func openReal(ctx context.Context, d *configs.Demo, r *runner, closing *closers, say func(string)) error {
	runtime.GOMAXPROCS(runtime.NumCPU() + spareProcs)
	text, err := yaml.Marshal(&d.Rig)
	if err != nil {
		return err
	}
	path := filepath.Join(r.dir, studyRig)
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return err
	}
	late := metrics.NewLoop()
	c, tell, err := bringUp(ctx, d.Rig, path, true, closing, say, late)
	if err != nil {
		return err
	}
	r.watch = &watch{cell: c, loop: late, tell: tell}
	if d.Listen != "" {
		s, err := r.watch.serve(d.Listen, closing)
		if err != nil {
			return err
		}
		say("metrics and health on " + s.url)
	}
	r.cell, r.tell, r.say = c, tell, logged(say, tell)
	r.say(fmt.Sprintf("taking torque on, in steps; the study runs at %.0f Hz in %s mode", d.Rig.Loop.RateHz, c.arm.Mode()))
	return nil
}
