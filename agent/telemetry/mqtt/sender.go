package mqtt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"
)

// serve publishes until the connection is lost, which it returns, or until
// Close. Streams have a goroutine of their own: a picture on a slow network
// does not hold a result up.
func (p *Publisher) serve(c *connection) error {
	p.connected(true)
	defer p.connected(false)
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		p.serveStreams(c, stop)
	}()
	err := p.serveMessages(c)
	close(stop)
	<-ended
	if err != nil {
		return err
	}
	p.publishMessages(c)
	c.publish(p.topic("status"), 1, true, p.status("offline", "closed"))
	c.client.Disconnect(quiesce)
	return nil
}

// serveMessages publishes what must not be lost, and the status.
func (p *Publisher) serveMessages(c *connection) error {
	p.announceAgain()
	p.publishStatus(c)
	c.done(c.client.Subscribe(p.topic("status"), 1, p.heard))
	if len(p.desk.rights) > 0 {
		token := c.client.Subscribe(p.topic("cmd/+"), 1, func(_ paho.Client, m paho.Message) { p.order(c, m) })
		if !c.done(token) && token.Error() != nil {
			p.warn(fmt.Errorf("mqtt: commands: %w: let this rig read %s in the broker's access list", token.Error(), p.topic("cmd/#")))
		}
	}
	again := time.NewTicker(ackTimeout)
	defer again.Stop()
	for {
		p.publishStatus(c)
		p.publishMessages(c)
		select {
		case <-c.lost:
			return c.why
		case <-p.done:
			return nil
		case <-p.wake:
		case <-again.C: // what was not acknowledged
		}
	}
}

// publishMessages empties the outbox in order. A message that the broker does
// not acknowledge stays, and is sent again.
func (p *Publisher) publishMessages(c *connection) {
	for {
		m, err := p.box.Front()
		if err != nil {
			p.warn(fmt.Errorf("mqtt: %w", err))
			return
		}
		if m == nil || !c.publish(m.Topic, 1, m.Retained, m.Payload) {
			return
		}
		if err := p.box.Remove(m.Seq); err != nil {
			p.warn(fmt.Errorf("mqtt: %w", err))
			return
		}
		p.mu.Lock()
		p.stats.Messages++
		p.mu.Unlock()
	}
}

// serveStreams publishes the streams until the connection is lost or stop, and
// then once more.
func (p *Publisher) serveStreams(c *connection, stop <-chan struct{}) {
	// The loop wakes nobody: it is looked after, twice as often as it may have
	// something.
	ticker := time.NewTicker(p.cfg.fastest() / 2)
	defer ticker.Stop()
	for {
		select {
		case <-c.lost:
			return
		case <-stop:
			p.publishStreams(c)
			return
		case <-ticker.C:
		case <-p.flow:
		}
		if !p.publishStreams(c) {
			return // it is as good as lost
		}
	}
}

// publishStreams publishes what waits, each stream in its order, and tells
// whether all went out.
func (p *Publisher) publishStreams(c *connection) bool {
	return drain(&p.loop.states, func(m *stateMessage) bool { return p.stream(c, "state", m.appendJSON(nil)) }) &&
		drain(&p.loop.servos, func(m *servoMessage) bool {
			for i := range m.n {
				if !p.stream(c, fmt.Sprintf("servo/%d", m.health[i].ID), m.appendJSON(nil, i)) {
					return false
				}
			}
			return true
		}) &&
		drain(&p.gaps.lane, func(m *gapMessage) bool { return p.stream(c, "mirror/gap", m.appendJSON(nil)) }) &&
		drain(&p.progress.lane, func(m *[]byte) bool { return p.stream(c, "study/progress", *m) }) &&
		drain(&p.logs.lane, func(m *[]byte) bool { return p.stream(c, "log", *m) }) &&
		p.publishPicture(c)
}

// drain publishes a lane's messages until one does not go out.
func drain[T any](l *lane[T], publish func(*T) bool) bool {
	for m := l.front(); m != nil; m = l.front() {
		if !publish(m) {
			return false
		}
		l.pop()
	}
	return true
}

func (p *Publisher) publishPicture(c *connection) bool {
	data := p.pictures.take()
	if data == nil {
		return true
	}
	sent := p.stream(c, "camera/jpeg", data)
	p.pictures.done(sent)
	return sent
}

// stream publishes one message and tells whether the network took it.
func (p *Publisher) stream(c *connection, level string, payload []byte) bool {
	return c.publish(p.topic(level), 0, false, payload)
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
	rouse(p.wake)
}

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
