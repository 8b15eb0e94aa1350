package doctor

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"twinrig"
	"twinrig/agent"
	"twinrig/drivers/camera"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/serial"
	"twinrig/sim/mujoco"
)

// host is what the checks ask of the machine, so that a test may have another.
type host struct {
	inspect    func(path string) (serial.Info, error)
	ports      func() []string
	openPort   func(serial.Config) (port, error)
	openCamera func(camera.Config, func() time.Duration) (picture, error)
	modes      func(device string) ([]mode, error)
	openMuJoCo func() error
	free       func(dir string) (uint64, error)
	sync       func(dir string, n int) ([]time.Duration, error)
	realtime   func() agent.Grants
	wallClock  func() (wallClock, error)
}

// port is an open serial port; *serial.Port is one.
type port interface {
	dynamixel.Port
	LatencyTimer() (time.Duration, bool)
	Close() error
}

// picture is an open camera; *camera.Camera is one.
type picture interface {
	Wait(ctx context.Context, seq uint64, f *twinrig.Frame) error
	Latest(f *twinrig.Frame) error
	Health() camera.Health
	Close() error
}

func thisHost() host {
	return host{
		inspect: serial.Inspect,
		ports:   serialPorts,
		openPort: func(c serial.Config) (port, error) {
			p, err := serial.Open(c)
			if err != nil {
				return nil, err // not a nil *serial.Port in an interface
			}
			return p, nil
		},
		openCamera: func(c camera.Config, clock func() time.Duration) (picture, error) {
			p, err := camera.Open(c, clock)
			if err != nil {
				return nil, err
			}
			return p, nil
		},
		modes:      listModes,
		openMuJoCo: mujoco.Open,
		free:       FreeBytes,
		sync:       syncTimes,
		realtime:   grants,
		wallClock:  readWallClock,
	}
}

// FreeBytes is what an unprivileged program may still write.
func FreeBytes(dir string) (uint64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	return st.Bavail * uint64(st.Bsize), nil
}

// syncTimes writes a chunk of a trial's log n times, each time until the disk
// has it, and returns what each took, the shortest first.
func syncTimes(dir string, n int) (took []time.Duration, err error) {
	f, err := os.CreateTemp(dir, ".doctor-*")
	if err != nil {
		return nil, err
	}
	defer func() {
		f.Close()
		if rmErr := os.Remove(f.Name()); err == nil {
			err = rmErr
		}
	}()
	chunk := make([]byte, 128<<10)
	for range n {
		begin := time.Now()
		if _, err := f.Write(chunk); err != nil {
			return nil, err
		}
		if err := f.Sync(); err != nil {
			return nil, err
		}
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	return took, nil
}

// existing is the nearest directory above path that is there already.
func existing(path string) string {
	for {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return path
		}
		up := filepath.Dir(path)
		if up == path {
			return path
		}
		path = up
	}
}

// priority is the SCHED_FIFO priority that a study's loop asks for.
const priority = 40

// grants asks for what a study's loop asks for, on a thread that ends with it.
func grants() agent.Grants {
	got := make(chan agent.Grants)
	go func() { got <- agent.LockThread(priority) }()
	return <-got
}
