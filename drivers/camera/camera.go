package camera

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"sync"
	"time"

	"gocv.io/x/gocv"

	"twinrig"
)

// What is wrong with a picture that Latest has copied all the same.
var (
	// ErrStale: no picture has come for StaleAfter.
	ErrStale = errors.New("picture is stale")
	// ErrFrozen: the last FrozenAfter pictures were the same.
	ErrFrozen = errors.New("picture is frozen")
)

// Camera is an open camera. It is safe for concurrent use.
type Camera struct {
	cfg    Config
	clock  func() time.Duration
	cancel context.CancelFunc
	ended  chan struct{}

	// Of the camera's goroutine: the picture as the source gives it, and the
	// memory for the next one.
	bgr  gocv.Mat
	back []byte
	sums *crc32.Table

	mu       sync.Mutex
	newest   twinrig.Frame
	mon      monitor
	err      error // why the source is lost; nil while it runs
	reopened uint64
	changed  chan struct{} // closed and replaced when one of these changes
}

var _ twinrig.Camera = (*Camera)(nil)

// Open opens the camera and starts to read it; the first picture comes later.
// clock is the rig's monotonic clock, called from the camera's goroutine and
// from those that call Latest and Health. An error is one line that names the
// source and the cure.
func Open(cfg Config, clock func() time.Duration) (*Camera, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("camera: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	c := &Camera{
		cfg:     cfg,
		clock:   clock,
		cancel:  cancel,
		ended:   make(chan struct{}),
		sums:    crc32.MakeTable(crc32.Castagnoli),
		mon:     monitor{rate: cfg.Rate, frozenAfter: cfg.FrozenAfter},
		changed: make(chan struct{}),
	}
	src, err := c.openSource(ctx)
	if err != nil {
		cancel()
		return nil, c.named(err)
	}
	c.bgr = gocv.NewMat()
	go c.run(ctx, src)
	return c, nil
}

// Latest copies the newest picture into f. Its Stamp is when the picture came.
// With ErrFrozen or ErrStale, which also tells why a source is lost, f is the
// last picture that came.
func (c *Camera) Latest(f *twinrig.Frame) error {
	now := c.clock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.copyNewest(f); err != nil {
		return err
	}
	switch age := now - f.Stamp; {
	case age >= c.cfg.StaleAfter && c.err != nil:
		return c.named(fmt.Errorf("%w: %v old: %w", ErrStale, age, c.err))
	case age >= c.cfg.StaleAfter:
		return c.named(fmt.Errorf("%w: %v old", ErrStale, age))
	case c.mon.frozen():
		return c.named(fmt.Errorf("%w: %d equal ones", ErrFrozen, c.mon.equal))
	}
	return nil
}

// Wait waits for a picture whose number is above seq and copies the newest
// into f. It returns early when ctx ends, or a file.
func (c *Camera) Wait(ctx context.Context, seq uint64, f *twinrig.Frame) error {
	for {
		c.mu.Lock()
		changed, newer := c.changed, c.newest.Seq > seq
		err := c.err
		if newer {
			err = c.copyNewest(f)
		}
		c.mu.Unlock()
		if newer {
			return err
		}
		if errors.Is(err, errEnded) && !c.cfg.Loop {
			return c.named(err)
		}
		select {
		case <-changed:
		case <-c.ended:
			return c.named(errEnded)
		case <-ctx.Done():
			if err != nil {
				return c.named(fmt.Errorf("%w: %w", ctx.Err(), err))
			}
			return c.named(ctx.Err())
		}
	}
}

// copyNewest copies the newest picture into f, under the lock.
func (c *Camera) copyNewest(f *twinrig.Frame) error {
	if c.newest.Seq == 0 {
		if c.err != nil {
			return c.named(fmt.Errorf("%w: %w", twinrig.ErrNoFrame, c.err))
		}
		return c.named(twinrig.ErrNoFrame)
	}
	rgb := append(f.RGB[:0], c.newest.RGB...)
	*f = c.newest
	f.RGB = rgb
	return nil
}

// Close stops the camera and waits for its goroutine. It is idempotent. A V4L2
// device that has hung holds it for up to ten seconds.
func (c *Camera) Close() error {
	c.cancel()
	<-c.ended
	return nil
}

// named puts the source's name before an error.
func (c *Camera) named(err error) error {
	return fmt.Errorf("camera: %s: %w", c.cfg.Source, err)
}
