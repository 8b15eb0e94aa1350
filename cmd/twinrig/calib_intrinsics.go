package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"twinrig/calib"
	"twinrig/calib/intrinsics"
	"twinrig/configs"
)

// defaultLimitPx is the mean reprojection distance over which a lens is not
// saved: a webcam that is sharp, before a flat board, stays under half of it.
const defaultLimitPx = 0.5

// intrinsicsFlags are the command line of `twinrig calib intrinsics`.
type intrinsicsFlags struct {
	boardFlags
	images, samples, camera, rig, size, out string
	limitPx                                 float64
	force, asJSON                           bool
}

func calibIntrinsicsCommand() *cobra.Command {
	var f intrinsicsFlags
	c := &cobra.Command{
		Use:   "intrinsics",
		Short: "Calibrate the camera's lens with a board",
		Long: `intrinsics solves focal lengths, principal point and distortion from views of a
board: from pictures (--images), from a camera that it watches (--camera, or
--rig for the rig's own), or again from kept samples alone (--samples).

From a camera it keeps a view by itself when the board is still, sharp and
somewhere new, and says what is missing. Ctrl-C stops it; with the same --samples
it goes on from there.

Views that do not fit the others are named and left out. Every view is checked
with a lens that was solved without it. mean_reprojection_px is the mean distance
between a corner and its reprojection; rms_reprojection_px is the root of the
mean square, which is what OpenCV prints. A result over the limit is saved only
with --force, and the record then says so.

The record is the rig's with the lens replaced, or without --rig the arm as
shipped with this lens.`,
		Example: "  twinrig calib intrinsics --images 'shots/*.jpg' --board 9x6 --square-mm 25 --json\n  twinrig calib intrinsics --camera /dev/video0 --board 9x6 --square-mm 25 --charuco --samples lens\n  twinrig calib intrinsics --samples lens",
		Args:    exactly(0, "no arguments; quote the pattern of --images"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return calibrateLens(cmd.Context(), &f, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f.add(c)
	c.Flags().StringVar(&f.images, "images", "", "pattern of picture files, in quotes")
	c.Flags().StringVar(&f.camera, "camera", "", "a camera to watch: a device, a URL of MJPEG, or a video file")
	c.Flags().StringVar(&f.rig, "rig", "", "the rig's file: its camera is watched if nothing else is named, its record is the base")
	c.Flags().StringVar(&f.size, "size", "640x480", "the size that is asked of --camera, in pixels")
	c.Flags().StringVar(&f.samples, "samples", "", "folder of the samples; what is there counts too (default in --out)")
	c.Flags().StringVar(&f.out, "out", "", "folder of the record and the report (default calibrations/intrinsics-DATE-TIME)")
	c.Flags().Float64Var(&f.limitPx, "limit-px", defaultLimitPx, "largest mean reprojection distance, fitted and held out, that is saved")
	c.Flags().BoolVar(&f.force, "force", false, "save a result over its limit all the same; the record says so")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON object")
	return c
}

// check says what is wrong with the flags before anything is opened.
func (f *intrinsicsFlags) check() error {
	switch {
	case f.images != "" && f.camera != "":
		return errors.New("--images and --camera: name one of them")
	case f.images == "" && f.camera == "" && f.rig == "" && f.samples == "":
		return errors.New("nothing to look at: give --images, --camera, --rig or --samples")
	case !(f.limitPx > 0 && f.limitPx <= 10):
		return fmt.Errorf("--limit-px: %g is outside 0 to 10", f.limitPx)
	}
	return nil
}

// onlySamples says that nothing new is looked at.
func (f *intrinsicsFlags) onlySamples() bool {
	return f.images == "" && f.camera == "" && f.samples != ""
}

// calibrateLens collects, solves, saves and reports.
func calibrateLens(ctx context.Context, f *intrinsicsFlags, stdout, stderr io.Writer) error {
	if err := f.check(); err != nil {
		return usageError{err}
	}
	now := time.Now()
	if f.out == "" {
		f.out = filepath.Join("calibrations", "intrinsics-"+now.Format("20060102-150405"))
	}
	base, rig, err := f.base()
	if err != nil {
		return usageError{err}
	}
	if _, err := os.Stat(filepath.Join(f.out, recordFile)); err == nil {
		return usageError{fmt.Errorf("%s has a record already, and a record is never replaced: give another --out", f.out)}
	}
	samples, dropped, err := f.collect(ctx, rig, stderr)
	if err != nil {
		return err
	}
	r, err := intrinsics.Solve(samples)
	r.Dropped = append(dropped, r.Dropped...)
	if err != nil {
		return fmt.Errorf("calib intrinsics: %w%s", err, intrinsics.Names(dropped))
	}
	if rig != nil && (rig.Camera.Width != r.WidthPx || rig.Camera.Height != r.HeightPx) {
		return usageError{fmt.Errorf("the views have %d x %d pixels, the rig's camera %d x %d: calibrate at the size that the rig uses", r.WidthPx, r.HeightPx, rig.Camera.Width, rig.Camera.Height)}
	}
	run := lensRun{flags: f, result: r, record: base, now: now.UTC().Truncate(time.Second)}
	saveErr := run.save()
	if err := run.report(saveErr); err != nil {
		return err
	}
	if err := run.print(stdout); err != nil {
		return err
	}
	return saveErr
}

// base is the record that the lens goes into, and the rig if one is named.
func (f *intrinsicsFlags) base() (*calib.Record, *configs.Rig, error) {
	if f.rig == "" {
		return calib.Nominal(), nil, nil
	}
	rig, err := configs.LoadRig(f.rig)
	if err != nil {
		return nil, nil, err
	}
	rec, err := rig.Calibration()
	return rec, &rig, err
}
