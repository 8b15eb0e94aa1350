package virtual

import (
	"errors"
	"fmt"
	"time"

	"twinrig"
	"twinrig/calib"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
	"twinrig/sim"
)

// rig is what both kinds of rig have in common.
type rig struct {
	world  *World
	chain  *servotest.Chain
	camera *camera
}

// Chain is the servos, for whoever lets something happen to them.
func (r *rig) Chain() *servotest.Chain { return r.chain }

// World is the hidden world: for the operator and the judge only.
func (r *rig) World() *World { return r.world }

func newRig(cfg Config, clock func() time.Duration) (*rig, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("virtual: %w", err)
	}
	h := NoHidden()
	if cfg.Hidden {
		h = DrawHidden(cfg.Seed)
	}
	h.Params.Payload = cfg.Payload
	h.Params.Timestep = worldStep
	spec := cameraSpec()
	spec.Distortion = cfg.Distortion
	spec.BaseFromCamera = spec.BaseFromCamera.Mul(h.CameraFromCamera)
	world, err := newWorld(h, spec, cfg.CameraLatency, calib.Nominal().Arm.Gripper)
	if err != nil {
		return nil, err
	}
	line := servotest.Default()
	line.Baud, line.ReplyGap, line.Latency, line.Step, line.Seed = cfg.Baud, cfg.ReplyGap, cfg.Latency, worldStep, cfg.Seed
	chain := servotest.NewChain(line, newServos(&h), world)
	if err := chain.Inject(cfg.Faults...); err != nil {
		return nil, errors.Join(fmt.Errorf("virtual: %w", err), world.close())
	}
	return &rig{
		world:  world,
		chain:  chain,
		camera: &camera{world: world, clock: clock, latency: cfg.CameraLatency, renderers: map[string]*sim.Renderer{}},
	}, nil
}

// cameraSpec is the camera where it is believed to be.
func cameraSpec() sim.CameraSpec {
	return sim.CameraOf(cameraName, &calib.Nominal().Camera)
}

// worldStep is the period of the servos' inner loops and of the physics.
const worldStep = time.Millisecond

// close frees everything, after the servos and the camera have nobody left to
// ask for them.
func (r *rig) close() error {
	r.camera.close()
	return r.world.close()
}

// Lockstep is a virtual rig in virtual time: its clock moves only when somebody
// waits on it, and everything is decided by the seed and the bytes. One
// goroutine uses the port and the clock.
type Lockstep struct {
	*rig
	clock *servotest.Clock
	pipe  *servotest.Pipe
}

// NewLockstep builds a rig whose clock stands at 0.
func NewLockstep(cfg Config) (*Lockstep, error) {
	clock := &servotest.Clock{}
	r, err := newRig(cfg, clock.Now)
	if err != nil {
		return nil, err
	}
	return &Lockstep{rig: r, clock: clock, pipe: servotest.NewPipe(r.chain, clock)}, nil
}

// Clock is the rig's time.
func (l *Lockstep) Clock() *servotest.Clock { return l.clock }

// Port is the serial port that the servos are on.
func (l *Lockstep) Port() dynamixel.Port { return l.pipe }

// Camera is the webcam; its frames are drawn at virtual time.
func (l *Lockstep) Camera() twinrig.Camera { return l.camera }

// Close frees the world and returns why it had stopped, if it had. The port is
// of no use any more.
func (l *Lockstep) Close() error { return l.close() }
