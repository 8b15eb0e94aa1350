package virtual

import (
	"errors"
	"fmt"
	"time"

	"twinrig/drivers/dynamixel/servotest"
	"twinrig/sim/virtual/webcam"
)

// Paced is a virtual rig in real time, behind a pty and an HTTP camera.
type Paced struct {
	*rig
	pty    *servotest.PTY
	webcam *webcam.Server
}

// Serve starts a rig. clock is the process's monotonic clock; it must have
// begun not long ago, for the world catches up with it. onThread, which may be
// nil, is called first on the thread that the servos live on.
func Serve(cfg Config, clock func() time.Duration, onThread func()) (*Paced, error) {
	r, err := newRig(cfg, clock)
	if err != nil {
		return nil, err
	}
	p := &Paced{rig: r}
	if p.pty, err = servotest.ServePTY(r.chain, clock, onThread); err != nil {
		return nil, errors.Join(fmt.Errorf("virtual: %w", err), r.close())
	}
	if p.webcam, err = webcam.Serve(r.camera.Latest, cfg.Webcam); err != nil {
		return nil, errors.Join(fmt.Errorf("virtual: %w", err), p.Close())
	}
	return p, nil
}

// PortPath is the tty that the servos are on.
func (p *Paced) PortPath() string { return p.pty.Path() }

// CameraURL is the webcam's MJPEG stream.
func (p *Paced) CameraURL() string { return p.webcam.URL() }

// Close stops everything, those first who use the others. It returns why the
// world had stopped, if it had.
func (p *Paced) Close() error {
	var err error
	if p.webcam != nil {
		err = p.webcam.Close()
	}
	return errors.Join(err, p.pty.Close(), p.close())
}
