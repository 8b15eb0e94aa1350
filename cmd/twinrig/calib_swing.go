package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"twinrig"
	"twinrig/agent"
	"twinrig/calib/extrinsics"
	"twinrig/calib/target"
)

// How the board is swung before the camera, to find the camera's timing.
const (
	// swingReach is how far the waist goes to either side, rad, and swings how
	// often from side to side.
	swingReach = 0.1
	swings     = 4
	// swingEvery is the time between frames that are kept.
	swingEvery = 40 * time.Millisecond
	// swingEnd is how near the end of a swing the next one begins, rad.
	swingEnd = 0.02
)

// swing takes the joints and the pictures of a board that swings, at a view that
// was taken. Without a place for it, it says so.
func (t *tour) swing(ctx context.Context, s *shooter, d *target.Detector, r *room, plan *extrinsics.Plan) error {
	if _, err := os.Stat(filepath.Join(t.dir, extrinsics.SwingFile)); err == nil {
		return nil
	}
	at, ok, err := t.swingPlace(r, plan)
	if err != nil {
		return err
	}
	if !ok {
		t.say("no view in which the board can swing: the camera's timing stays unknown")
		return nil
	}
	if err := t.cell.runner.MoveTo(ctx, handOver, shotGrip, shotTolerance); err != nil {
		return err
	}
	if err := t.cell.runner.MoveTo(ctx, at, shotGrip, shotTolerance); err != nil {
		return err
	}
	film := swingFilm{camera: t.cell.camera}
	for i := range swings {
		q := at
		q[twinrig.Waist] += swingReach * float64(1-2*(i%2))
		arrived := agent.Arrived(q, swingEnd)
		// A swing that comes to rest a little beside its end will do.
		if _, err := t.cell.runner.Run(ctx, agent.NewMove(q, shotGrip, t.cell.cfg.Loop.Motion.Move), func(rep *twinrig.Report) bool {
			film.expose(rep)
			return arrived(rep)
		}, 2*time.Second); err != nil {
			return err
		}
	}
	swing := extrinsics.Swing{Board: t.board, Track: film.track}
	for i := range film.frames {
		p := target.FromFrame(&film.frames[i])
		seen, err := d.Detect(&p)
		switch {
		case errors.Is(err, target.ErrNoBoard), errors.Is(err, target.ErrWrongBoard):
			continue // blurred or cut: the others tell
		case err != nil:
			return err
		}
		if s.perturb != nil {
			s.perturb(seen.Corners)
		}
		swing.HeightPx = p.H
		swing.Frames = append(swing.Frames, extrinsics.SwingFrame{At: film.frames[i].Stamp.Seconds(), Corners: seen.Corners})
	}
	t.say(fmt.Sprintf("the board swung in %d pictures of %d", len(swing.Frames), len(film.frames)))
	if len(swing.Frames) == 0 {
		return nil
	}
	return swing.Write(t.dir)
}

// swingPlace is a view from which the board may swing and stay in view.
func (t *tour) swingPlace(r *room, plan *extrinsics.Plan) (twinrig.Joints, bool, error) {
	samples, err := extrinsics.ReadSamples(t.dir)
	if err != nil {
		return twinrig.Joints{}, false, err
	}
	for i := range samples {
		q := samples[i].Joints
		left, right := q, q
		left[twinrig.Waist] += swingReach
		right[twinrig.Waist] -= swingReach
		if samples[i].Where == extrinsics.InHand && plan.Sees(left) && plan.Sees(right) &&
			r.open(q, handOver) == nil && r.way(left, right) {
			return q, true, nil
		}
	}
	return twinrig.Joints{}, false, nil
}

// swingFilm keeps readings, and frames as they come.
type swingFilm struct {
	camera twinrig.Camera
	track  []extrinsics.Reading
	frames []twinrig.Frame
	next   time.Duration
}

func (f *swingFilm) expose(r *twinrig.Report) {
	f.track = append(f.track, extrinsics.Reading{At: r.State.Stamp.Seconds(), Joints: r.State.Measured})
	if r.Now < f.next {
		return
	}
	f.next = r.Now + swingEvery
	var frame twinrig.Frame
	if f.camera.Latest(&frame) != nil {
		return // the next one will do
	}
	if n := len(f.frames); n == 0 || f.frames[n-1].Seq != frame.Seq {
		f.frames = append(f.frames, frame)
	}
}
