package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"time"

	"twinrig"
	"twinrig/agent"
	"twinrig/calib/extrinsics"
	"twinrig/calib/intrinsics"
	"twinrig/calib/target"
)

// How a view of the board is taken.
const (
	// shotTolerance is how near the planned pose is near enough, rad: it is
	// measured anyway.
	shotTolerance = 0.04
	// shotSettle is how long the arm stands before the picture that counts.
	shotSettle = 400 * time.Millisecond
	// shotWindow is the time to either side of the exposure whose joint readings
	// count: several control cycles, and less than the arm has stood.
	shotWindow = 100 * time.Millisecond
	// shotPatience is how long a picture from after the settling is waited for.
	shotPatience = 3 * time.Second
	// shotGrip is how far the gripper is open: it holds nothing but the board.
	shotGrip = 0.5
)

// shooter takes pictures with the joints at their exposure.
type shooter struct {
	cell *cell
	// perturb, if any, changes what was detected: the virtual rig's detector
	// errs as a real one does.
	perturb func([]target.Corner)
	dir     string // where pictures and samples go
}

// shotTaken is a picture of an arm that stands.
type shotTaken struct {
	frame  twinrig.Frame
	joints twinrig.Joints
	spread float64
	grip   twinrig.Grip
}

// at goes to q and takes a picture there.
func (s *shooter) at(ctx context.Context, q twinrig.Joints) (*shotTaken, error) {
	if err := s.cell.runner.MoveTo(ctx, q, shotGrip, shotTolerance); err != nil {
		return nil, err
	}
	return s.here(ctx)
}

// here takes a picture of the arm where it stands.
func (s *shooter) here(ctx context.Context) (*shotTaken, error) {
	type reading struct {
		at time.Duration
		q  twinrig.Joints
	}
	var readings []reading
	var shot shotTaken
	var began, took time.Duration
	var lookErr error
	_, err := s.cell.runner.Run(ctx, agent.Hold{}, func(r *twinrig.Report) bool {
		if began == 0 {
			began = r.Now
		}
		shot.grip = r.State.Grip
		readings = append(readings, reading{r.State.Stamp, r.State.Measured})
		if took == 0 && r.Now-began >= shotSettle {
			// A picture is drawn when it is asked for, or comes when it comes.
			if lookErr = s.cell.camera.Latest(&shot.frame); lookErr == nil && shot.frame.Stamp >= began+shotSettle-shotWindow {
				took = shot.frame.Stamp
			}
		}
		return took != 0 && r.Now > took+shotWindow
	}, shotSettle+shotPatience)
	switch {
	case err != nil:
		return nil, err
	case took == 0 && lookErr != nil:
		return nil, fmt.Errorf("camera: %w", lookErr)
	case took == 0:
		return nil, fmt.Errorf("camera: no picture within %v of the arm standing still", shotPatience)
	}
	var n float64
	for _, r := range readings {
		if (r.at - took).Abs() <= shotWindow {
			shot.joints = shot.joints.Add(r.q)
			n++
		}
	}
	if n == 0 {
		return nil, errors.New("no joint reading within 100 ms of the picture")
	}
	shot.joints = shot.joints.Scale(1 / n)
	for _, r := range readings {
		if (r.at - took).Abs() <= shotWindow {
			shot.spread = math.Max(shot.spread, r.q.Sub(shot.joints).MaxAbs())
		}
	}
	return &shot, nil
}

// sample detects the board in a shot and keeps both.
func (s *shooter) sample(d *target.Detector, b target.Board, name, where string, shot *shotTaken) (extrinsics.Sample, error) {
	data, err := pngOf(&shot.frame)
	if err != nil {
		return extrinsics.Sample{}, err
	}
	view, err := intrinsics.NewSample(d, b, name, data)
	if err != nil {
		// Kept for a look at why.
		return extrinsics.Sample{}, errors.Join(err, os.WriteFile(filepath.Join(s.dir, "without-"+name), data, 0o644))
	}
	if s.perturb != nil {
		s.perturb(view.Corners)
	}
	if err := os.WriteFile(filepath.Join(s.dir, name), data, 0o644); err != nil {
		return extrinsics.Sample{}, fmt.Errorf("calib: %w", err)
	}
	out := extrinsics.NewSample(where, shot.joints, shot.spread, shot.grip, view)
	return out, out.Write(s.dir)
}

// pngOf is a frame as a PNG file's content.
func pngOf(f *twinrig.Frame) ([]byte, error) {
	m := image.NewRGBA(image.Rect(0, 0, f.W, f.H))
	for i := range f.W * f.H {
		m.SetRGBA(i%f.W, i/f.W, color.RGBA{f.RGB[3*i], f.RGB[3*i+1], f.RGB[3*i+2], 255})
	}
	var b bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := enc.Encode(&b, m); err != nil {
		return nil, fmt.Errorf("calib: %w", err)
	}
	return b.Bytes(), nil
}
