package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"

	"twinrig"
	"twinrig/agent"
	"twinrig/calib"
	"twinrig/calib/target"
	"twinrig/configs"
	"twinrig/drivers/camera"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/serial"
	"twinrig/sim/virtual"
)

// virtualRig is the name of the rig that nobody owns, where a rig's file could be.
const virtualRig = "virtual"

// calibRig is a rig that is calibrated.
type calibRig struct {
	cell *cell
	// base is the record that the result goes into.
	base  *calib.Record
	hands hands
	// truth is xBC as it truly is, and perturb what the detector errs by: on the
	// virtual rig only.
	truth   func() twinrig.Pose
	perturb func([]target.Corner)
}

// hands are those of whoever moves the board.
type hands interface {
	PutBoard(where virtual.BoardPlace) error
}

// openCalib opens the rig of a file, or the virtual one in lockstep, and has the
// arm hold. closeAll parks it.
func openCalib(ctx context.Context, rig string, seed uint64, in io.Reader, say func(string)) (r *calibRig, closeAll func() error, err error) {
	var closing closers
	defer func() {
		if err != nil {
			err = errors.Join(err, closing.close())
		}
	}()
	if rig == virtualRig {
		r, err = openVirtualCalib(seed, &closing)
	} else {
		r, err = openRealCalib(ctx, rig, in, &closing, say)
	}
	if err != nil {
		return nil, nil, err
	}
	if err := r.cell.start(ctx, rig == virtualRig, &closing, say); err != nil {
		return nil, nil, err
	}
	return r, closing.close, nil
}

// The virtual camera that is calibrated: its lens bends, and is known, as a lens
// is after its own calibration; corners are found with an error of so many px in
// each direction.
var virtualLens = [5]float64{-0.12, 0.04, 0.0008, -0.0005, 0}

const (
	virtualCornerPx   = 0.3
	cornerNoiseStream = 0x636f726e
)

// virtualRecord is the record of the virtual rig before it is calibrated.
func virtualRecord() *calib.Record {
	base := calib.Nominal()
	base.Camera.Distortion = virtualLens
	return base
}

func openVirtualCalib(seed uint64, closing *closers) (*calibRig, error) {
	d, err := configs.LoadDemo("")
	if err != nil {
		return nil, err
	}
	d.Virtual.Seed, d.Virtual.Distortion = seed, virtualLens
	if err := fitRate(&d.Rig, &d); err != nil {
		return nil, err
	}
	rig, err := virtual.NewLockstep(d.Virtual)
	if err != nil {
		return nil, err
	}
	closing.add(rig.Close)
	r := &calibRig{base: virtualRecord(), hands: rig.World(), truth: rig.World().CameraTruth}
	if r.cell, err = openArm(d.Rig, r.base, rig.Port()); err != nil {
		return nil, err
	}
	r.cell.clock, r.cell.camera = rig.Clock().Now, rig.Camera()
	r.cell.runner = agent.NewLockstepRunner(r.cell.loop, agent.Lockstep{Clock: rig.Clock()})
	rng := rand.New(rand.NewPCG(seed, cornerNoiseStream))
	r.perturb = func(corners []target.Corner) {
		for i := range corners {
			corners[i].X += virtualCornerPx * rng.NormFloat64()
			corners[i].Y += virtualCornerPx * rng.NormFloat64()
		}
	}
	return r, nil
}

// openRealCalib opens the arm and the camera of a rig's file, in real time.
func openRealCalib(_ context.Context, path string, in io.Reader, closing *closers, say func(string)) (*calibRig, error) {
	cfg, err := configs.LoadRig(path)
	if err != nil {
		return nil, usageError{err}
	}
	r := &calibRig{hands: &boardHolder{in: bufio.NewReader(in), say: say}}
	if r.base, err = cfg.Calibration(); err != nil {
		return nil, usageError{err}
	}
	port, err := serial.Open(cfg.Serial)
	if err != nil {
		return nil, err
	}
	closing.add(port.Close)
	holds, err := inspectArm(dynamixel.NewBus(port, cfg.Bus), &cfg, r.base, say)
	if err != nil {
		return nil, err
	}
	if holds {
		return nil, errors.New("the arm holds by itself, as after a program that died: `twinrig agent` takes it over and parks it")
	}
	clock, err := agent.OpenClock()
	if err != nil {
		return nil, err
	}
	cam, err := camera.Open(cfg.Camera, clock.Now)
	if err != nil {
		return nil, err
	}
	closing.add(cam.Close)
	if r.cell, err = openArm(cfg, r.base, port); err != nil {
		return nil, err
	}
	r.cell.clock, r.cell.camera = clock.Now, cam
	r.cell.runner = agent.NewRunner(r.cell.loop, agent.Realtime{Clock: clock})
	dismiss, err := startGuardian(path)
	if err != nil {
		return nil, err
	}
	closing.add(dismiss)
	return r, nil
}

// boardHolder asks a person to move the board.
type boardHolder struct {
	in  *bufio.Reader
	say func(string)
}

// PutBoard implements hands: it waits for Enter.
func (p *boardHolder) PutBoard(where virtual.BoardPlace) error {
	what := map[virtual.BoardPlace]string{
		virtual.BoardInHand:  "fix the board to the hand, its face up, beyond the fingertips, so that it cannot move",
		virtual.BoardOnTable: "take the board from the hand and lay it flat on the table, face up, in front of the arm",
		virtual.BoardAway:    "take the board away",
	}[where]
	p.say(what + ", keep clear of the arm, then press Enter")
	if _, err := p.in.ReadString('\n'); err != nil {
		return fmt.Errorf("nobody pressed Enter: %w", err)
	}
	return nil
}
