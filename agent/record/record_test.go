package record_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/foxglove/mcap/go/mcap"
	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/agent/record"
)

var update = flag.Bool("update", false, "write the golden files")

// trial makes the messages of a short trial from a seed.
type trial struct{ rng *rand.Rand }

func newTrial(seed uint64) *trial { return &trial{rand.New(rand.NewPCG(seed, 2))} }

func (t *trial) joints() (j twinrig.Joints) {
	for i := range j {
		j[i] = float64(i) + t.rng.Float64()
	}
	return j
}

func (t *trial) tick(n int) twinrig.Report {
	now := time.Duration(n) * 5 * time.Millisecond
	r := twinrig.Report{
		Tick: uint64(n), Now: now, Step: n / 40, Misses: uint64(n / 7), Late: time.Duration(t.rng.IntN(1000)),
		State: twinrig.State{
			Stamp: now - time.Millisecond, Measured: t.joints(), Velocity: t.joints(), Effort: t.joints(),
			Load: [2]float64{0.25, -0.5}, Grip: twinrig.Grip(t.rng.Float64()),
		},
		Asked: twinrig.Goal{Joints: t.joints(), Velocity: t.joints(), Grip: 1},
		Sent:  twinrig.Command{Goal: twinrig.Goal{Joints: t.joints(), Velocity: t.joints(), Grip: 0.75}, Effort: t.joints()},
	}
	r.State.Age[twinrig.GripAxis] = time.Duration(n)
	if n%10 == 3 {
		r.Guard = twinrig.ClippedPosition | twinrig.RefusedJump
	}
	return r
}

func (t *trial) gap(step int) twinrig.Gap {
	return twinrig.Gap{
		Stamp: time.Duration(step) * 200 * time.Millisecond, Step: step, Joints: t.joints(), Velocity: t.joints(),
		Translation: t.rng.Float64() / 100, Rotation: t.rng.Float64() / 10, Grip: 0.01, Behind: time.Millisecond,
	}
}

func (t *trial) frame(n int) twinrig.Frame {
	f := twinrig.Frame{Stamp: 2*time.Second + time.Duration(n)*33*time.Millisecond, Seq: uint64(n + 1), W: 64, H: 48}
	for i := range 3 * f.W * f.H {
		f.RGB = append(f.RGB, byte(i/64+t.rng.IntN(8)))
	}
	return f
}

var header = record.Header{
	Trial: "t0007", Rig: "bench", Kind: "virtual",
	Fields: map[string]string{"policy": "hold", "scene": "spoon_on_towel", "seed": "7"},
	Attachments: []record.Attachment{
		{Name: "config.yaml", MediaType: "application/yaml", Data: []byte("loop:\n  rate_hz: 200\n")},
		{Name: "calib.yaml", MediaType: "application/yaml", Data: []byte("version: 1\n")},
	},
}

// log is all that a recording holds, in order.
type log struct {
	ticks  []twinrig.Report
	gaps   []twinrig.Gap
	events []twinrig.Event
	frames []record.Image
}

func (l *log) visitor() record.Visitor {
	return record.Visitor{
		Tick:  func(r *twinrig.Report) error { l.ticks = append(l.ticks, *r); return nil },
		Gap:   func(g *twinrig.Gap) error { l.gaps = append(l.gaps, *g); return nil },
		Event: func(e *twinrig.Event) error { l.events = append(l.events, *e); return nil },
		Frame: func(i *record.Image) error { l.frames = append(l.frames, *i); return nil },
	}
}

// write records n ticks of a seeded trial, with a gap, an event and two
// pictures every 40 ticks, and returns what it recorded.
func write(t *testing.T, path string, cfg record.Config, n int) log {
	t.Helper()
	w, err := record.Create(path, header, cfg)
	require.NoError(t, err)
	var l log
	tr := newTrial(7)
	for i := range n {
		r := tr.tick(i)
		l.ticks = append(l.ticks, r)
		w.Put(&r)
		if i%40 == 0 {
			g := tr.gap(i / 40)
			l.gaps = append(l.gaps, g)
			w.PutGap(&g)
			e := twinrig.Event{Stamp: r.Now, Kind: "step", Trial: "t0007", Detail: fmt.Sprintf("step %d", i/40)}
			l.events = append(l.events, e)
			w.PutEvent(&e)
			for _, camera := range []string{"front", "wrist"} {
				f := tr.frame(i)
				var enc twinrig.JPEGEncoder
				jpeg, err := enc.Encode(&f)
				require.NoError(t, err)
				l.frames = append(l.frames, record.Image{Camera: camera, Stamp: f.Stamp, Seq: f.Seq, JPEG: jpeg})
				w.PutFrame(camera, &f)
			}
		}
	}
	require.NoError(t, w.Close())
	require.NoError(t, w.Close(), "idempotent")
	return l
}

func synchronous() record.Config {
	cfg := record.DefaultConfig()
	cfg.Synchronous = true
	return cfg
}

func TestRoundTrip(t *testing.T) {
	for _, tc := range []struct{ name, compression string }{
		{"none", "none"},
		{"lz4", "lz4"},
		{"zstd", "zstd"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "trials", "t0007", "trial.mcap")
			cfg := synchronous()
			cfg.Compression, cfg.ChunkBytes = tc.compression, 16<<10
			want := write(t, path, cfg, 200)
			var got log
			info, err := record.Read(path, got.visitor())
			require.NoError(t, err)
			require.Equal(t, want, got)
			require.Equal(t, header, info.Header)
			require.NoError(t, info.Damage)
			counts := record.Stats{Ticks: 200, Gaps: 5, Events: 5, Frames: 10}
			require.Equal(t, counts, info.Read)
			require.Equal(t, &counts, info.Summary)
		})
	}
}

// TestSameCallsSameBytes also puts a busy goroutine beside the second run, so
// that a compressor whose output depended on timing would show.
func TestSameCallsSameBytes(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a"), synchronous(), 600)
	a, err := os.ReadFile(filepath.Join(dir, "a"))
	require.NoError(t, err)

	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for x := 0; ; x++ {
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	for i := range 2 {
		name := filepath.Join(dir, fmt.Sprint("b", i))
		write(t, name, synchronous(), 600)
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		require.True(t, bytes.Equal(a, b))
	}
	close(stop)
	<-stopped
}

// TestAsynchronous loses nothing when its queues are large enough.
func TestAsynchronous(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trial.mcap")
	cfg := record.DefaultConfig()
	cfg.Frames = 64
	want := write(t, path, cfg, 800)
	var got log
	info, err := record.Read(path, got.visitor())
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Zero(t, info.Summary.Dropped())
}

// TestDropsAreTold fills the queues faster than any disk empties them.
func TestDropsAreTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trial.mcap")
	cfg := record.DefaultConfig()
	cfg.Ticks, cfg.Frames, cfg.Others = 4, 2, 2
	w, err := record.Create(path, header, cfg)
	require.NoError(t, err)
	tr := newTrial(1)
	r, f := tr.tick(1), tr.frame(1)
	n := uint64(0)
	for ; w.Stats().DroppedTicks < 10 || w.Stats().DroppedFrames == 0; n++ {
		for range 50 {
			w.Put(&r)
		}
		w.PutFrame("front", &f)
	}
	require.NoError(t, w.Close())
	stats := w.Stats()
	require.Equal(t, 50*n, stats.Ticks+stats.DroppedTicks)
	require.Equal(t, n, stats.Frames+stats.DroppedFrames)

	var got log
	info, err := record.Read(path, got.visitor())
	require.NoError(t, err)
	require.Len(t, got.ticks, int(stats.Ticks))
	require.Equal(t, &stats, info.Summary)
	last := got.events[len(got.events)-1]
	require.Equal(t, "record_dropped", last.Kind)
	require.Equal(t, fmt.Sprintf("so far: %d ticks, 0 gaps, 0 events, %d frames", stats.DroppedTicks, stats.DroppedFrames), last.Detail)
}

func TestPutAllocatesNothing(t *testing.T) {
	w, err := record.Create(filepath.Join(t.TempDir(), "trial.mcap"), header, record.DefaultConfig())
	require.NoError(t, err)
	r, g := newTrial(1).tick(1), newTrial(1).gap(1)
	// AllocsPerRun counts the writing goroutine too, whose chunks allocate:
	// hence fewer messages than a chunk holds.
	require.Zero(t, testing.AllocsPerRun(40, func() {
		w.Put(&r)
		w.PutGap(&g)
	}))
	require.NoError(t, w.Close())
}

func TestNeverOverwrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trial.mcap")
	write(t, path, synchronous(), 1)
	_, err := record.Create(path, header, synchronous())
	require.ErrorIs(t, err, fs.ErrExist)
	_, err = record.Repair(path, path)
	require.ErrorIs(t, err, fs.ErrExist)
}

func TestBadFrameHarmsNothingElse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trial.mcap")
	w, err := record.Create(path, header, synchronous())
	require.NoError(t, err)
	tr := newTrial(1)
	r, f := tr.tick(1), tr.frame(1)
	w.PutFrame("front", &twinrig.Frame{W: 2, H: 2})
	w.Put(&r)
	w.PutFrame("front", &f)
	require.EqualError(t, w.Close(), "record: "+path+": frame left out: camera front: jpeg: frame of 2 x 2 pixels has 0 bytes")
	info, err := record.Read(path, record.Visitor{})
	require.NoError(t, err)
	require.Equal(t, record.Stats{Ticks: 1, Frames: 1}, info.Read)
}

func TestVisitorEndsTheReading(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trial.mcap")
	write(t, path, synchronous(), 10)
	enough := errors.New("enough")
	n := 0
	_, err := record.Read(path, record.Visitor{Tick: func(*twinrig.Report) error {
		if n++; n == 3 {
			return enough
		}
		return nil
	}})
	require.ErrorIs(t, err, enough)
	require.Equal(t, 3, n)
}

// TestOtherReaders reads the file through its index, as Foxglove does, and
// checks every message against the schema's keys.
func TestOtherReaders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trial.mcap")
	write(t, path, synchronous(), 100)
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	r, err := mcap.NewReader(f)
	require.NoError(t, err)
	defer r.Close()
	info, err := r.Info()
	require.NoError(t, err)
	require.Equal(t, map[string]uint64{"/tick": 100, "/gap": 3, "/event": 3, "/camera/front": 3, "/camera/wrist": 3}, info.ChannelCounts())
	require.Len(t, info.AttachmentIndexes, 2)
	require.Len(t, info.MetadataIndexes, 2)

	it, err := r.Messages()
	require.NoError(t, err)
	n := 0
	for {
		schema, channel, message, err := it.NextInto(nil)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		require.Equal(t, "jsonschema", schema.Encoding)
		require.Equal(t, "json", channel.MessageEncoding)
		var want struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		require.NoError(t, json.Unmarshal(schema.Data, &want))
		var got map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(message.Data, &got))
		require.ElementsMatch(t, keys(want.Properties), keys(got), channel.Topic)
		n++
	}
	require.Equal(t, 112, n)
}

func keys(m map[string]json.RawMessage) (list []string) {
	for k := range m {
		list = append(list, k)
	}
	return list
}

func TestGolden(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trial.mcap")
	write(t, path, synchronous(), 50)
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	golden := filepath.Join("testdata", "trial.mcap")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(golden, got, 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, got), "the file's bytes have changed; -update accepts them")
}

func TestValidate(t *testing.T) {
	for _, tc := range []struct {
		edit func(*record.Config)
		want string
	}{
		{func(c *record.Config) { c.Ticks = 0 }, "queue_ticks: 0 is not 1 to 1048576"},
		{func(c *record.Config) { c.Frames = 5000 }, "queue_frames: 5000 is not 1 to 1024"},
		{func(c *record.Config) { c.Others = -1 }, "queue_others: -1 is not 1 to 1048576"},
		{func(c *record.Config) { c.Compression = "gzip" }, `compression: "gzip" is not none, lz4 or zstd`},
		{func(c *record.Config) { c.ChunkBytes = 3 }, "chunk_bytes: 3 is not 1024 to 16777216"},
		{func(c *record.Config) { c.Quality = 0 }, "jpeg_quality: 0 is not 1 to 100"},
	} {
		cfg := record.DefaultConfig()
		require.NoError(t, cfg.Validate())
		tc.edit(&cfg)
		require.EqualError(t, cfg.Validate(), tc.want)
		_, err := record.Create(filepath.Join(t.TempDir(), "x"), header, cfg)
		require.EqualError(t, err, "record: "+tc.want)
	}
}

func TestNoRecording(t *testing.T) {
	dir := t.TempDir()
	for _, content := range []string{"", "MCAP", strings.Repeat("x", 100), string(mcap.Magic)} {
		path := filepath.Join(dir, "x")
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		_, err := record.Read(path, record.Visitor{})
		require.ErrorContains(t, err, "record: "+path+": not a recording: ")
	}
}
