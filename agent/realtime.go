package agent

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Clock is the machine's monotonic clock, counted from when it was opened. It
// may be read from any goroutine.
type Clock struct{ epoch int64 }

// OpenClock starts at 0 now.
func OpenClock() (*Clock, error) {
	ns, err := monotonic()
	if err != nil {
		return nil, fmt.Errorf("agent: monotonic clock: %w", err)
	}
	return &Clock{epoch: ns}, nil
}

// Now is the time since the clock was opened.
func (c *Clock) Now() time.Duration {
	ns, err := monotonic()
	if err != nil {
		panic("agent: monotonic clock: " + err.Error()) // it was readable at OpenClock
	}
	return time.Duration(ns - c.epoch)
}

func monotonic() (int64, error) {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		return 0, err
	}
	return ts.Nano(), nil
}

// Realtime paces by the machine's clock, sleeping to absolute times.
type Realtime struct{ Clock *Clock }

// WaitUntil implements Pacer.
func (p Realtime) WaitUntil(due time.Duration) time.Duration {
	ts := unix.NsecToTimespec(p.Clock.epoch + int64(due))
	for p.Clock.Now() < due {
		err := unix.ClockNanosleep(unix.CLOCK_MONOTONIC, unix.TIMER_ABSTIME, &ts, nil)
		if err != nil && !errors.Is(err, unix.EINTR) {
			break // an invalid time: the tick is then simply not waited for
		}
	}
	return p.Clock.Now()
}

// Grants is what the machine permitted of real-time scheduling; nil is granted.
type Grants struct {
	FIFO, Memory error
}

// String says it in a line.
func (g Grants) String() string {
	say := func(what string, err error) string {
		if err == nil {
			return what + " granted"
		}
		return fmt.Sprintf("%s refused (%v)", what, err)
	}
	return strings.Join([]string{say("SCHED_FIFO", g.FIFO), say("locked memory", g.Memory)}, ", ")
}

var errMemlock = errors.New("RLIMIT_MEMLOCK is limited; allow it with `ulimit -l unlimited`")

// LockThread ties the calling goroutine to its thread for good and asks for
// SCHED_FIFO at the priority (1 to 99) and for memory that is not paged out.
// What is refused is not needed to run, but makes late ticks likelier. Call it
// on the goroutine that will Serve.
func LockThread(priority uint32) Grants {
	runtime.LockOSThread()
	var g Grants
	g.FIFO = unix.SchedSetAttr(0, &unix.SchedAttr{
		Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: priority,
	}, 0)
	// Under a limit, locking now would make later allocations fail.
	var lim unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_MEMLOCK, &lim); err != nil {
		g.Memory = err
	} else if lim.Cur != unix.RLIM_INFINITY {
		g.Memory = errMemlock
	} else {
		g.Memory = unix.Mlockall(unix.MCL_CURRENT | unix.MCL_FUTURE | unix.MCL_ONFAULT)
	}
	return g
}
