package servotest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// PTY serves a chain at its true rates behind a real pty, whose other end any
// program may open as a serial port.
type PTY struct {
	chain *Chain
	now   func() time.Duration
	link  string   // to the present tty
	ptm   *os.File // the servos' end; nil while the adapter is unplugged
	tty   *os.File // kept open, or the other end's first close would end all
	wake  [2]int
	set   [2]unix.PollFd
	done  chan struct{}
	err   error // of the serving goroutine, once done

	closed   sync.Once
	closeErr error
}

// ServePTY opens a pty and serves c on it from a goroutine of its own, locked to
// its OS thread, until Close. now is a monotonic clock, the one that c is to
// live in. onThread, which may be nil, is called first on that thread: it is
// where a caller asks for real-time scheduling.
func ServePTY(c *Chain, now func() time.Duration, onThread func()) (*PTY, error) {
	p, err := openPTY(c, now)
	if err != nil {
		return nil, fmt.Errorf("servotest: pty: %w", err)
	}
	go func() {
		defer close(p.done)
		runtime.LockOSThread()
		// The thread's settings are not for others: it ends with the goroutine.
		_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0)
		if onThread != nil {
			onThread()
		}
		p.err = p.serve()
	}()
	return p, nil
}

func openPTY(c *Chain, now func() time.Duration) (_ *PTY, err error) {
	dir, err := os.MkdirTemp("", "twinrig-virtual-")
	if err != nil {
		return nil, err
	}
	p := &PTY{chain: c, now: now, link: filepath.Join(dir, "ttyDXL"), done: make(chan struct{})}
	p.set[0].Events, p.set[1].Events = unix.POLLIN, unix.POLLIN
	if err := p.plug(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if err := unix.Pipe2(p.wake[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return nil, errors.Join(err, p.unplug(), os.RemoveAll(dir))
	}
	p.set[1].Fd = int32(p.wake[0])
	return p, nil
}

// plug opens a pty and points the link at it.
func (p *PTY) plug() (err error) {
	ptm, tty, err := pty.Open()
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ptm.Close(), tty.Close())
		}
	}()
	if err := raw(int(tty.Fd())); err != nil {
		return err
	}
	// Fd makes the file blocking again, so it comes first and once.
	servos := int(ptm.Fd())
	if err := unix.SetNonblock(servos, true); err != nil {
		return err
	}
	if err := os.Symlink(tty.Name(), p.link); err != nil {
		return err
	}
	p.ptm, p.tty, p.set[0].Fd = ptm, tty, int32(servos)
	return nil
}

// unplug takes the device away from under whoever has it open.
func (p *PTY) unplug() error {
	if p.ptm == nil {
		return nil
	}
	err := errors.Join(os.Remove(p.link), p.ptm.Close(), p.tty.Close())
	p.ptm, p.tty, p.set[0].Fd = nil, nil, -1
	return err
}

// raw turns off echo and all else that a terminal does to bytes.
func raw(fd int) error {
	t, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return err
	}
	t.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR | unix.ICRNL | unix.IXON
	t.Oflag &^= unix.OPOST
	t.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	t.Cflag = t.Cflag&^(unix.CSIZE|unix.PARENB) | unix.CS8
	t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 1, 0
	return unix.IoctlSetTermios(fd, unix.TCSETS, t)
}

// Path is what to open as the serial port: a name that outlives an unplugged
// adapter, as a udev rule's does.
func (p *PTY) Path() string { return p.link }

// Close ends the serving and returns why it had ended before, if it had. It is
// idempotent.
func (p *PTY) Close() error {
	p.closed.Do(func() {
		_, err := unix.Write(p.wake[1], []byte{0})
		<-p.done
		p.closeErr = errors.Join(err, p.err, p.unplug(), os.RemoveAll(filepath.Dir(p.link)),
			unix.Close(p.wake[0]), unix.Close(p.wake[1]))
	})
	return p.closeErr
}

// serve moves bytes at their times. Between them it wakes once per inner step,
// so that the shafts move although nobody talks.
func (p *PTY) serve() error {
	var buf [4096]byte
	for {
		now := p.now()
		if err := p.move(now, buf[:]); err != nil {
			return err
		}
		wake := now + p.chain.cfg.Step
		if next, ok := p.chain.Next(); ok {
			wake = min(wake, next)
		}
		left := unix.NsecToTimespec(int64(max(0, wake-p.now())))
		if _, err := unix.Ppoll(p.set[:], &left, nil); err != nil && err != unix.EINTR {
			return fmt.Errorf("servotest: pty: poll: %w", err)
		}
		if p.set[1].Revents != 0 {
			return nil
		}
	}
}

// move moves the bytes that are due by now, and the plug.
func (p *PTY) move(now time.Duration, buf []byte) error {
	if p.ptm != nil {
		if err := p.take(now, buf); err != nil {
			return err
		}
	}
	p.chain.AdvanceTo(now)
	switch plugged := p.chain.Plugged(); {
	case plugged && p.ptm == nil:
		return p.plug()
	case !plugged && p.ptm != nil:
		return p.unplug()
	case plugged:
		return p.give(now, buf)
	}
	return nil
}

// take takes in what the host wrote.
func (p *PTY) take(now time.Duration, buf []byte) error {
	n, err := unix.Read(int(p.set[0].Fd), buf)
	switch {
	case err == unix.EAGAIN || err == unix.EINTR:
		return nil
	case err != nil:
		return fmt.Errorf("servotest: pty: read: %w", err)
	}
	p.chain.Transmit(now, buf[:n])
	return nil
}

// give gives the host what it should have by now.
func (p *PTY) give(now time.Duration, buf []byte) error {
	n := p.chain.Receive(now, buf)
	for b := buf[:n]; len(b) > 0; {
		m, err := unix.Write(int(p.set[0].Fd), b)
		switch {
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			// Nobody reads. A real adapter drops bytes too.
			return nil
		case err != nil:
			return fmt.Errorf("servotest: pty: write: %w", err)
		default:
			b = b[m:]
		}
	}
	return nil
}
