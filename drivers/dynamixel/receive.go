package dynamixel

import (
	"errors"
	"io"
	"os"
	"time"
)

// begin sends b.tx, whose answers have budget to come.
func (b *Bus) begin(budget time.Duration) error {
	if b.dirty {
		if err := b.drain(); err != nil {
			return err
		}
	}
	b.r, b.w = 0, 0
	if err := b.send(); err != nil {
		return err
	}
	return b.port.SetReadTimeout(budget)
}

// drain throws away what came too late.
func (b *Bus) drain() error {
	if err := b.port.SetReadTimeout(0); err != nil {
		return err
	}
	for {
		if _, err := b.port.Read(b.rx[:]); err != nil {
			b.dirty = false
			return notDeadline(err)
		}
	}
}

// receive returns the next packet, which is valid until the next call. With
// ErrChecksum it is damaged and more may come, with ErrTimeout time is up; any
// other error is the port's own.
func (b *Bus) receive() (Packet, error) {
	late := false
	for {
		p, n, err := Decode(b.rx[b.r:b.w])
		b.r += n
		if errors.Is(err, ErrChecksum) {
			b.stats.Checksum++
			b.dirty = true
		} else if n > p.size {
			b.stats.Resyncs++
		}
		if !errors.Is(err, ErrIncomplete) {
			return p, err
		}
		if late {
			// What looked like the begin of a packet may have hidden one.
			if b.w-b.r > headBytes {
				b.r++
				continue
			}
			b.dirty = true
			return p, ErrTimeout
		}
		err = b.fill()
		if late = errors.Is(err, os.ErrDeadlineExceeded); err != nil && !late {
			return p, err
		}
	}
}

// fill reads once from the port, behind what is there.
func (b *Bus) fill() error {
	if b.r > 0 {
		b.w = copy(b.rx[:], b.rx[b.r:b.w])
		b.r = 0
	}
	n, err := b.port.Read(b.rx[b.w:])
	b.w += n
	if n == 0 && err == nil {
		return io.ErrNoProgress
	}
	if n > 0 && errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	return err
}

func notDeadline(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	return err
}
