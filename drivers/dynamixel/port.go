package dynamixel

import (
	"fmt"
	"io"
	"time"
)

// ID is a servo's address on the bus, 0 to 252, or Broadcast.
type ID uint8

const (
	// Broadcast addresses every servo.
	Broadcast ID = 0xFE
	// MaxID is the highest address a servo can have.
	MaxID ID = 252
)

// Port is a byte stream with one armed deadline. A Bus is its only user.
type Port interface {
	io.ReadWriter
	// SetReadTimeout arms one deadline, d from now by the port's own clock,
	// that covers every Read until the next call. A Read past it returns 0,
	// os.ErrDeadlineExceeded; bytes that are there already are read first.
	SetReadTimeout(d time.Duration) error
}

// Reopen opens the port anew, if it can do that, after its device went away;
// what was on the way is forgotten. It fails while the device is missing and may
// be called again and again. A port that cannot be reopened is left as it is.
func (b *Bus) Reopen() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dirty = true
	p, ok := b.port.(interface{ Reopen() error })
	if !ok {
		return nil
	}
	if err := p.Reopen(); err != nil {
		return fmt.Errorf("dynamixel: %w", err)
	}
	return nil
}
