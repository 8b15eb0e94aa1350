package dynamixel

import (
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
