package mqtt_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"math"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/agent/telemetry/mqtt"
)

var update = flag.Bool("update", false, "write the golden files")

// message is one that a subscriber got.
type message struct {
	topic, payload string
	retained       bool
}

// listen subscribes to a topic filter.
func listen(t *testing.T, broker, filter string) <-chan message {
	t.Helper()
	got := make(chan message, 1<<14)
	client := paho.NewClient(paho.NewClientOptions().AddBroker(broker).SetClientID(fmt.Sprintf("listener-%p", got)))
	token := client.Connect()
	token.Wait()
	require.NoError(t, token.Error())
	token = client.Subscribe(filter, 1, func(_ paho.Client, m paho.Message) {
		if err := checkSchema(m.Topic(), m.Payload()); err != nil {
			t.Errorf("%s: %v\n%s", m.Topic(), err, m.Payload())
		}
		got <- message{m.Topic(), string(m.Payload()), m.Retained()}
	})
	token.Wait()
	require.NoError(t, token.Error())
	// The broker looks for retained messages after it has acknowledged; what
	// comes next on this connection waits for that.
	token = client.Publish("settled", 1, false, "")
	token.Wait()
	require.NoError(t, token.Error())
	t.Cleanup(func() { client.Disconnect(0) })
	return got
}

func broker(t *testing.T, port int) *mqtt.Broker {
	t.Helper()
	b, err := mqtt.OpenBroker(port)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

func config(url string) mqtt.Config {
	cfg := mqtt.DefaultConfig()
	cfg.Broker, cfg.StateRate, cfg.Retry = url, 500, 10*time.Millisecond
	return cfg
}

// open opens a publisher whose warnings go to a channel.
func open(t *testing.T, cfg mqtt.Config) (*mqtt.Publisher, <-chan error) {
	t.Helper()
	warnings := make(chan error, 100)
	p, err := mqtt.Open(cfg, "bench", func(err error) { warnings <- err })
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	return p, warnings
}

// until reads on to a payload: a broker may send one twice.
func until(t *testing.T, got <-chan message, payload string) {
	t.Helper()
	for m := range got {
		if m.payload == payload {
			return
		}
	}
}

// Payloads of the status topic.
const (
	online = `{"rig":"bench","status":"online"}`
	lost   = `{"rig":"bench","status":"offline","reason":"lost"}`
	closed = `{"rig":"bench","status":"offline","reason":"closed"}`
)

// sample has another value in every place.
func sample() (twinrig.Report, twinrig.Gap, twinrig.Event) {
	n := 0.0
	joints := func() (j twinrig.Joints) {
		for i := range j {
			n++
			j[i] = n / 8
		}
		return j
	}
	r := twinrig.Report{
		Tick: 1001, Now: 5005 * time.Millisecond, Step: 25, Misses: 3, Late: 21 * time.Microsecond,
		State: twinrig.State{
			Stamp: 5006 * time.Millisecond, Measured: joints(), Velocity: joints(), Effort: joints(),
			Load: [2]float64{0.125, -0.375}, Grip: 0.625,
			Age:           [twinrig.NumAxes]time.Duration{0, 5e6, 1e7, 0, 0, 0, 15e6},
			HardwareError: [twinrig.NumAxes]uint8{0, 32, 0, 4, 0, 0, 1},
		},
		Asked: twinrig.Goal{Joints: joints(), Velocity: joints(), Grip: 0.75},
		Sent:  twinrig.Command{Goal: twinrig.Goal{Joints: joints(), Velocity: joints(), Grip: 0.875}, Effort: joints()},
		Guard: twinrig.ClippedVelocity | twinrig.RefusedStale,
	}
	r.State.Effort[twinrig.WristRotate] = math.NaN()
	g := twinrig.Gap{
		Stamp: 5 * time.Second, Step: 25, Joints: joints(), Velocity: joints(),
		Translation: 0.0125, Rotation: 0.0625, Grip: -0.03125, Behind: 2 * time.Millisecond,
	}
	e := twinrig.Event{Stamp: 4 * time.Second, Kind: "trial_start", Trial: "t0007", Detail: `spoon on towel, policy "hold"`}
	return r, g, e
}

// take returns the next message of a topic.
func take(got <-chan message, topic string) message {
	for m := range got {
		if m.topic == topic {
			return m
		}
	}
	return message{}
}

func TestPayloads(t *testing.T) {
	b := broker(t, 0)
	got := listen(t, b.URL(), "twinrig/#")
	p, warnings := open(t, config(b.URL()))
	r, g, e := sample()
	p.Put(&r)
	p.PutGap(&g)
	p.PutEvent(&e)
	p.PutProgress(mqtt.Progress{
		Study: "week12", Trial: "t0007", Scene: "spoon \"on\" towel", Attempt: 1, Finished: true,
		Done: 7, Total: 120, Elapsed: 90 * time.Second, Left: 1500 * time.Second,
	})
	p.PutLog(slog.LevelWarn, "a \"line\" with\x00 what may not be")
	levels := []string{"status", "state", "mirror/gap", "trial/events", "study/progress", "log"}
	for seen := map[string]bool{}; len(seen) < len(levels); {
		m := <-got
		level := m.topic[len("twinrig/bench/"):]
		require.Contains(t, levels, level)
		golden(t, strings.ReplaceAll(level, "/", "-")+".json", changing.ReplaceAllString(m.payload, `"$1":"..."`))
		seen[level] = true
	}
	require.Empty(t, warnings)
}

// changing is what differs from run to run.
var changing = regexp.MustCompile(`"(id|at)":"[^"]*"`)

// golden compares a payload with a file of testdata.
func golden(t *testing.T, name, payload string) {
	t.Helper()
	require.True(t, json.Valid([]byte(payload)), "%s", payload)
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(payload+"\n"), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), payload+"\n", "-update accepts the new payload")
}

// TestNoBroker warns once and keeps events, in order, for the broker
// that comes at last.
func TestNoBroker(t *testing.T) {
	b := broker(t, 0)
	got := listen(t, b.URL(), "twinrig/bench/trial/events")
	link := newLink(t, b.URL())
	cfg := config(link.url)
	cfg.Queue = 5
	p, warnings := open(t, cfg)
	require.EqualError(t, <-warnings, "mqtt: "+link.url+": connect: connection refused: "+
		"start a broker there (`mosquitto`) or correct the address; the run goes on, trying again every 10ms")
	for i := range 8 {
		p.PutEvent(&twinrig.Event{Stamp: time.Duration(i), Kind: "step"})
	}
	require.Equal(t, mqtt.Stats{Waiting: 5, Dropped: 3}, p.Stats())

	link.on(t)
	for i := range 5 {
		var e twinrig.Event
		require.NoError(t, json.Unmarshal([]byte((<-got).payload), &e))
		require.Equal(t, time.Duration(i), e.Stamp)
	}
	require.True(t, p.Stats().Connected)
	require.Empty(t, warnings, "one warning an outage")
	require.NoError(t, p.Close())
	require.Equal(t, mqtt.Stats{Messages: 5, Dropped: 3}, p.Stats())
}

func TestOrder(t *testing.T) {
	b := broker(t, 0)
	got := listen(t, b.URL(), "twinrig/bench/trial/events")
	p, _ := open(t, config(b.URL()))
	for i := range 500 {
		p.PutEvent(&twinrig.Event{Stamp: time.Duration(i), Kind: "step"})
	}
	for i := range 500 {
		var e twinrig.Event
		require.NoError(t, json.Unmarshal([]byte((<-got).payload), &e))
		require.Equal(t, time.Duration(i), e.Stamp)
	}
}

func TestOfflineWhenClosed(t *testing.T) {
	b := broker(t, 0)
	got := listen(t, b.URL(), "twinrig/bench/#")
	p, _ := open(t, config(b.URL()))
	until(t, got, online)
	p.PutEvent(&twinrig.Event{Kind: "last_words"})
	require.NoError(t, p.Close())
	require.NoError(t, p.Close())
	require.Contains(t, take(got, "twinrig/bench/trial/events").payload, "last_words")
	until(t, got, closed)

	// It is retained for whoever comes later.
	late := <-listen(t, b.URL(), "twinrig/bench/status")
	require.Equal(t, message{"twinrig/bench/status", closed, true}, late)
}

// TestOfflineWhenLost cuts the connection between publisher and broker, which
// then speaks the last will; the publisher comes back by itself.
func TestOfflineWhenLost(t *testing.T) {
	b := broker(t, 0)
	link := newLink(t, b.URL())
	got := listen(t, b.URL(), "twinrig/bench/status")
	link.on(t)
	_, warnings := open(t, config(link.url))
	until(t, got, online)
	link.off()
	until(t, got, lost)
	require.ErrorContains(t, <-warnings, "start a broker there")
	link.on(t)
	until(t, got, online)
}

// TestLateWill has a stranger say "offline", as a last will that comes late.
func TestLateWill(t *testing.T) {
	b := broker(t, 0)
	got := listen(t, b.URL(), "twinrig/bench/#")
	p, _ := open(t, config(b.URL()))
	p.PutEvent(&twinrig.Event{Kind: "listening"}) // it is sent after the subscription
	until(t, got, online)
	take(got, "twinrig/bench/trial/events")
	for range 3 {
		say(t, b.URL(), "twinrig/bench/status", lost)
		// The answer may overtake what it answers.
		require.ElementsMatch(t, []string{lost, online}, []string{
			take(got, "twinrig/bench/status").payload, take(got, "twinrig/bench/status").payload,
		})
	}
	require.NoError(t, p.Close())
	until(t, got, closed)
	require.Empty(t, got, "its own last word stands")
}

// say publishes one retained message.
func say(t *testing.T, broker, topic, payload string) {
	t.Helper()
	client := paho.NewClient(paho.NewClientOptions().AddBroker(broker).SetClientID("stranger"))
	defer client.Disconnect(100)
	for _, token := range []func() paho.Token{
		client.Connect,
		func() paho.Token { return client.Publish(topic, 1, true, payload) },
	} {
		wait := token()
		wait.Wait()
		require.NoError(t, wait.Error())
	}
}

func TestCloseWithoutBroker(t *testing.T) {
	p, warnings := open(t, config("tcp://127.0.0.1:"+strconv.Itoa(freePort(t))))
	require.Error(t, <-warnings)
	r, g, e := sample()
	p.Put(&r)
	p.PutGap(&g)
	p.PutEvent(&e)
	require.NoError(t, p.Close())
	require.Equal(t, mqtt.Stats{Waiting: 1}, p.Stats(), "in memory: it ends here")
}

func TestBrokerPortTaken(t *testing.T) {
	b := broker(t, 0)
	_, port, err := net.SplitHostPort(b.URL()[len("tcp://"):])
	require.NoError(t, err)
	n, err := strconv.Atoi(port)
	require.NoError(t, err)
	_, err = mqtt.OpenBroker(n)
	require.ErrorContains(t, err, "mqtt: broker: listen tcp 127.0.0.1:"+port)
	require.ErrorContains(t, err, "address already in use: another one is running? choose another port")
}
