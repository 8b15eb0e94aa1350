package serial

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"golang.org/x/sys/unix"
)

// ErrGone is in the error of a Read or Write after the adapter was unplugged,
// and of a Reopen that finds no port. The port does not come back by itself:
// call Reopen until it does.
var ErrGone = errors.New("the port is gone (adapter unplugged or powered off?)")

// Reopen opens the configured port anew with the same settings, after an unplug
// or to start from a clean line; what was received and not read is lost. Read,
// Write and SetReadTimeout belong to its caller meanwhile; those that another
// goroutine is in are waited for, and on a port that is gone they end at once.
//
// On failure the port stays gone and Reopen may be called again; the error names
// path and cure as Open's, and is ErrGone while the port is missing. After Close
// it is fs.ErrClosed. A path that survives replugging is what makes it find the
// adapter again: see Info.Names.
func (p *Port) Reopen() error {
	p.reading.Lock()
	defer p.reading.Unlock()
	p.writing.Lock()
	defer p.writing.Unlock()
	if p.closing.Load() {
		return fs.ErrClosed
	}
	// A hung-up tty may refuse even to be closed; it is let go in any case, and
	// must be before the new one: it holds the lock, and the device's number.
	_ = p.line.close()
	return p.attach()
}

// attach opens the port's line. Its error is the caller's to see as it is.
func (p *Port) attach() error {
	l, err := openLine(&p.cfg)
	switch {
	case err == nil:
		p.line = l
	case missing(err):
		return fmt.Errorf("serial: open %s: %w: %w%s", p.cfg.Port, ErrGone, err, cure(err))
	default:
		return fmt.Errorf("serial: open %s: %w%s", p.cfg.Port, err, cure(err))
	}
	p.readSet = [2]unix.PollFd{{Fd: int32(l.side), Events: unix.POLLIN}, {Fd: int32(p.wake[0]), Events: unix.POLLIN}}
	p.writeSet = [2]unix.PollFd{{Fd: int32(l.side), Events: unix.POLLOUT}, {Fd: int32(p.wake[0]), Events: unix.POLLIN}}
	return nil
}

// missing tells whether an error of opening says that there is no such port.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || unplugged(err)
}

// unplugged tells whether the error of a tty that was open says that its device
// is no more.
func unplugged(err error) bool {
	for _, gone := range []error{unix.EIO, unix.ENXIO, unix.ENODEV, unix.EBADF, io.EOF} {
		if errors.Is(err, gone) {
			return true
		}
	}
	return false
}
