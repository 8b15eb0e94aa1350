package serial

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tarm/serial"
	"golang.org/x/sys/unix"
)

// ErrGone is in the error of a Read or Write after the adapter was unplugged.
// The port does not come back by itself: Close it and Open again.
var ErrGone = errors.New("the port is gone (adapter unplugged or powered off?)")

// Port is an open tty. Read, SetReadTimeout and Write are one caller's at a
// time each; Close may be called from any goroutine and ends a waiting Read or
// Write at once. Nothing here allocates once the port is open.
type Port struct {
	name         string
	tty          *serial.Port
	side         int // a second descriptor of the same tty: poll, flock, ioctl
	wake         [2]int
	writeTimeout time.Duration
	start        time.Time

	latency      time.Duration
	latencyKnown bool

	reading, writing  sync.Mutex // held for the whole call; Close takes both
	readSet, writeSet [2]unix.PollFd
	deadline          time.Duration // of reading, since start; 0 is none
	closing           atomic.Bool
	closed            sync.Once
	closeErr          error
}

// Name returns the path the port was opened by.
func (p *Port) Name() string { return p.name }

// LatencyTimer returns how long the adapter may sit on received bytes before it
// sends them to the host, and whether that is known. It is not for ports that
// are no FTDI adapter, such as a pty.
func (p *Port) LatencyTimer() (time.Duration, bool) { return p.latency, p.latencyKnown }

// SetReadTimeout arms one deadline, d from now, that covers every Read until
// the next call. Before the first call a Read waits for ever.
func (p *Port) SetReadTimeout(d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("serial: %s: read timeout %v is negative", p.name, d)
	}
	p.deadline = time.Since(p.start) + d
	return nil
}

// Read waits for at least one byte and returns what is there. Past the deadline
// it returns 0, os.ErrDeadlineExceeded; after Close fs.ErrClosed; after an
// unplug ErrGone.
func (p *Port) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	p.reading.Lock()
	defer p.reading.Unlock()
	for {
		if err := p.wait(&p.readSet, p.deadline); err != nil {
			return 0, err
		}
		n, err := p.tty.Read(b)
		switch {
		case n > 0:
			return n, nil
		case errors.Is(err, io.EOF) && p.readSet[0].Revents&(unix.POLLHUP|unix.POLLERR) == 0:
			// The bytes that ppoll saw went elsewhere; wait on.
		default:
			return 0, p.gone(err)
		}
	}
}

// Write hands b to the kernel, which sends it at the line's rate. It returns
// os.ErrDeadlineExceeded when there is no room within the write timeout,
// otherwise as Read.
func (p *Port) Write(b []byte) (int, error) {
	p.writing.Lock()
	defer p.writing.Unlock()
	if err := p.wait(&p.writeSet, time.Since(p.start)+p.writeTimeout); err != nil {
		return 0, err
	}
	n, err := p.tty.Write(b)
	if err != nil {
		return n, p.gone(err)
	}
	return n, nil
}

// Close releases the port. It is idempotent and never waits for bytes.
func (p *Port) Close() error {
	p.closed.Do(func() {
		p.closing.Store(true)
		_, wakeErr := unix.Write(p.wake[1], []byte{0})
		p.reading.Lock()
		defer p.reading.Unlock()
		p.writing.Lock()
		defer p.writing.Unlock()
		p.closeErr = errors.Join(wakeErr, p.tty.Close(), unix.Close(p.side),
			unix.Close(p.wake[0]), unix.Close(p.wake[1]))
	})
	return p.closeErr
}

// wait returns nil once the tty of set is ready or hung up.
func (p *Port) wait(set *[2]unix.PollFd, deadline time.Duration) error {
	for {
		if p.closing.Load() {
			return fs.ErrClosed
		}
		var ts *unix.Timespec
		var left unix.Timespec
		if deadline > 0 {
			left = unix.NsecToTimespec(int64(max(0, deadline-time.Since(p.start))))
			ts = &left
		}
		n, err := unix.Ppoll(set[:], ts, nil)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return fmt.Errorf("serial: %s: poll: %w", p.name, err)
		case n == 0:
			return os.ErrDeadlineExceeded
		case set[0].Revents != 0 && !p.closing.Load():
			return nil
		}
	}
}

// gone wraps what a read or write of a ready tty failed with.
func (p *Port) gone(err error) error {
	if p.closing.Load() {
		return fs.ErrClosed
	}
	return fmt.Errorf("serial: %s: %w", p.name, errors.Join(ErrGone, err))
}
