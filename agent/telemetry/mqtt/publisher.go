package mqtt

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"twinrig"
	"twinrig/agent/telemetry/outbox"
)

// Publisher publishes one rig. Its Put methods copy what they are given and
// never wait for the network: goroutines of the Publisher's own talk to the
// broker. Put waits for nothing at all; PutEvent and PutResult wait for a file
// to be written, but not for the disk.
type Publisher struct {
	cfg     Config
	rig     string
	warn    func(error)
	warned  bool // this outage has been told; of the goroutine alone
	box     *outbox.Box
	wake    chan struct{} // something is in the outbox, or the status is due
	flow    chan struct{} // a stream other than the loop's has a message
	done    chan struct{}
	ended   chan struct{}
	closing sync.Once

	loop     loopStreams
	gaps     gapStream
	progress textStream
	logs     textStream
	pictures picture
	desk     desk

	mu       sync.Mutex
	announce bool // the status is to be published
	stats    Stats
}

// Stats counts what a Publisher has done.
type Stats struct {
	// States, and Messages (events and results), that the broker has.
	States, Messages uint64
	// Waiting are events and results that it has not; Dropped counts those
	// that could not be kept.
	Waiting int
	Dropped uint64
	// Connected tells whether there is a connection now.
	Connected bool
}

// Open begins to publish and returns at once, broker or no broker: it goes on
// trying. warn is told, in one line per outage, that there is none and what to
// do; it is called from the Publisher's goroutine.
func Open(cfg Config, rig string, warn func(error)) (*Publisher, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("mqtt: %w", err)
	}
	if err := checkRig(rig); err != nil {
		return nil, fmt.Errorf("mqtt: %w", err)
	}
	p := &Publisher{
		cfg:      cfg,
		rig:      rig,
		warn:     warn,
		wake:     make(chan struct{}, 1),
		flow:     make(chan struct{}, 1),
		done:     make(chan struct{}),
		ended:    make(chan struct{}),
		loop:     loopStreams{statePace: paceOf(cfg.StateRate), servoPace: paceOf(cfg.ServoRate)},
		gaps:     gapStream{pace: paceOf(cfg.GapRate)},
		pictures: picture{pace: paceOf(cfg.CameraRate)},
	}
	if _, err := p.options(); err != nil {
		return nil, fmt.Errorf("mqtt: %w", err)
	}
	var err error
	if p.desk.rights, err = loadACL(cfg.Commands); err != nil {
		return nil, fmt.Errorf("mqtt: %w", err)
	}
	p.desk.answers, p.desk.strangers = map[string][]byte{}, make(chan struct{}, maxStrangers)
	if len(cfg.Commands) > 0 && cfg.QueueFile == "" {
		return nil, errors.New("mqtt: commands: need a queue_file, in which used nonces are kept")
	}
	if p.box, err = outbox.Open(cfg.QueueFile, cfg.Queue); err != nil {
		return nil, fmt.Errorf("mqtt: queue_file: %w", err)
	}
	go p.run()
	return p, nil
}

// Put takes what the control loop did. It belongs to the loop's goroutine.
func (p *Publisher) Put(r *twinrig.Report) { p.loop.put(r) }

// PutGap takes a gap.
func (p *Publisher) PutGap(g *twinrig.Gap) {
	if p.gaps.put(g) {
		rouse(p.flow)
	}
}

// PutFrame takes a frame of the camera, and makes a picture of it if one is due.
func (p *Publisher) PutFrame(f *twinrig.Frame) error {
	due, err := p.pictures.put(f)
	if due {
		rouse(p.flow)
	}
	return err
}

// PutProgress tells how far the study is.
func (p *Publisher) PutProgress(at Progress) {
	p.progress.put(at)
	rouse(p.flow)
}

// PutLog takes a line of the program's own.
func (p *Publisher) PutLog(level slog.Level, line string) {
	p.logs.put(logLine{time.Now().UTC(), level, line})
	rouse(p.flow)
}

// PutEvent takes an event. The broker gets it whatever happens to it, to the
// network or to this program in the meantime.
func (p *Publisher) PutEvent(e *twinrig.Event) {
	p.keep("", "trial/events", false, func(b []byte) []byte {
		return append(append(b, ','), e.AppendJSON(nil)[1:]...)
	})
}

// PutResult takes the result of a trial, a JSON object. As with events, the
// broker gets it whatever happens; what was once taken under a key is not taken
// again, so that a program that starts anew may put all results it knows.
func (p *Publisher) PutResult(key string, result json.RawMessage) {
	p.keep(key, "trial/result", true, func(b []byte) []byte {
		return append(append(append(b, `,"result":`...), result...), '}')
	})
}

// keep puts a message into the outbox. rest appends what comes after its id,
// its number and the time.
func (p *Publisher) keep(key, topic string, retained bool, rest func([]byte) []byte) {
	_, err := p.box.Add(key, p.topic(topic), retained, func(id string, seq uint64) []byte {
		return rest(fmt.Appendf(nil, `{"id":%q,"seq":%d,"at":%q`, id, seq, time.Now().UTC().Format(time.RFC3339Nano)))
	})
	if err != nil {
		p.mu.Lock()
		p.stats.Dropped++
		p.mu.Unlock()
		if !errors.Is(err, outbox.ErrFull) {
			p.warn(fmt.Errorf("mqtt: lost a message of %s: %w", topic, err))
		}
		return
	}
	rouse(p.wake)
}

// rouse wakes whoever waits on a channel of one.
func rouse(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Stats counts what has been published and dropped so far.
func (p *Publisher) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.stats
	s.States = p.loop.states.taken.Load()
	s.Waiting = p.box.Len()
	return s
}

// Streams counts each stream's messages.
func (p *Publisher) Streams() []StreamStats {
	return []StreamStats{
		p.loop.states.stats("state"), p.loop.servos.stats("servo"), p.gaps.lane.stats("mirror/gap"),
		p.progress.lane.stats("study/progress"), p.logs.lane.stats("log"), p.pictures.stats(),
	}
}

// Close publishes what waits and that the rig is offline, as far as there is a
// broker, and disconnects. Events and results that it could not publish stay in
// the queue's file for the next Publisher. It is idempotent.
func (p *Publisher) Close() (err error) {
	p.closing.Do(func() {
		close(p.done)
		<-p.ended
		err = p.box.Close()
	})
	<-p.ended
	return err
}

// run keeps a connection until Close.
func (p *Publisher) run() {
	defer close(p.ended)
	retry := time.NewTimer(p.cfg.Retry)
	defer retry.Stop()
	for {
		c, err := p.connect()
		if err == nil && c == nil {
			return
		}
		if err == nil {
			p.warned = false
			err = p.serve(c)
			if err == nil {
				return
			}
		}
		p.warnOnce(err)
		retry.Reset(p.cfg.Retry)
		select {
		case <-p.done:
			return
		case <-retry.C:
		}
	}
}

func (p *Publisher) connected(yes bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stats.Connected = yes
}

func (p *Publisher) topic(level string) string { return "twinrig/" + p.rig + "/" + level }
