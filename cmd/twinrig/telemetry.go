package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"twinrig"
	"twinrig/agent/telemetry/metrics"
	"twinrig/agent/telemetry/mqtt"
	"twinrig/configs"
	"twinrig/eval"
)

// openTelemetry starts the embedded broker and a publisher on it. A study does
// not depend on being watched: without a broker it runs all the same.
func (r *runner) openTelemetry(d *configs.Demo, cam twinrig.Camera, closing *closers, say func(string)) (*mqtt.Publisher, error) {
	broker, err := mqtt.OpenBroker(d.MQTTPort)
	if err != nil {
		say(fmt.Sprintf("no telemetry on port %d (%v); taking a free port", d.MQTTPort, err))
		if broker, err = mqtt.OpenBroker(0); err != nil {
			return nil, err
		}
	}
	closing.add(broker.Close)
	cfg := d.Rig.MQTT
	cfg.Broker = broker.URL()
	pub, err := mqtt.Open(cfg, d.Rig.Name, func(err error) { say("telemetry: " + err.Error()) })
	if err != nil {
		return nil, err
	}
	closing.add(pub.Close)
	closing.add(film(cam, pub.PutFrame, cfg.CameraRate, func(err error) { say("telemetry: " + err.Error()) }))
	r.tell, r.say = pub, logged(say, pub)
	say("watch it live: " + watchCommand(broker.URL(), d.Rig.Name))
	return pub, nil
}

// logged says a line and has it published.
func logged(say func(string), pub *mqtt.Publisher) func(string) {
	return func(line string) {
		say(line)
		pub.PutLog(slog.LevelInfo, line)
	}
}

// film passes the camera's frames on until it is closed, from a goroutine of its
// own: to turn one into a JPEG takes milliseconds. It looks for a new frame four
// times as often as one is due (Hz). A frame that cannot be turned into a picture
// is told once.
func film(cam twinrig.Camera, show func(*twinrig.Frame) error, rate float64, warn func(error)) (closeFilm func() error) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		if rate == 0 {
			return
		}
		ticker := time.NewTicker(time.Duration(float64(time.Second) / rate / 4))
		defer ticker.Stop()
		var frame twinrig.Frame
		var seen uint64
		var told sync.Once
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
			}
			if cam.Latest(&frame) != nil || frame.Seq == seen {
				continue // the camera's health is looked after elsewhere
			}
			seen = frame.Seq
			if err := show(&frame); err != nil {
				told.Do(func() { warn(err) })
			}
		}
	}()
	return func() error { close(done); <-ended; return nil }
}

// tellSteps has the study's progress and results published as well as shown.
func (r *runner) tellSteps(s *eval.Study, show func(eval.Step)) func(eval.Step) {
	began, first := time.Now(), -1
	return func(step eval.Step) {
		show(step)
		if r.tell == nil {
			return
		}
		if first < 0 {
			first = step.Done
		}
		at := mqtt.Progress{
			Study: s.Name, Trial: step.Trial.ID, Scene: step.Trial.Scene, Attempt: step.Trial.Attempt,
			Finished: step.Result != nil, Done: step.Done, Total: step.Total, Elapsed: time.Since(began),
		}
		if n := step.Done - first; n > 0 {
			at.Left = at.Elapsed / time.Duration(n) * time.Duration(step.Total-step.Done)
		}
		r.tell.PutProgress(at)
		if r.watch != nil {
			r.watch.study.Store(&metrics.Study{Name: s.Name, Done: step.Done, Total: step.Total})
		}
		if step.Result != nil {
			r.tellResult(s, step.Result)
		}
	}
}

// tellResults has all results of the ledger published that were not yet: the last
// time, this program may have been killed between the two.
func (r *runner) tellResults(s *eval.Study, l *eval.Ledger) error {
	if r.tell == nil {
		return nil
	}
	results, err := l.Results()
	for i := range results {
		r.tellResult(s, &results[i])
	}
	return err
}

func (r *runner) tellResult(s *eval.Study, res *eval.Result) {
	data, err := json.Marshal(res)
	if err != nil {
		r.say("telemetry: result of " + res.Trial.ID + ": " + err.Error())
		return
	}
	r.tell.PutResult(s.Name+"/"+s.ConfigSHA256+"/"+res.Trial.ID, data)
}

// stateDir is where this program keeps what it must find again when it comes
// back: what systemd says, else the user's.
func stateDir() (string, error) {
	if dir := os.Getenv("STATE_DIRECTORY"); dir != "" {
		return dir, nil
	}
	if dir := os.Getenv("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "twinrig"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no place to keep state: %w: set STATE_DIRECTORY", err)
	}
	return filepath.Join(home, ".local", "state", "twinrig"), nil
}

// watchCommand is what a person types to see the telemetry, but for the pictures,
// which are not text.
func watchCommand(url, rig string) string {
	var port int
	if _, err := fmt.Sscanf(url, "tcp://127.0.0.1:%d", &port); err != nil {
		return url
	}
	return fmt.Sprintf("mosquitto_sub -p %d -v -t 'twinrig/%s/#' -T 'twinrig/%[2]s/camera/#'", port, rig)
}

// putGap passes a live gap on, from the mirror's goroutine.
func (r *runner) putGap(g twinrig.Gap) {
	if rec := r.recording.Load(); rec != nil {
		rec.PutGap(&g)
	}
	if r.tell != nil {
		r.tell.PutGap(&g)
	}
}
