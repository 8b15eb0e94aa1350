package mqtt_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/agent/telemetry/mqtt"
)

// window is what a state message says of those that it stands for.
type window struct {
	Reports       int           `json:"reports"`
	From          time.Duration `json:"from_ns"`
	To            time.Duration `json:"to_ns"`
	Guard         []string      `json:"guard"`
	Alarm         [7]int        `json:"hardware_error"`
	Oldest        [7]int        `json:"oldest_ns"`
	Min, Max, Avg map[string]any
}

type stateMessage struct {
	Tick         int
	Seq, Dropped int
	Window       window
}

func decode[T any](t *testing.T, m message) (v T) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(m.payload), &v), "%s", m.payload)
	return v
}

// stats are a stream's counters.
func stats(p *mqtt.Publisher, topic string) mqtt.StreamStats {
	for _, s := range p.Streams() {
		if s.Topic == topic {
			return s
		}
	}
	return mqtt.StreamStats{}
}

// loop puts a tick of a 500 Hz loop.
func tick(p *mqtt.Publisher, i int, edit func(*twinrig.Report)) {
	r := twinrig.Report{Tick: uint64(i), Now: time.Duration(i+1) * 2 * time.Millisecond}
	edit(&r)
	p.Put(&r)
}

// A message says what the reports were that are not published: how many, their
// extremes and their mean, and all that the guard did.
func TestDecimation(t *testing.T) {
	b := broker(t, 0)
	got := listen(t, b.URL(), "twinrig/bench/state")
	cfg := config(b.URL())
	cfg.StateRate = 20
	p, _ := open(t, cfg)
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 1001
	values := make([]float64, n)
	for i := range n {
		values[i] = rng.Float64()
		tick(p, i, func(r *twinrig.Report) {
			r.State.Measured[twinrig.Elbow] = values[i]
			r.State.Effort[twinrig.WristRotate] = math.NaN()
			r.Late = time.Duration(i)
			if i == 40 {
				r.Guard = twinrig.ClippedEffort
				r.State.HardwareError[2], r.State.Age[3] = 0x20, 7
			}
		})
		if i%25 == 0 {
			m := <-got
			s := decode[stateMessage](t, m)
			first := max(0, i-24)
			require.Equal(t, i, s.Tick)
			require.Equal(t, i/25+1, s.Seq)
			require.Zero(t, s.Dropped)
			require.Equal(t, i-first+1, s.Window.Reports)
			require.Equal(t, []time.Duration{time.Duration(first+1) * 2e6, time.Duration(i+1) * 2e6}, []time.Duration{s.Window.From, s.Window.To})
			lo, hi, sum := math.Inf(1), math.Inf(-1), 0.0
			for _, v := range values[first : i+1] {
				lo, hi, sum = min(lo, v), max(hi, v), sum+v
			}
			elbow := func(what string) float64 {
				all := decode[struct{ Window map[string]json.RawMessage }](t, m).Window[what]
				var q struct {
					Measured []float64  `json:"measured_rad"`
					Effort   []*float64 `json:"effort_nm"`
					Late     float64    `json:"late_ns"`
				}
				require.NoError(t, json.Unmarshal(all, &q))
				require.Nil(t, q.Effort[twinrig.WristRotate])
				require.InDelta(t, map[string]float64{"min": float64(first), "max": float64(i), "mean": float64(first+i) / 2}[what], q.Late, 1e-9)
				return q.Measured[twinrig.Elbow]
			}
			require.InDelta(t, lo, elbow("min"), 1e-15)
			require.InDelta(t, hi, elbow("max"), 1e-15)
			require.InDelta(t, sum/float64(s.Window.Reports), elbow("mean"), 1e-12)
			if i == 50 {
				require.Equal(t, []string{"clipped_effort"}, s.Window.Guard)
				require.Equal(t, [7]int{2: 0x20}, s.Window.Alarm)
				require.Equal(t, [7]int{3: 7}, s.Window.Oldest)
			} else {
				require.Empty(t, s.Window.Guard)
			}
		}
	}
}

// Without a network the oldest messages wait and the others are dropped, which
// is counted exactly; the next one that goes out covers what they were to say.
func TestDropsAreCounted(t *testing.T) {
	b := broker(t, 0)
	got := listen(t, b.URL(), "twinrig/bench/state")
	link := newLink(t, b.URL())
	p, warnings := open(t, config(link.url))
	require.Error(t, <-warnings)
	const n = 100
	for i := range n {
		tick(p, i, func(*twinrig.Report) {})
	}
	const kept = 8
	require.Equal(t, mqtt.StreamStats{Topic: "state", Dropped: n - kept, Waiting: kept}, stats(p, "state"))
	link.on(t)
	reports := 0
	for i := range kept {
		s := decode[stateMessage](t, <-got)
		require.Equal(t, i+1, s.Seq)
		require.Equal(t, i, s.Tick)
		reports += s.Window.Reports
	}
	require.Eventually(t, func() bool { return stats(p, "state").Waiting == 0 }, time.Minute, time.Millisecond)
	tick(p, n, func(*twinrig.Report) {})
	s := decode[stateMessage](t, <-got)
	require.Equal(t, n+1, s.Seq)
	require.Equal(t, n-kept, s.Dropped)
	require.Equal(t, n+1-kept, s.Window.Reports)
	require.Equal(t, n+1, reports+s.Window.Reports, "every report is in exactly one window")
	require.NoError(t, p.Close())
	require.Equal(t, mqtt.StreamStats{Topic: "state", Published: kept + 1, Dropped: n - kept}, stats(p, "state"))
}

// The loop goes on at its rate while a network that takes nothing holds up the
// sender, and while it takes all; every message and every report is accounted
// for.
func TestSlowNetwork(t *testing.T) {
	b := broker(t, 0)
	got := listen(t, b.URL(), "twinrig/bench/state")
	link := newLink(t, b.URL())
	link.on(t)
	p, _ := open(t, config(link.url))
	require.Eventually(t, func() bool { return p.Stats().Connected }, time.Minute, time.Millisecond)
	n := 0
	feed := func(until func(mqtt.StreamStats) bool) {
		for !until(stats(p, "state")) {
			tick(p, n, func(*twinrig.Report) {})
			n++
		}
	}
	feed(func(s mqtt.StreamStats) bool { return s.Published > 50 })
	link.stall(true)
	before := stats(p, "state").Dropped
	feed(func(s mqtt.StreamStats) bool { return s.Dropped > before+5000 })
	link.stall(false)
	require.Eventually(t, func() bool { return stats(p, "state").Waiting == 0 && p.Stats().Connected }, time.Minute, time.Millisecond)
	tick(p, n, func(*twinrig.Report) {})
	n++
	seen := map[int]int{}
	for last := (stateMessage{}); last.Tick != n-1; {
		last = decode[stateMessage](t, <-got)
		seen[last.Seq] = last.Window.Reports
		if last.Tick == n-1 {
			require.Equal(t, n, last.Seq)
			require.Equal(t, n-len(seen), last.Dropped, "what did not come is what was dropped")
		}
	}
	reports := 0
	for _, r := range seen {
		reports += r
	}
	require.Equal(t, n, reports)
}

// The gap is published with every step at the policy's rate, and decimated above
// it.
func TestGapDecimation(t *testing.T) {
	b := broker(t, 0)
	got := listen(t, b.URL(), "twinrig/bench/mirror/gap")
	cfg := config(b.URL())
	cfg.GapRate = 10
	p, _ := open(t, cfg)
	type gap struct {
		Step   int
		Window struct{ Gaps int }
	}
	at := time.Second
	for i := range 10 { // 5 Hz
		p.PutGap(&twinrig.Gap{Stamp: at, Step: i})
		require.Equal(t, gap{i, struct{ Gaps int }{1}}, decode[gap](t, <-got))
		at += 200 * time.Millisecond
	}
	for i := range 101 { // 100 Hz
		p.PutGap(&twinrig.Gap{Stamp: at, Step: i})
		if i%10 == 0 {
			require.Equal(t, gap{i, struct{ Gaps int }{min(i+1, 10)}}, decode[gap](t, <-got))
		}
		at += 10 * time.Millisecond
	}
}

// A topic whose rate is 0 is not published, and costs nothing.
func TestRateZero(t *testing.T) {
	b := broker(t, 0)
	got := listen(t, b.URL(), "twinrig/bench/#")
	cfg := config(b.URL())
	cfg.StateRate, cfg.ServoRate, cfg.GapRate, cfg.CameraRate = 0, 0, 0, 0
	p, _ := open(t, cfg)
	r, g, e := sample()
	r.State.NumServos = 3
	p.Put(&r)
	p.PutGap(&g)
	require.NoError(t, p.PutFrame(&twinrig.Frame{W: 1, H: 1, RGB: make([]byte, 3)}))
	p.PutEvent(&e)
	require.Eventually(t, func() bool { return p.Stats().Messages == 1 }, time.Minute, time.Millisecond)
	require.NoError(t, p.Close())
	var topics []string
	for m := range got {
		topics = append(topics, m.topic)
		if m.payload == closed {
			break
		}
	}
	require.Subset(t, []string{"twinrig/bench/status", "twinrig/bench/trial/events"}, topics)
}

func TestPictures(t *testing.T) {
	b := broker(t, 0)
	got := listen(t, b.URL(), "twinrig/bench/camera/jpeg")
	link := newLink(t, b.URL())
	p, warnings := open(t, config(link.url))
	require.Error(t, <-warnings)
	frame := twinrig.Frame{W: 8, H: 6, RGB: make([]byte, 3*8*6)}
	for i := range 30 { // 30 Hz for a second; 5 of them are due
		frame.Seq, frame.Stamp = uint64(i+1), time.Duration(i)*time.Second/30
		require.NoError(t, p.PutFrame(&frame))
	}
	require.Equal(t, mqtt.StreamStats{Topic: "camera/jpeg", Dropped: 4, Waiting: 1}, stats(p, "camera/jpeg"))
	link.on(t)
	m := <-got
	info := decode[map[string]any](t, message{payload: string(mqtt.PictureInfo([]byte(m.payload)))})
	require.Equal(t, map[string]any{
		"stamp_ns": 8e8, "frame": 25.0, "width_px": 8.0, "height_px": 6.0, "seq": 5.0, "dropped": 4.0,
	}, info)
	frame.Stamp = 2 * time.Second
	frame.RGB = frame.RGB[1:]
	require.ErrorContains(t, p.PutFrame(&frame), "8 x 6 pixels has 143 bytes")
}

// Nothing in the loop's thread allocates, published or dropped.
func TestPutAllocatesNothing(t *testing.T) {
	cfg := config("tcp://127.0.0.1:1")
	cfg.Retry = time.Hour // no goroutine of its own at work meanwhile
	p, warnings := open(t, cfg)
	require.Error(t, <-warnings)
	r, _, _ := sample()
	r.State.NumServos = 9
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		r.Now += time.Millisecond
		r.State.Stamp += time.Millisecond
		p.Put(&r)
	}))
	require.NotZero(t, stats(p, "state").Dropped)
}
