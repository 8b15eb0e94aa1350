package mqtt

import (
	"bytes"
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
	cfg     Config
	rig     string
	warn    func(error)
	warned  bool // this outage has been told; of the goroutine alone
	wake    chan struct{}
	done    chan struct{}
	ended   chan struct{}
	closing sync.Once

	mu       sync.Mutex
	announce bool           // the status is to be published
	state    twinrig.Report // the newest
	put      uint64         // counts the states put
	sent     uint64         // the put that was published last
	servosAt time.Duration  // stamp of the servos published last; of the goroutine alone
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
	// States, and Messages (gaps and events), that the broker has.
	States, Messages uint64
	// Dropped counts gaps and events that found the queue full.
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
		cfg:   cfg,
		rig:   rig,
		warn:  warn,
		wake:  make(chan struct{}, 1),
		done:  make(chan struct{}),
		ended: make(chan struct{}),
		ring:  make([]message, cfg.Queue),
	}
	if _, err := p.options(); err != nil {
		return nil, fmt.Errorf("mqtt: %w", err)
	}
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
	return p.stats
}

// Close publishes what waits and that the rig is offline, as far as there is a
// broker, and disconnects. It is idempotent.
func (p *Publisher) Close() error {
	p.closing.Do(func() { close(p.done) })
	<-p.ended
	return nil
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

// serve publishes until the connection is lost, which it returns, or until
// Close.
func (p *Publisher) serve(c *connection) error {
	p.connected(true)
	defer p.connected(false)
	ticker := time.NewTicker(time.Duration(float64(time.Second) / p.cfg.Rate))
	defer ticker.Stop()
	p.announceAgain()
	p.publishStatus(c)
	c.done(c.client.Subscribe(p.topic("status"), 1, p.heard))
	for {
		select {
		case <-c.lost:
			return c.why
		case <-p.done:
			p.publishState(c)
			p.publishMessages(c)
			c.publish(p.topic("status"), 1, true, p.status("offline", "closed"))
			c.client.Disconnect(quiesce)
			return nil
		case <-ticker.C:
			p.publishState(c)
		case <-p.wake:
		}
		p.publishStatus(c)
		p.publishMessages(c)
	}
}

func (p *Publisher) connected(yes bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stats.Connected = yes
}

// publishState publishes the newest state once.
func (p *Publisher) publishState(c *connection) {
	p.mu.Lock()
	state, put, sent := p.state, p.put, p.sent
	p.mu.Unlock()
	if put == sent || !c.publish(p.topic("state"), 0, false, state.AppendJSON(nil)) {
		return
	}
	p.mu.Lock()
	p.sent = put
	p.stats.States++
	p.mu.Unlock()
	p.publishServos(c, &state.State)
}

// servoPeriod is how often the servos' health is published.
const servoPeriod = time.Second

// publishServos publishes each servo's health under its ID.
func (p *Publisher) publishServos(c *connection, s *twinrig.State) {
	if s.NumServos == 0 || p.servosAt > 0 && s.Stamp-p.servosAt < servoPeriod {
		return
	}
	for i := range s.Servos[:s.NumServos] {
		h := &s.Servos[i]
		if !c.publish(p.topic(fmt.Sprintf("servo/%d", h.ID)), 0, false, h.AppendJSON(nil)) {
			return
		}
	}
	p.servosAt = s.Stamp
}

// publishMessages empties the queue in order. A message that the broker does
// not acknowledge stays, and is sent again.
func (p *Publisher) publishMessages(c *connection) {
	for {
		p.mu.Lock()
		if p.n == 0 {
			p.mu.Unlock()
			return
		}
		m := p.ring[p.head]
		p.mu.Unlock()
		topic, payload := p.topic("gap"), []byte(nil)
		if m.isGap {
			payload = m.gap.AppendJSON(payload)
		} else {
			topic, payload = p.topic("event"), m.event.AppendJSON(payload)
		}
		if !c.publish(topic, 1, false, payload) {
			return
		}
		p.mu.Lock()
		p.head = (p.head + 1) % len(p.ring)
		p.n--
		p.stats.Messages++
		p.mu.Unlock()
	}
}

// publishStatus says that the rig is online, once per connection and whenever
// somebody has said otherwise.
func (p *Publisher) publishStatus(c *connection) {
	p.mu.Lock()
	announce := p.announce
	p.announce = false
	p.mu.Unlock()
	if announce && !c.publish(p.topic("status"), 1, true, p.status("online", "")) {
		p.announceAgain()
	}
}

// heard listens to the rig's own status: a broker may speak the last will of
// one connection after the next has begun.
func (p *Publisher) heard(_ paho.Client, m paho.Message) {
	if !bytes.Equal(m.Payload(), p.status("online", "")) {
		p.announceAgain()
	}
}

func (p *Publisher) announceAgain() {
	p.mu.Lock()
	p.announce = true
	p.mu.Unlock()
	p.rouse()
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
