package servotest

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// ErrNoDeadline is returned by Pipe.Read where a real port would wait for ever.
var ErrNoDeadline = errors.New("servotest: read without a deadline, and nothing is coming")

// Pipe is a dynamixel.Port on a chain in lockstep with a virtual clock. Writing
// takes no time. Reading advances clock and chain to when the host has bytes,
// or to the deadline. It is one goroutine's.
type Pipe struct {
	chain    *Chain
	clock    *Clock
	deadline time.Duration
	armed    bool
}

// NewPipe returns a port on c that moves clk.
func NewPipe(c *Chain, clk *Clock) *Pipe { return &Pipe{chain: c, clock: clk} }

// ErrUnplugged is returned by a Pipe whose adapter is gone; it is a device that
// is not there, as a real port's error would be.
var ErrUnplugged = fmt.Errorf("servotest: unplugged: %w", syscall.ENODEV)

// Reopen fails while the adapter is gone.
func (p *Pipe) Reopen() error {
	p.chain.AdvanceTo(p.clock.Now())
	if !p.chain.Plugged() {
		return ErrUnplugged
	}
	return nil
}

// Write implements dynamixel.Port.
func (p *Pipe) Write(b []byte) (int, error) {
	p.chain.AdvanceTo(p.clock.Now())
	if !p.chain.Plugged() {
		return 0, ErrUnplugged
	}
	p.chain.Transmit(p.clock.Now(), b)
	return len(b), nil
}

// SetReadTimeout implements dynamixel.Port.
func (p *Pipe) SetReadTimeout(d time.Duration) error {
	p.deadline, p.armed = p.clock.Now()+d, true
	return nil
}

// Read implements dynamixel.Port.
func (p *Pipe) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	for {
		now := p.clock.Now()
		p.chain.AdvanceTo(now)
		if !p.chain.Plugged() {
			return 0, ErrUnplugged
		}
		if n := p.chain.Receive(now, b); n > 0 {
			return n, nil
		}
		next, ok := p.chain.Next()
		switch {
		case !p.armed && !ok:
			return 0, ErrNoDeadline
		case p.armed && now >= p.deadline:
			return 0, os.ErrDeadlineExceeded
		case p.armed && (!ok || next > p.deadline):
			next = p.deadline
		}
		p.clock.AdvanceTo(next)
	}
}
