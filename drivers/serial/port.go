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

	"golang.org/x/sys/unix"
)

// Port is an open tty. Read, SetReadTimeout, Write and Reopen are one caller's
// at a time each; Close may be called from any goroutine and ends a waiting Read
// or Write at once. Read and Write do not allocate.
type Port struct {
	cfg   Config
	start time.Time
	wake  [2]int // a pipe: Close ends the waiting with it

	reading, writing  sync.Mutex // held for the whole call; Close and Reopen take both
	line              line
	readSet, writeSet [2]unix.PollFd
	deadline          time.Duration // of reading, since start; 0 is none
	closing           atomic.Bool
	closed            sync.Once
	closeErr          error
}

// Name returns the path the port was opened by.
func (p *Port) Name() string { return p.cfg.Port }

// LatencyTimer returns how long the adapter may sit on received bytes before it
// sends them to the host, and whether that is known. It is not for ports that
// are no FTDI adapter, such as a pty.
func (p *Port) LatencyTimer() (time.Duration, bool) {
	p.writing.Lock()
	defer p.writing.Unlock()
	return p.line.latency, p.line.latencyKnown
}

// SetReadTimeout arms one deadline, d from now, that covers every Read until
// the next call. Before the first call a Read waits for ever.
func (p *Port) SetReadTimeout(d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("serial: %s: read timeout %v is negative", p.cfg.Port, d)
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
		n, err := p.line.tty.Read(b)
		switch {
		case n > 0:
			return n, nil
		case errors.Is(err, io.EOF) && p.readSet[0].Revents&(unix.POLLHUP|unix.POLLERR|unix.POLLNVAL) == 0:
			// The bytes that ppoll saw went elsewhere; wait on.
		default:
			return 0, p.failed("read", err)
		}
	}
}

// Write hands b to the kernel, which sends it at the line's rate. It returns
// os.ErrDeadlineExceeded when there is no room within the write timeout,
// otherwise as Read.
func (p *Port) Write(b []byte) (int, error) {
	p.writing.Lock()
	defer p.writing.Unlock()
	if err := p.wait(&p.writeSet, time.Since(p.start)+p.cfg.WriteTimeout); err != nil {
		return 0, err
	}
	n, err := p.line.tty.Write(b)
	if err != nil {
		return n, p.failed("write", err)
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
		p.closeErr = errors.Join(wakeErr, p.line.close(),
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
		if p.line.tty == nil {
			return p.failed("wait", unix.EBADF)
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
			return fmt.Errorf("serial: %s: poll: %w", p.cfg.Port, err)
		case n == 0:
			return os.ErrDeadlineExceeded
		case set[0].Revents != 0 && !p.closing.Load():
			return nil
		}
	}
}

// failed wraps what became of a tty that was ready.
func (p *Port) failed(what string, err error) error {
	switch {
	case p.closing.Load():
		return fs.ErrClosed
	case unplugged(err):
		return fmt.Errorf("serial: %s: %s: %w: %w", p.cfg.Port, what, ErrGone, err)
	}
	return fmt.Errorf("serial: %s: %s: %w", p.cfg.Port, what, err)
}
