// Package webcam is the camera of the virtual rig: it serves pictures as MJPEG
// over HTTP on the loopback interface, so that the real camera driver can be
// used and tested without a camera.
package webcam

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"twinrig"
)

// path is where the stream is; the extension tells players what it is.
const path = "/stream.mjpg"

// sendBuffer bounds, in bytes, how many pictures wait in the kernel for a slow
// reader: a few.
const sendBuffer = 128 << 10

// Source writes the newest picture into f, reusing f.RGB's memory, as
// twinrig.Camera's Latest does. The server calls it from one goroutine, only
// while somebody watches, and may change f.RGB afterwards. A source that has
// no picture returns an error, and this tick sends nothing.
type Source func(f *twinrig.Frame) error

// Server sends pictures to any number of readers. A slow reader misses
// pictures and delays nobody else.
type Server struct {
	cfg    Config
	source Source
	url    string
	http   http.Server
	done   chan struct{}
	ended  sync.WaitGroup // the ticking goroutine, the accepting one and the readers

	mu      sync.Mutex
	closed  bool
	readers int
	fault   Fault
	seq     uint64 // counts the pictures sent
	jpeg    []byte // the newest picture
	changed chan struct{}
}

// Serve starts a server on a free port of 127.0.0.1.
func Serve(source Source, cfg Config) (*Server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("webcam: %w", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("webcam: %w", err)
	}
	s := &Server{
		cfg:     cfg,
		source:  source,
		url:     "http://" + l.Addr().String() + path,
		done:    make(chan struct{}),
		changed: make(chan struct{}),
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+path, s.stream)
	s.http.Handler = mux
	s.http.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetWriteBuffer(sendBuffer) // without it the reader only lags more
		}
		return ctx
	}
	s.ended.Add(2)
	go func() {
		defer s.ended.Done()
		_ = s.http.Serve(l) // always ends with ErrServerClosed
	}()
	go func() {
		defer s.ended.Done()
		s.run()
	}()
	return s, nil
}

// URL is what a player or the camera driver opens.
func (s *Server) URL() string { return s.url }

// SetFault makes the camera fail or recover.
func (s *Server) SetFault(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = f
}

// Close ends all readers and waits for them. It is idempotent.
func (s *Server) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	close(s.done)
	s.mu.Unlock()
	err := s.http.Close()
	s.ended.Wait()
	return err
}

// run makes one picture per tick.
func (s *Server) run() {
	ticker := time.NewTicker(time.Duration(float64(time.Second) / s.cfg.Rate))
	defer ticker.Stop()
	var frame twinrig.Frame
	encoder := twinrig.JPEGEncoder{Quality: s.cfg.Quality}
	noise := newNoise(s.cfg.Noise, s.cfg.Seed)
	for {
		select {
		case <-s.done:
			return
		case <-ticker.C:
		}
		switch s.state() {
		case Stalled:
			continue
		case Frozen:
			s.publish(nil)
			continue
		}
		if s.source(&frame) != nil {
			continue
		}
		noise.add(frame.RGB)
		if data, err := encoder.Encode(&frame); err == nil {
			s.publish(data)
		}
	}
}

// state is the fault; a camera that nobody watches does nothing.
func (s *Server) state() Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.readers == 0 {
		return Stalled
	}
	return s.fault
}

// publish wakes the readers with a new picture, or with the last one again.
func (s *Server) publish(data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if data != nil {
		s.jpeg = append(s.jpeg[:0], data...)
	}
	if len(s.jpeg) == 0 {
		return
	}
	s.seq++
	close(s.changed)
	s.changed = make(chan struct{})
}
