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

	"twinrig"
	"twinrig/calib"
	"twinrig/calib/extrinsics"
	"twinrig/calib/ghost"
	"twinrig/calib/intrinsics"
	"twinrig/calib/target"
	"twinrig/configs"
	"twinrig/sim/virtual"
)

// The limits over which a camera's pose is not saved. A webcam half a metre from
// an arm with a tenth of a degree of play sees its board 1 px off.
const (
	defaultPoseLimitPx  = 3
	defaultTableLimitMM = 5
	defaultViews        = 24
)

// poseFlags are the command line of `twinrig calib extrinsics`.
type poseFlags struct {
	boardFlags
	rig, samples, out string
	seed              uint64
	views             int
	noTable           bool
	thickMM           float64
	limitPx           float64
	limitMM           float64
	force, asJSON     bool
}

func calibExtrinsicsCommand() *cobra.Command {
	var f poseFlags
	c := &cobra.Command{
		Use:   "extrinsics",
		Short: "Find where the camera stands in the arm's base, with a board in the hand",
		Long: `extrinsics drives the arm, within the guard's limits, to poses at which the camera
sees a board that is fixed to the hand, and solves where the camera stands. The
board is held beyond the fingertips, flat with the hand and face up; how exactly
is found out. The poses are those that together say most. At one of them the
board swings, which tells how old pictures are and how rolling the shutter is.
Then the board may lie on the table once, which tells how far the table is from the base's z = 0.

The lens must be calibrated first (calib intrinsics): it is taken from the rig's
record, and so is roughly where the camera stands. --rig virtual calibrates the
virtual rig and prints how far the result is from the truth. --samples alone
solves again; with --rig it goes on where it was interrupted.

Every view is checked with a solution that it had no part in. Sets that are wrong
as a whole are refused by name: a moved camera, a bumped arm, a board that slipped
or has another size, mirrored pictures, inverted poses, motion about one axis.`,
		Example: "  twinrig calib extrinsics --rig rig.yaml --board 7x6 --square-mm 14 --samples cam\n  twinrig calib extrinsics --samples cam --rig rig.yaml\n  twinrig calib extrinsics --rig virtual --seed 3 --json",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return calibratePose(cmd.Context(), &f, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f.add(c)
	c.Flags().StringVar(&f.rig, "rig", "", "the rig's file, or virtual")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of the poses, and of the virtual rig's hidden differences")
	c.Flags().StringVar(&f.samples, "samples", "", "folder of the samples; what is there counts too (default in --out)")
	c.Flags().StringVar(&f.out, "out", "", "folder of the record and the report (default calibrations/extrinsics-DATE-TIME)")
	c.Flags().IntVar(&f.views, "views", defaultViews, "how many views to take")
	c.Flags().BoolVar(&f.noTable, "no-table", false, "do not ask for the board on the table")
	c.Flags().Float64Var(&f.thickMM, "thickness-mm", 1000*virtual.BoardThickM, "how thick the board is, for when it lies on the table")
	c.Flags().Float64Var(&f.limitPx, "limit-px", defaultPoseLimitPx, "largest mean reprojection, fitted and held out, that is saved")
	c.Flags().Float64Var(&f.limitMM, "limit-mm", defaultTableLimitMM, "largest RMS distance of the table from z = 0 that is saved")
	c.Flags().BoolVar(&f.force, "force", false, "save a result that is over a limit; the record says so")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON object")
	return c
}

func (f *poseFlags) check() error {
	switch {
	case f.rig == "" && f.samples == "":
		return errors.New("--rig is needed: a rig's file, or virtual")
	case f.views < extrinsics.MinViews || f.views > 200:
		return fmt.Errorf("--views: %d is outside %d to 200", f.views, extrinsics.MinViews)
	case !(f.limitPx > 0 && f.limitPx <= 100):
		return fmt.Errorf("--limit-px: %g is outside 0 to 100", f.limitPx)
	case !(f.limitMM > 0 && f.limitMM <= 100):
		return fmt.Errorf("--limit-mm: %g is outside 0 to 100", f.limitMM)
	case !(f.thickMM >= 0 && f.thickMM <= 50):
		return fmt.Errorf("--thickness-mm: %g is outside 0 to 50", f.thickMM)
	}
	return nil
}

// theBoard is the one on the command line, or the virtual rig's own.
func (f *poseFlags) theBoard() (target.Board, error) {
	if f.rig == virtualRig && f.corners == "" && f.squareMM == 0 {
		return target.NewChessboard(virtual.BoardCols, virtual.BoardRows, virtual.BoardSquareM)
	}
	return f.board()
}

// calibratePose collects, solves, saves and reports.
func calibratePose(ctx context.Context, f *poseFlags, in io.Reader, stdout, stderr io.Writer) error {
	if err := f.check(); err != nil {
		return usageError{err}
	}
	now := time.Now()
	if f.out == "" {
		f.out = filepath.Join("calibrations", "extrinsics-"+now.Format("20060102-150405"))
	}
	if _, err := os.Stat(filepath.Join(f.out, recordFile)); err == nil {
		return usageError{fmt.Errorf("%s has a record already, and a record is never replaced: give another --out", f.out)}
	}
	run := poseRun{flags: f, now: now.UTC().Truncate(time.Second)}
	samples, err := run.collect(ctx, in, newProgress(stderr, f.asJSON).say)
	if err != nil {
		return err
	}
	o := extrinsics.DefaultOptions()
	o.BoardThickness = f.thickMM / 1000
	lens := intrinsics.LensOf(&run.record.Camera)
	if run.result, err = extrinsics.Solve(samples, lens, o); err != nil {
		return fmt.Errorf("calib extrinsics: nothing saved: %w", err)
	}
	if r := run.result; r.WidthPx != run.record.Camera.WidthPx || r.HeightPx != run.record.Camera.HeightPx {
		return fmt.Errorf("calib extrinsics: nothing saved: the views have %d x %d pixels, the lens was calibrated at %d x %d", r.WidthPx, r.HeightPx, run.record.Camera.WidthPx, run.record.Camera.HeightPx)
	}
	if err := run.timing(lens); err != nil {
		// The result stands without it.
		run.result.Warnings = append(run.result.Warnings, "the camera's timing stays unknown: "+err.Error())
	}
	run.before = run.record.Camera.BaseFromCamera.Pose()
	run.warnInverted()
	run.record.Camera.BaseFromCamera = calib.PoseOf(run.result.BaseFromCamera)
	if run.ghost, err = ghosts(run.dir, run.result, &run.record.Camera); err != nil {
		// The result stands without it.
		run.result.Warnings = append(run.result.Warnings, "no comparison with the ghost: "+err.Error())
	}
	saveErr := run.save()
	if err := run.report(saveErr); err != nil {
		return err
	}
	if err := run.print(stdout); err != nil {
		return err
	}
	return saveErr
}

// How near the inverse of what the record had the result must be for the record to
// have been inverted.
const (
	invertedM   = 0.1
	invertedRad = 15 / deg
)

// warnInverted tells when the record had the base in the camera where the camera
// in the base is wanted, as other software writes it.
func (r *poseRun) warnInverted() {
	dist, angle := r.result.BaseFromCamera.Gap(r.before.Inv())
	if was, wasAngle := r.result.BaseFromCamera.Gap(r.before); dist < invertedM && angle < invertedRad && (was > invertedM || wasAngle > invertedRad) {
		r.result.Warnings = append(r.result.Warnings, fmt.Sprintf("the record had the camera's pose inverted: the result is %.0f mm and %.1f deg from the inverse of what it had", 1000*dist, angle*deg))
	}
}

// timing finds the camera's from the swing, if there is one.
func (r *poseRun) timing(lens intrinsics.Lens) error {
	swing, err := extrinsics.ReadSwing(r.dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	r.result.Timing, err = swing.Timing(lens, r.result)
	return err
}

// collect takes the views that are missing and returns all.
func (r *poseRun) collect(ctx context.Context, in io.Reader, say func(string)) ([]extrinsics.Sample, error) {
	f := r.flags
	r.dir = f.samples
	if r.dir == "" {
		r.dir = filepath.Join(f.out, "samples")
	}
	if f.samples != "" && f.corners == "" && f.squareMM == 0 && f.rig != virtualRig {
		return r.again()
	}
	b, err := f.theBoard()
	if err != nil {
		return nil, err
	}
	if f.rig == "" {
		return nil, usageError{errors.New("--rig is needed: a rig's file, or virtual")}
	}
	if err := os.MkdirAll(r.dir, 0o755); err != nil {
		return nil, usageError{err}
	}
	rig, closeAll, err := openCalib(ctx, f.rig, f.seed, in, say)
	if err != nil {
		return nil, err
	}
	r.record = rig.base
	if rig.truth != nil {
		truth := rig.truth()
		r.truth = &truth
	}
	t := tour{calibRig: rig, board: b, flags: f, dir: r.dir, say: say}
	if err := errors.Join(t.run(ctx), closeAll()); err != nil {
		return nil, fmt.Errorf("calib extrinsics: go on with --samples %s: %w", r.dir, err)
	}
	return extrinsics.ReadSamples(r.dir)
}

// again reads the samples that are there, and the record that they go with.
func (r *poseRun) again() ([]extrinsics.Sample, error) {
	r.record = calib.Nominal()
	if r.flags.rig != "" {
		rig, err := configs.LoadRig(r.flags.rig)
		if err != nil {
			return nil, usageError{err}
		}
		if r.record, err = rig.Calibration(); err != nil {
			return nil, usageError{err}
		}
	}
	samples, err := extrinsics.ReadSamples(r.dir)
	if err != nil {
		return nil, usageError{err}
	}
	if len(samples) == 0 {
		return nil, usageError{fmt.Errorf("%s has no samples: give --board and --square-mm to take some", r.dir)}
	}
	return samples, nil
}

// poseRun is a solved camera's pose on its way into a record.
type poseRun struct {
	flags  *poseFlags
	result *extrinsics.Result
	record *calib.Record
	before twinrig.Pose // xBC in the record that it began from
	truth  *twinrig.Pose
	ghost  *ghost.Comparison // nil where pictures are missing
	dir    string
	now    time.Time
	saved  string
}
