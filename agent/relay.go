package agent

import (
	"sync"
	"sync/atomic"
	"time"

	"twinrig"
)

const (
	// relayRoom is how many reports may wait: three seconds of a fast loop.
	relayRoom = 1024
	// relayEvery is how often the waiting ones are passed on. To wake somebody at
	// each tick would cost the loop's thread more than the tick itself.
	relayEvery = 4 * time.Millisecond
)

// Relay is a Sink that passes reports on to others. Until Start it calls them at once,
// as lockstep wants it; after that the loop's thread only copies the report, and a
// goroutine of the relay's own calls them, in order, at most some milliseconds later.
// The zero value passes nothing on.
type Relay struct {
	to atomic.Pointer[[]Sink]

	// The reports that wait are those numbered from taken to put, at their number's
	// remainder in the ring. One goroutine puts; whoever holds mu takes.
	ring       []twinrig.Report
	put, taken atomic.Uint64
	dropped    atomic.Uint64
	mu         sync.Mutex
	quit, gone chan struct{}
}

// Start begins to relay. It is called before the loop runs; Close ends it.
func (r *Relay) Start() {
	r.ring = make([]twinrig.Report, relayRoom)
	r.quit, r.gone = make(chan struct{}), make(chan struct{})
	go func() {
		defer close(r.gone)
		every := time.NewTicker(relayEvery)
		defer every.Stop()
		for {
			select {
			case <-every.C:
				r.drain()
			case <-r.quit:
				r.drain()
				return
			}
		}
	}()
}

// Close passes on what waits and ends the goroutine. The loop must have ended.
func (r *Relay) Close() {
	if r.quit != nil {
		close(r.quit)
		<-r.gone
		r.quit = nil
	}
}

// Put implements Sink; it neither waits nor allocates.
func (r *Relay) Put(rep *twinrig.Report) {
	if r.ring == nil {
		pass(r.to.Load(), rep)
		return
	}
	n := r.put.Load()
	if n-r.taken.Load() == relayRoom {
		r.dropped.Add(1)
		return
	}
	r.ring[n%relayRoom] = *rep
	r.put.Store(n + 1)
}

// Set names those that reports are passed on to from now on. When it returns, those
// before have had every report that was put before the call. They must not call Set.
func (r *Relay) Set(to ...Sink) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drainLocked()
	r.to.Store(&to)
}

// Dropped is how many reports found no room: those that take them were stuck.
func (r *Relay) Dropped() uint64 { return r.dropped.Load() }

func (r *Relay) drain() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drainLocked()
}

func (r *Relay) drainLocked() {
	to := r.to.Load()
	for n, end := r.taken.Load(), r.put.Load(); n < end; n++ {
		pass(to, &r.ring[n%relayRoom])
		r.taken.Store(n + 1)
	}
}

func pass(to *[]Sink, rep *twinrig.Report) {
	if to == nil {
		return
	}
	for _, s := range *to {
		s.Put(rep)
	}
}
