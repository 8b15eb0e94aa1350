package dynamixel

import (
	"bytes"
	"errors"
	"io"
	"os"
	"time"
)

// errOver says that all the bytes of the answers are here, and some are bad.
var errOver = errors.New("all bytes of the answer are here")

// begin sends tx, whose answers have d to come. They are expect bytes together;
// 0 is not known.
func (b *Bus) begin(tx []byte, d time.Duration, expect int) error {
	if b.dirty {
		if err := b.drain(); err != nil {
			return err
		}
	}
	b.note(tx)
	b.r, b.w, b.heard, b.expect = 0, 0, 0, expect
	b.queued, b.telling = 0, false
	if err := b.send(tx); err != nil {
		return err
	}
	return b.port.SetReadTimeout(d)
}

// tell sends tx, which nobody answers. What is sent next may have to wait until
// it is through.
func (b *Bus) tell(tx []byte) error {
	b.note(tx)
	b.queued += b.wire.Bytes(len(tx))
	b.telling = true
	return b.send(tx)
}

// note keeps what is sent, until it is known whether the adapter echoes it.
func (b *Bus) note(tx []byte) {
	if !b.telling {
		b.sent = b.sent[:0]
	}
	b.sent = append(b.sent, tx...)
}

// send hands tx to the port.
func (b *Bus) send(tx []byte) error {
	b.stats.Transactions++
	n, err := b.port.Write(tx)
	if err == nil && n < len(tx) {
		err = io.ErrShortWrite
	}
	return err
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
// ErrChecksum it is damaged and more may come; with errOver or ErrTimeout
// nothing more will, or time is up. Any other error is the port's own.
func (b *Bus) receive() (Packet, error) {
	late := false
	for {
		if late || !b.echoing() {
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
			if over := b.over(); late || over {
				// What looked like the begin of a packet may have hidden one.
				if b.w-b.r > headBytes {
					b.r++
					continue
				}
				b.dirty = true
				if late {
					return p, ErrTimeout
				}
				return p, errOver
			}
		}
		err := b.fill()
		if late = errors.Is(err, os.ErrDeadlineExceeded); err != nil && !late {
			return Packet{}, err
		}
	}
}

// over tells whether as many bytes as expected have come.
func (b *Bus) over() bool { return len(b.sent) == 0 && b.expect > 0 && b.heard >= b.expect }

// echoing drops what was sent, if the adapter gives it back before the answer.
// It returns true while that cannot be told yet.
func (b *Bus) echoing() bool {
	n := min(b.w-b.r, len(b.sent))
	echo := bytes.Equal(b.rx[b.r:b.r+n], b.sent[:n])
	if echo && n < len(b.sent) {
		return true
	}
	if echo {
		b.r += n
		b.heard -= n
	}
	b.sent = b.sent[:0]
	return false
}

// fill reads once from the port, behind what is there.
func (b *Bus) fill() error {
	if b.r > 0 {
		b.w = copy(b.rx[:], b.rx[b.r:b.w])
		b.r = 0
	}
	n, err := b.port.Read(b.rx[b.w:])
	b.w += n
	b.heard += n
	switch {
	case n == 0 && err == nil:
		return io.ErrNoProgress
	case n > 0 && errors.Is(err, os.ErrDeadlineExceeded):
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
