package camera

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"time"

	"twinrig"
)

// run drains the source until Close, and opens it again when it is lost.
func (c *Camera) run(ctx context.Context, src source) {
	defer close(c.ended)
	defer func() { c.bgr.Close() }()
	for src != nil {
		err := c.drain(ctx, src)
		src.close()
		src = c.reopen(ctx, err)
	}
}

// drain publishes pictures until the source fails or ctx ends: not every source
// knows of ctx.
func (c *Camera) drain(ctx context.Context, src source) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		stamp, err := src.read(&c.bgr)
		if err != nil {
			return err
		}
		if err := c.publish(stamp); err != nil {
			return err
		}
	}
}

// publish makes the picture in c.bgr the newest one.
func (c *Camera) publish(stamp time.Duration) error {
	w, h := c.bgr.Cols(), c.bgr.Rows()
	if w != c.cfg.Width || h != c.cfg.Height {
		return fmt.Errorf("gives %d x %d pixels, not the configured %d x %d", w, h, c.cfg.Width, c.cfg.Height)
	}
	pixels, err := c.bgr.DataPtrUint8()
	if err != nil {
		return err
	}
	if len(pixels) != 3*w*h {
		return fmt.Errorf("gives %d bytes for %d x %d pixels, not three a pixel", len(pixels), w, h)
	}
	c.back = append(c.back[:0], pixels...)
	swapRedBlue(c.back)
	hash := crc32.Checksum(c.back, c.sums)

	c.mu.Lock()
	defer c.mu.Unlock()
	free := c.newest.RGB
	c.newest = twinrig.Frame{Stamp: stamp, Seq: c.mon.observe(stamp, hash), W: w, H: h, RGB: c.back}
	c.back = free
	c.err = nil
	c.tell()
	return nil
}

// reopen opens the source again after err; nil after Close or at a file's end.
func (c *Camera) reopen(ctx context.Context, err error) source {
	c.lose(err)
	if errors.Is(err, errEnded) && !c.cfg.Loop {
		return nil
	}
	timer := time.NewTimer(c.cfg.Retry)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
		src, err := c.openSource(ctx)
		if err == nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.reopened++
			return src
		}
		c.lose(err)
		timer.Reset(c.cfg.Retry)
	}
}

// lose notes why there is no source.
func (c *Camera) lose(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
	c.tell()
}

// tell wakes all who wait, under the lock.
func (c *Camera) tell() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// swapRedBlue turns BGR into RGB.
func swapRedBlue(pixels []byte) {
	for i := 0; i+2 < len(pixels); i += 3 {
		pixels[i], pixels[i+2] = pixels[i+2], pixels[i]
	}
}
