package foxglove

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"twinrig"
	"twinrig/agent/record"
)

// Config says what is shown.
type Config struct {
	// Name is the rig's, Camera its camera's; empty is none.
	Name, Camera string
	// Rate is how many ticks a second are shown, of those that there are; 0 is all.
	Rate float64
	// Clients is how many may be connected.
	Clients int
}

// DefaultConfig shows 60 ticks a second to eight clients.
func DefaultConfig(name, camera string) Config {
	return Config{Name: name, Camera: camera, Rate: 60, Clients: 8}
}

// quality is the pictures'.
const quality = 80

// servoPeriod is how often the servos' health is shown.
const servoPeriod = time.Second

// Server is an http.Handler that Foxglove connects to. Its Put methods may be called
// from any goroutine; they encode, and hand on without waiting: a client that is slow
// loses messages, and is told how many.
type Server struct {
	cfg      Config
	session  string
	channels []channel
	up       websocket.Upgrader
	now      func() time.Time

	mu      sync.Mutex
	clients map[*client]bool
	closed  bool
	// What the next tick is decimated by.
	tickDue, servoDue time.Duration
	jpeg              twinrig.JPEGEncoder

	dropped atomic.Uint64
}

// The channels' places, which are also their ids.
const (
	ticks = iota
	gaps
	events
	servos
	pictures
)

// New makes a server; nobody is connected yet.
func New(cfg Config) (*Server, error) {
	topics, err := record.Topics()
	if err != nil {
		return nil, fmt.Errorf("foxglove: %w", err)
	}
	s := &Server{
		cfg: cfg, session: time.Now().Format(time.RFC3339Nano), now: time.Now,
		clients: map[*client]bool{}, jpeg: twinrig.JPEGEncoder{Quality: quality},
	}
	for i, t := range topics {
		if t.Name == record.CameraTopic {
			if cfg.Camera == "" {
				continue
			}
			t.Name += cfg.Camera
		}
		s.channels = append(s.channels, channel{
			ID: i, Topic: t.Name, Encoding: "json", SchemaName: t.SchemaName, Schema: t.Schema, SchemaEncoding: "jsonschema",
		})
	}
	s.up = websocket.Upgrader{Subprotocols: protocols, CheckOrigin: fromFoxglove, WriteBufferSize: 64 << 10}
	return s, nil
}

// fromFoxglove keeps other pages, in a browser on this machine, from looking.
func fromFoxglove(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	return origin == "" || origin == "https://app.foxglove.dev" || origin == "http://"+r.Host
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	wanted := websocket.Subprotocols(r)
	if !slices.ContainsFunc(protocols, func(p string) bool { return slices.Contains(wanted, p) }) {
		http.Error(w, "this is a server for Foxglove: open a connection to it there (protocol "+protocols[0]+")", http.StatusBadRequest)
		return
	}
	conn, err := s.up.Upgrade(w, r, nil)
	if err != nil {
		return // Upgrade has answered
	}
	c := newClient(conn, s)
	if !s.admit(c) {
		_ = conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseTryAgainLater, "too many clients"), time.Now().Add(writeWait))
		_ = conn.Close()
		return
	}
	c.serve()
	s.mu.Lock()
	delete(s.clients, c)
	s.mu.Unlock()
}

func (s *Server) admit(c *client) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.clients) >= s.cfg.Clients {
		return false
	}
	s.clients[c] = true
	return true
}

// Close ends all connections.
func (s *Server) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for c := range s.clients {
		c.end()
	}
}

// Dropped is how many messages clients were too slow for.
func (s *Server) Dropped() uint64 { return s.dropped.Load() }

// Put shows a tick, if it is one's turn, and the servos.
func (s *Server) Put(r *twinrig.Report) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Now >= s.tickDue {
		if s.cfg.Rate > 0 {
			s.tickDue = r.Now + time.Duration(float64(time.Second)/s.cfg.Rate)
		}
		s.send(ticks, func() []byte { return r.AppendJSON(nil) })
	}
	if r.State.NumServos == 0 || r.Now < s.servoDue {
		return
	}
	s.servoDue = r.Now + servoPeriod
	for i := range r.State.Servos[:r.State.NumServos] {
		s.send(servos, func() []byte { return r.State.Servos[i].AppendJSON(nil) })
	}
}

// PutGap shows a gap.
func (s *Server) PutGap(g *twinrig.Gap) { s.put(gaps, func() []byte { return g.AppendJSON(nil) }) }

// PutEvent shows an event.
func (s *Server) PutEvent(e *twinrig.Event) {
	s.put(events, func() []byte { return e.AppendJSON(nil) })
}

// PutFrame shows the camera's frame.
func (s *Server) PutFrame(f *twinrig.Frame) error {
	var err error
	s.put(pictures, func() []byte {
		var jpeg, b []byte
		if jpeg, err = s.jpeg.Encode(f); err == nil {
			b, err = record.AppendImage(nil, s.cfg.Camera, f, jpeg)
		}
		return b
	})
	if err != nil {
		return fmt.Errorf("foxglove: %w", err)
	}
	return nil
}

func (s *Server) put(id int, encode func() []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.send(id, encode)
}

// send encodes a message, if somebody wants it, and hands it to those. It is called
// under the lock.
func (s *Server) send(id int, encode func() []byte) {
	var payload []byte
	at := s.now()
	for c := range s.clients {
		sub, wants := c.wants(id)
		if !wants {
			continue
		}
		if payload == nil {
			if payload = encode(); payload == nil {
				return
			}
		}
		c.offer(message(sub, at, payload))
	}
}
