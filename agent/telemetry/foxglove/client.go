package foxglove

import (
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

const (
	// room is how many messages may wait for one client.
	room = 256
	// writeWait bounds how long a frame may take.
	writeWait = 5 * time.Second
	// maxRequest bounds what a client may say, bytes.
	maxRequest = 64 << 10
)

// client is one connection.
type client struct {
	server *Server
	conn   *websocket.Conn
	out    chan []byte // messages that wait
	quit   chan struct{}
	ending sync.Once

	mu      sync.Mutex
	subs    map[int]uint32 // by channel
	answers []any          // what is to be said beside the messages
	lost    int            // messages dropped since it was last told
	nudge   chan struct{}
}

func newClient(conn *websocket.Conn, s *Server) *client {
	conn.SetReadLimit(maxRequest)
	return &client{
		server: s, conn: conn, out: make(chan []byte, room), quit: make(chan struct{}),
		subs: map[int]uint32{}, nudge: make(chan struct{}, 1),
	}
}

// serve greets the client and talks to it until it leaves.
func (c *client) serve() {
	c.say(serverInfo{
		Op: "serverInfo", Name: c.server.cfg.Name, Capabilities: []string{}, SupportedEncodings: []string{"json"},
		Metadata: map[string]string{}, SessionID: c.server.session,
	})
	c.say(advertise{Op: "advertise", Channels: c.server.channels})
	written := make(chan struct{})
	go func() {
		defer close(written)
		c.write()
	}()
	c.read()
	c.end()
	<-written
	_ = c.conn.Close() // nobody is there any more
}

func (c *client) end() { c.ending.Do(func() { close(c.quit); _ = c.conn.SetReadDeadline(time.Now()) }) }

// read takes what the client says until it says no more.
func (c *client) read() {
	for {
		kind, data, err := c.conn.ReadMessage()
		if err != nil {
			return
		}
		var r request
		if kind != websocket.TextMessage || json.Unmarshal(data, &r) != nil {
			c.say(status{Op: "status", Level: warning, Message: "not understood: this server only shows"})
			continue
		}
		c.answer(&r)
	}
}

func (c *client) answer(r *request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch r.Op {
	case "subscribe":
		for _, s := range r.Subscriptions {
			if s.ChannelID < 0 || s.ChannelID >= len(c.server.channels) {
				c.sayLocked(status{Op: "status", Level: warning, Message: fmt.Sprintf("there is no channel %d", s.ChannelID)})
				continue
			}
			c.subs[s.ChannelID] = s.ID
		}
	case "unsubscribe":
		for _, id := range r.SubscriptionIDs {
			for ch, sub := range c.subs {
				if sub == id {
					delete(c.subs, ch)
				}
			}
		}
	default:
		c.sayLocked(status{Op: "status", Level: warning, Message: fmt.Sprintf("%q is not offered: this server only shows", r.Op)})
	}
}

// mostAnswers bounds what may wait to be said: a client that asks without listening is
// left to itself.
const mostAnswers = 64

func (c *client) say(v any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sayLocked(v)
}

func (c *client) sayLocked(v any) {
	if len(c.answers) < mostAnswers {
		c.answers = append(c.answers, v)
	}
	select {
	case c.nudge <- struct{}{}:
	default:
	}
}

// wants tells whether the client subscribed to a channel, and by which name.
func (c *client) wants(id int) (subscription uint32, wants bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	subscription, wants = c.subs[id]
	return subscription, wants
}

// offer hands a message on, or drops it if too many wait.
func (c *client) offer(frame []byte) {
	select {
	case c.out <- frame:
	default:
		c.server.dropped.Add(1)
		c.mu.Lock()
		c.lost++
		c.mu.Unlock()
	}
}

// write sends what there is to send, until the end or an error, which ends reading too.
func (c *client) write() {
	defer c.end()
	for {
		select {
		case <-c.quit:
			return
		case <-c.nudge:
		case frame := <-c.out:
			if err := c.frame(websocket.BinaryMessage, frame); err != nil {
				return
			}
		}
		for _, v := range c.due() {
			text, err := json.Marshal(v)
			if err == nil {
				err = c.frame(websocket.TextMessage, text)
			}
			if err != nil {
				return
			}
		}
	}
}

// due takes what is to be said.
func (c *client) due() []any {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.answers
	c.answers = nil
	if c.lost > 0 && len(c.out) < room/2 {
		all = append(all, status{Op: "status", Level: warning, Message: fmt.Sprintf("%d messages dropped: the connection is too slow for them", c.lost)})
		c.lost = 0
	}
	return all
}

func (c *client) frame(kind int, data []byte) error {
	if err := c.conn.SetWriteDeadline(time.Now().Add(writeWait)); err != nil {
		return err
	}
	return c.conn.WriteMessage(kind, data)
}
