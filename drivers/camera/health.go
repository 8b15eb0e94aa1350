package camera

import "time"

// Health is how a camera is doing.
type Health struct {
	// Source is the configured source.
	Source string
	// Rate is the measured rate of the last pictures in Hz.
	Rate float64
	// Seq is the newest picture's number, Hash the CRC-32C of its pixels, Age
	// how long ago it came.
	Seq  uint64
	Hash uint32
	Age  time.Duration
	// Dropped counts the pictures that were due and never came, Reopened how
	// often the source was lost and found again.
	Dropped, Reopened uint64
	// Frozen and Stale say what Latest says by its errors.
	Frozen, Stale bool
	// Err is why the source is lost; nil while it runs.
	Err error
}

// Health tells how the camera is doing now.
func (c *Camera) Health() Health {
	now := c.clock()
	c.mu.Lock()
	defer c.mu.Unlock()
	h := Health{
		Source:   c.cfg.Source,
		Rate:     c.mon.measured(),
		Seq:      c.mon.seq,
		Hash:     c.mon.hash,
		Dropped:  c.mon.dropped,
		Reopened: c.reopened,
		Frozen:   c.mon.frozen(),
		Err:      c.err,
	}
	if h.Seq > 0 {
		h.Age = now - c.newest.Stamp
		h.Stale = h.Age >= c.cfg.StaleAfter
	}
	return h
}
