package main

import (
	"fmt"

	"twinrig"
	"twinrig/agent/telemetry/mqtt"
	"twinrig/configs"
)

// openTelemetry starts the embedded broker and a publisher on it. A study does
// not depend on being watched: without a broker it runs all the same.
func (r *runner) openTelemetry(d *configs.Demo, closing *closers, say func(string)) error {
	broker, err := mqtt.OpenBroker(d.MQTTPort)
	if err != nil {
		say(fmt.Sprintf("no telemetry on port %d (%v); taking a free port", d.MQTTPort, err))
		if broker, err = mqtt.OpenBroker(0); err != nil {
			return err
		}
	}
	closing.add(broker.Close)
	cfg := d.Rig.MQTT
	cfg.Broker = broker.URL()
	pub, err := mqtt.Open(cfg, d.Rig.Name, func(err error) { say("telemetry: " + err.Error()) })
	if err != nil {
		return err
	}
	closing.add(pub.Close)
	r.tell = pub
	say("watch it live: " + watchCommand(broker.URL(), d.Rig.Name))
	return nil
}

// watchCommand is what a person types to see the telemetry.
func watchCommand(url, rig string) string {
	var port int
	if _, err := fmt.Sscanf(url, "tcp://127.0.0.1:%d", &port); err != nil {
		return url
	}
	return fmt.Sprintf("mosquitto_sub -p %d -v -t 'twinrig/%s/#'", port, rig)
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
