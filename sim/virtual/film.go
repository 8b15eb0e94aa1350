package virtual

import (
	"fmt"
	"sync"
	"time"

	"twinrig"
	"twinrig/sim"
)

// film is what the world leaves for the camera: its state at the last few
// instants at which the shutter was open.
type film struct {
	period time.Duration
	next   time.Duration
	count  uint64
	ring   []exposure
}

// newFilm makes a film that a camera may look back age on.
func newFilm(period, age time.Duration) film {
	return film{period: period, ring: make([]exposure, age/period+2)}
}

type exposure struct {
	seq   uint64 // from 1
	stamp time.Duration
	stage string
	spec  sim.Spec
	state sim.Snapshot
}

// expose is called after each step of the world.
func (f *film) expose(now time.Duration, stage string, w *sim.World) error {
	if now < f.next {
		return nil
	}
	f.next += f.period
	e := &f.ring[f.count%uint64(len(f.ring))]
	f.count++
	e.seq, e.stamp, e.stage, e.spec = f.count, now, stage, w.Spec()
	return w.Snapshot(&e.state)
}

// newest copies the last exposure that is at least age old at time now.
func (f *film) newest(now, age time.Duration, to *exposure) error {
	size := uint64(len(f.ring))
	for i := range min(f.count, size) {
		e := &f.ring[(f.count-1-i)%size]
		if e.stamp+age <= now {
			to.seq, to.stamp, to.stage, to.spec = e.seq, e.stamp, e.stage, e.spec
			to.state.CopyFrom(&e.state)
			return nil
		}
	}
	return twinrig.ErrNoFrame
}

// camera draws what the hidden camera sees. It is a twinrig.Camera whose frames
// come latency after their exposure.
type camera struct {
	world   *World
	clock   func() time.Duration
	latency time.Duration

	mu        sync.Mutex
	renderers map[string]*sim.Renderer // by stage
	last      exposure
}

// Latest implements twinrig.Camera. A frame is drawn when it is asked for.
func (c *camera) Latest(f *twinrig.Frame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.world.exposure(c.clock(), c.latency, &c.last); err != nil {
		return err
	}
	r := c.renderers[c.last.stage]
	if r == nil {
		var err error
		if r, err = sim.NewRenderer(c.last.spec); err != nil {
			return fmt.Errorf("virtual: camera: %w", err)
		}
		c.renderers[c.last.stage] = r
	}
	if err := r.Render(&c.last.state, cameraName, f); err != nil {
		return fmt.Errorf("virtual: camera: %w", err)
	}
	f.Stamp, f.Seq = c.last.stamp, c.last.seq
	return nil
}

func (c *camera) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range c.renderers {
		r.Close()
	}
	clear(c.renderers)
}

// exposure copies the newest exposure that has been read out by now.
func (w *World) exposure(now, latency time.Duration, to *exposure) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	return w.film.newest(now, latency, to)
}
