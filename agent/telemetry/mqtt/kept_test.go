package mqtt_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/agent/telemetry/mqtt"
)

// publisherEnv makes the test binary a program that publishes, for tests that
// kill it: it holds the broker's address. queueEnv is its queue's file.
const (
	publisherEnv = "TWINRIG_TEST_PUBLISHER"
	queueEnv     = "TWINRIG_TEST_QUEUE"
)

func TestMain(m *testing.M) {
	if url := os.Getenv(publisherEnv); url != "" {
		publishForEver(url)
	}
	os.Exit(m.Run())
}

// publishForEver puts events, and says each number once the event is put.
func publishForEver(url string) {
	cfg := config(url)
	cfg.QueueFile = os.Getenv(queueEnv)
	p, err := mqtt.Open(cfg, "bench", func(error) {})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for i := range time.Duration(1e9) {
		p.PutEvent(&twinrig.Event{Stamp: i, Kind: "step"})
		fmt.Println(int(i))
	}
}

// killed runs such a program, kills it once it has put n events, and returns how
// many it had put at least.
func killed(t *testing.T, url, queue string, n int) int {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), publisherEnv+"="+url, queueEnv+"="+queue)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	put := 0
	for lines := bufio.NewScanner(out); lines.Scan(); put++ {
		require.Equal(t, fmt.Sprint(put), lines.Text())
		if put == n {
			require.NoError(t, c.Process.Kill())
		}
	}
	require.Error(t, c.Wait())
	require.Greater(t, put, n)
	return put
}

// keptEvent is an event as it comes.
type keptEvent struct {
	ID    string
	Seq   int
	Stamp int `json:"stamp_ns"`
	Kind  string
}

// chain checks that messages come in order and none is missing; a duplicate has
// the id of its first.
type chain struct {
	ids  map[string]keptEvent
	last keptEvent
}

func (c *chain) take(t *testing.T, m message) keptEvent {
	t.Helper()
	e := decode[keptEvent](t, m)
	if c.ids == nil {
		c.ids = map[string]keptEvent{}
	}
	if first, again := c.ids[e.ID]; again {
		require.Equal(t, first, e, "a duplicate")
		return e
	}
	require.Equal(t, c.last.Seq+1, e.Seq, "in order, none missing")
	c.ids[e.ID], c.last = e, e
	return e
}

// Killed while there is no broker, and again while it delivers, the program has
// lost nothing of what it put, and what comes is in order.
func TestKilled(t *testing.T) {
	b := broker(t, 0)
	got := listen(t, b.URL(), "twinrig/bench/trial/events")
	link := newLink(t, b.URL())
	queue := filepath.Join(t.TempDir(), "queue.db")
	first := killed(t, link.url, queue, 300)
	link.on(t)
	second := killed(t, link.url, queue, 300)

	cfg := config(link.url)
	cfg.QueueFile = queue
	p, _ := open(t, cfg)
	p.PutEvent(&twinrig.Event{Kind: "last"})
	var c chain
	starts, puts := 0, []int{0, 0}
	for e := (keptEvent{}); e.Kind != "last"; {
		before := len(c.ids)
		e = c.take(t, <-got)
		if len(c.ids) == before || e.Kind == "last" {
			continue
		}
		if e.Stamp == 0 {
			starts++
		}
		require.Equal(t, puts[starts-1], e.Stamp)
		puts[starts-1]++
	}
	// One may have been put that the program had no time to tell of.
	require.Contains(t, []int{first, first + 1}, puts[0])
	require.Contains(t, []int{second, second + 1}, puts[1])
}

// The network comes and goes while events are put: all come, in order.
func TestOutages(t *testing.T) {
	b := broker(t, 0)
	got := listen(t, b.URL(), "twinrig/bench/trial/events")
	link := newLink(t, b.URL())
	cfg := config(link.url)
	cfg.QueueFile = filepath.Join(t.TempDir(), "queue.db")
	p, _ := open(t, cfg)
	const n = 1000
	var c chain
	for i := range n {
		switch i % 100 {
		case 0:
			link.on(t)
		case 90:
			link.off()
		case 50: // it surely works by now
			for c.last.Stamp < i-20 {
				c.take(t, <-got)
			}
		}
		p.PutEvent(&twinrig.Event{Stamp: time.Duration(i), Kind: "step"})
	}
	link.on(t)
	for c.last.Stamp < n-1 {
		e := c.take(t, <-got)
		require.Equal(t, e.Seq-1, e.Stamp)
	}
	require.Len(t, c.ids, n)
}

// The broker dies, with all that it knew, and another comes in its place.
func TestBrokerReplaced(t *testing.T) {
	port := freePort(t)
	b, err := mqtt.OpenBroker(port)
	require.NoError(t, err)
	p, _ := open(t, config(b.URL()))
	p.PutEvent(&twinrig.Event{Stamp: 1, Kind: "step"})
	require.Eventually(t, func() bool { return p.Stats().Messages == 1 }, time.Minute, time.Millisecond)
	require.NoError(t, b.Close())
	require.Eventually(t, func() bool { return !p.Stats().Connected }, time.Minute, time.Millisecond)
	p.PutEvent(&twinrig.Event{Stamp: 2, Kind: "step"})
	p.PutResult("key", []byte(`{}`))
	require.Equal(t, 2, p.Stats().Waiting)
	broker(t, port)
	require.Eventually(t, func() bool { return p.Stats().Messages == 3 }, time.Minute, time.Millisecond)
	require.Zero(t, p.Stats().Waiting)
}

// What a program that ended in order could not deliver, the next one does.
func TestRestart(t *testing.T) {
	b := broker(t, 0)
	link := newLink(t, b.URL())
	cfg := config(link.url)
	cfg.QueueFile = filepath.Join(t.TempDir(), "queue.db")
	for i := range 3 {
		p, warnings := open(t, cfg)
		require.Error(t, <-warnings)
		p.PutEvent(&twinrig.Event{Stamp: time.Duration(i), Kind: "step"})
		require.NoError(t, p.Close())
	}
	got := listen(t, b.URL(), "twinrig/bench/trial/events")
	link.on(t)
	open(t, cfg)
	var c chain
	for i := range 3 {
		require.Equal(t, i, c.take(t, <-got).Stamp)
	}
}

// Two programs with one queue would send everything twice.
func TestQueueInUse(t *testing.T) {
	cfg := config("tcp://127.0.0.1:1")
	cfg.QueueFile = filepath.Join(t.TempDir(), "queue.db")
	open(t, cfg)
	_, err := mqtt.Open(cfg, "bench", nil)
	require.ErrorContains(t, err, "mqtt: queue_file: outbox: "+cfg.QueueFile)
	require.ErrorContains(t, err, "is another agent of this rig running?")
}
