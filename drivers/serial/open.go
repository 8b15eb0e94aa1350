package serial

import (
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/tarm/serial"
	"golang.org/x/sys/unix"
)

// UdevRule is the text of a rule that lets everybody in the group dialout use
// the arm's U2D2 (FTDI 0403:6014) as /dev/ttyDXL with 1 ms latency, and keeps
// ModemManager away from it.
const UdevRule = `SUBSYSTEM=="tty", ATTRS{idVendor}=="0403", ATTRS{idProduct}=="6014", ` +
	`ENV{ID_MM_DEVICE_IGNORE}="1", ATTR{device/latency_timer}="1", ` +
	`GROUP="dialout", MODE="0660", SYMLINK+="ttyDXL"`

// UdevCure is what to do with UdevRule, as shell commands.
const UdevCure = `echo '` + UdevRule + `' | sudo tee /etc/udev/rules.d/99-twinrig.rules && ` +
	`sudo udevadm control --reload && sudo udevadm trigger`

// ErrBusy is in the error of Open when another process holds the port.
var ErrBusy = errors.New("another process is using the port")

// readGrain is the library's own read timeout. Reads happen only when bytes are
// there, so it never passes; it is set because without one a read of a tty that
// another process emptied would block for ever.
const readGrain = 100 * time.Millisecond

// Open opens and locks the port, sets its rate and asks for low latency.
// Whether it got that is LatencyTimer's to say. An error names the port and,
// where there is one, the cure.
func Open(cfg Config) (*Port, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("serial: %w", err)
	}
	p := &Port{cfg: cfg, start: time.Now(), line: line{side: -1}}
	if err := unix.Pipe2(p.wake[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return nil, fmt.Errorf("serial: open %s: %w", cfg.Port, err)
	}
	if err := p.attach(); err != nil {
		return nil, errors.Join(err, unix.Close(p.wake[0]), unix.Close(p.wake[1]))
	}
	return p, nil
}

// line is an open tty: what an unplug takes away and Reopen brings back.
type line struct {
	tty  *serial.Port // nil while there is none
	side int          // a second descriptor of the same tty: poll, flock, ioctl

	latency      time.Duration
	latencyKnown bool
}

func openLine(cfg *Config) (l line, err error) {
	// The side descriptor comes first: a port that somebody else holds must
	// not get its rate changed.
	side, err := unix.Open(cfg.Port, unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return line{}, err
	}
	defer func() {
		if err != nil {
			_ = unix.Close(side)
		}
	}()
	if err := unix.Flock(side, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return line{}, errors.Join(ErrBusy, err)
	}
	tty, err := serial.OpenPort(&serial.Config{Name: cfg.Port, Baud: cfg.Baud, ReadTimeout: readGrain})
	if err != nil {
		return line{}, err
	}
	if err := tty.Flush(); err != nil {
		return line{}, errors.Join(err, tty.Close())
	}
	l = line{tty: tty, side: side}
	l.latency, l.latencyKnown = lowLatency(side, cfg.Port, sysRoot)
	return l, nil
}

// close releases the tty, if there is one.
func (l *line) close() error {
	if l.tty == nil {
		return nil
	}
	err := errors.Join(l.tty.Close(), unix.Close(l.side))
	*l = line{side: -1}
	return err
}

// cure is the hint that follows an error of opening.
func cure(err error) string {
	switch {
	case errors.Is(err, ErrBusy):
		return ": stop the other program first (fuser -v names it)"
	case missing(err):
		return ": is the adapter plugged in and powered? /dev/ttyDXL needs a udev rule: " + UdevCure
	case errors.Is(err, fs.ErrPermission):
		return ": join the group that may use it (sudo usermod -aG dialout $USER, then log in again), or install the udev rule: " + UdevCure
	case errors.Is(err, unix.ENOTTY):
		return ": this is not a tty"
	}
	return ""
}
