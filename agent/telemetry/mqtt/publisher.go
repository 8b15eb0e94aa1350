package mqtt

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"

	"twinrig"
)

// Publisher publishes one rig. Its Put methods copy what they are given, may
// be called from any goroutine and never wait: a goroutine of the Publisher's
// own talks to the broker.
type Publisher struct {
	cfg    Config
	rig    string
	warn   func(error)
	client paho.Client
	wake   chan struct{}
	done   chan struct{}
	ended  chan struct{}

	mu       sync.Mutex
	closed   bool
	warned   bool           // this outage has been told
	announce bool           // the status is to be published
	state    twinrig.Report // the newest
	put      uint64         // counts the states put
	sent     uint64         // the put that was published last
	ring     []message      // gaps and events that wait
	head, n  int
	stats    Stats
}

// message is a gap or an event.
type message struct {
	isGap bool
	gap   twinrig.Gap
	event twinrig.Event
}

// Stats counts what a Publisher has done.
type Stats struct {
	// Published counts the messages that were handed to the broker: states,
	// and gaps and events.
	States, Messages uint64
	// Dropped counts gaps and events that found the queue full.
	Dropped uint64
	// Connected tells whether there is a connection now.
	Connected bool
}

// Open begins to publish and returns at once, broker or no broker: it goes on
// trying. warn is told, in one line per outage, that there is none and what to
// do; it is called from another goroutine.
func Open(cfg Config, rig string, warn func(error)) (*Publisher, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("mqtt: %w", err)
	}
	if err := checkRig(rig); err != nil {
		return nil, fmt.Errorf("mqtt: %w", err)
	}
	p := &Publisher{
		cfg:   cfg,
		rig:   rig,
		warn:  warn,
		wake:  make(chan struct{}, 1),
		done:  make(chan struct{}),
		ended: make(chan struct{}),
		ring:  make([]message, cfg.Queue),
	}
	options, err := p.options()
	if err != nil {
		return nil, fmt.Errorf("mqtt: %w", err)
	}
	p.client = paho.NewClient(options)
	p.client.Connect() // goes on by itself; notice tells how
	go p.run()
	return p, nil
}

// Put makes r the newest state.
func (p *Publisher) Put(r *twinrig.Report) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = *r
	p.put++
}

// PutGap queues a gap.
func (p *Publisher) PutGap(g *twinrig.Gap) {
	p.mu.Lock()
	if m := p.slot(); m != nil {
		m.isGap, m.gap = true, *g
	}
	p.mu.Unlock()
	p.rouse()
}

// PutEvent queues an event.
func (p *Publisher) PutEvent(e *twinrig.Event) {
	p.mu.Lock()
	if m := p.slot(); m != nil {
		m.isGap, m.event = false, *e
	}
	p.mu.Unlock()
	p.rouse()
}

// slot takes the next place in the queue, under the lock; nil when it is full.
func (p *Publisher) slot() *message {
	if p.n == len(p.ring) {
		p.stats.Dropped++
		return nil
	}
	m := &p.ring[(p.head+p.n)%len(p.ring)]
	p.n++
	return m
}

// rouse wakes the goroutine.
func (p *Publisher) rouse() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Stats counts what has been published and dropped so far.
func (p *Publisher) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.stats
	s.Connected = p.client.IsConnectionOpen()
	return s
}

// Close publishes what waits and that the rig is offline, as far as there is a
// broker, and disconnects. It is idempotent.
func (p *Publisher) Close() error {
	p.mu.Lock()
	first := !p.closed
	p.closed = true
	p.mu.Unlock()
	if !first {
		<-p.ended
		return nil
	}
	close(p.done)
	<-p.ended
	if p.client.IsConnectionOpen() {
		p.publishState()
		p.publishMessages()
		p.send("status", 1, true, p.status("offline", "closed"))
	}
	p.client.Disconnect(quiesce)
	return nil
}

// run publishes until Close.
func (p *Publisher) run() {
	defer close(p.ended)
	ticker := time.NewTicker(time.Duration(float64(time.Second) / p.cfg.Rate))
	defer ticker.Stop()
	for {
		select {
		case <-p.done:
			return
		case <-ticker.C:
			p.publishState()
		case <-p.wake:
		}
		p.publishStatus()
		p.publishMessages()
	}
}

// publishState publishes the newest state once.
func (p *Publisher) publishState() {
	p.mu.Lock()
	state, put, sent := p.state, p.put, p.sent
	p.mu.Unlock()
	if put == sent || !p.send("state", 0, false, state.AppendJSON(nil)) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent = put
	p.stats.States++
}

// publishStatus says that the rig is online, once per connection.
func (p *Publisher) publishStatus() {
	p.mu.Lock()
	announce := p.announce
	p.mu.Unlock()
	if announce && p.send("status", 1, true, p.status("online", "")) {
		p.mu.Lock()
		p.announce = false
		p.mu.Unlock()
	}
}

// publishMessages empties the queue in order, as long as there is a broker.
func (p *Publisher) publishMessages() {
	for {
		p.mu.Lock()
		if p.n == 0 {
			p.mu.Unlock()
			return
		}
		m := p.ring[p.head]
		p.mu.Unlock()
		level, payload := "event", []byte(nil)
		if m.isGap {
			level, payload = "gap", m.gap.AppendJSON(nil)
		} else {
			payload = m.event.AppendJSON(nil)
		}
		if !p.send(level, 1, false, payload) {
			return
		}
		p.mu.Lock()
		p.head = (p.head + 1) % len(p.ring)
		p.n--
		p.stats.Messages++
		p.mu.Unlock()
	}
}

// send publishes one payload, which paho keeps, and tells whether the broker
// has it or will have it: what was sent and not acknowledged, paho sends again
// after the next connection.
func (p *Publisher) send(level string, qos byte, retained bool, payload []byte) bool {
	if !p.client.IsConnectionOpen() {
		return false
	}
	token := p.client.Publish(p.topic(level), qos, retained, payload)
	token.WaitTimeout(ackTimeout)
	return token.Error() == nil
}

func (p *Publisher) topic(level string) string { return "twinrig/" + p.rig + "/" + level }

// status is the payload of the status topic.
func (p *Publisher) status(word, reason string) []byte {
	data, err := json.Marshal(struct {
		Rig    string `json:"rig"`
		Status string `json:"status"`
		Reason string `json:"reason,omitempty"`
	}{p.rig, word, reason})
	if err != nil {
		panic(err) // three strings
	}
	return data
}
