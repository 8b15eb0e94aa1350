package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"twinrig/calib"
	"twinrig/calib/ghost"
)

// What tells that the camera moved.
const (
	// checkShiftPx is by how far the ghosts fit better elsewhere, if they fit
	// better by checkGain.
	checkShiftPx, checkGain = 3, 0.01
	// checkDrop is how far below the calibration's own IoU today's may be;
	// checkLeast is what it must be where the record has none.
	checkDrop, checkLeast = 0.05, 0.75
)

// ghostResidual is the name under which a record keeps one less the IoU of its
// calibration.
const ghostResidual = "ghost_mismatch_share"

// checkFlags are the command line of `twinrig calib check`.
type checkFlags struct {
	rig, record, out string
	seed             uint64
	asJSON           bool
}

func calibCheckCommand() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check",
		Short: "Look whether the camera is still where its calibration has it: a minute, no board",
		Long: `check takes the arm to a few places in view, draws the model at the measured joints
as the calibrated camera should see it (the ghost), and compares its silhouette
with the arm in the pictures. It says how well they agree (IoU) and whether the
camera moved, and by how many pixels. Nothing else may move meanwhile. It is made
for every morning. Its exit code is 1 if the camera moved.`,
		Example: "  twinrig calib check --rig rig.yaml\n  twinrig calib check --rig virtual --calib calibrations/extrinsics-1/calib.yaml --json",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return checkCamera(cmd.Context(), &f, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	c.Flags().StringVar(&f.rig, "rig", "", "the rig's file, or virtual")
	c.Flags().StringVar(&f.record, "calib", "", "a record instead of the rig's own")
	c.Flags().StringVar(&f.out, "out", "", "folder for the pictures with the ghost drawn over (default calibrations/check-DATE-TIME)")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of the virtual rig's hidden differences")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON object")
	return c
}

// checkFile is the command's JSON in its folder.
const checkFile = "check.json"

// lastCheck is the newest check under dir, nil if there is none.
func lastCheck(dir string) (*checkJSON, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*", checkFile))
	if err != nil {
		return nil, err
	}
	var newest *checkJSON
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var c checkJSON
		if err := json.Unmarshal(text, &c); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if newest == nil || c.Date.After(newest.Date) {
			newest = &c
		}
	}
	return newest, nil
}

// errCameraMoved is what a check ends with that found it moved.
var errCameraMoved = errors.New("the camera moved")

// checkJSON is the command's JSON.
type checkJSON struct {
	Date time.Time `json:"date"`
	IoU  float64   `json:"iou"`
	Each []float64 `json:"each"`
	// CalibrationIoU is what the calibration had, null where it kept none.
	CalibrationIoU *float64 `json:"calibration_iou"`
	ShiftPx        [2]int   `json:"shift_px"`
	ShiftDeg       float64  `json:"shift_deg"`
	BestIoU        float64  `json:"best_iou"`
	Least          float64  `json:"limit_iou"`
	LimitPx        float64  `json:"limit_px"`
	Moved          bool     `json:"moved"`
	Verdict        string   `json:"verdict"`
	Pictures       string   `json:"pictures"`
}

func checkCamera(ctx context.Context, f *checkFlags, in io.Reader, stdout, stderr io.Writer) error {
	if f.rig == "" {
		return usageError{errors.New("--rig is needed: a rig's file, or virtual")}
	}
	var record *calib.Record
	if f.record != "" {
		var err error
		if record, err = calib.Load(f.record); err != nil {
			return usageError{err}
		}
	}
	if f.out == "" {
		f.out = filepath.Join("calibrations", "check-"+time.Now().Format("20060102-150405"))
	}
	say := newProgress(stderr, f.asJSON).say
	rig, closeAll, err := openCalib(ctx, f.rig, f.seed, in, say)
	if err != nil {
		return err
	}
	if record != nil {
		rig.base = record
	}
	pictures, err := rig.lookAtArm(ctx, say)
	if err = errors.Join(err, closeAll()); err != nil {
		return fmt.Errorf("calib check: %w", err)
	}
	c, err := ghost.Compare(pictures)
	if err != nil {
		return fmt.Errorf("calib check: %w", err)
	}
	out := judgeGhost(c, rig.base)
	out.Pictures = f.out
	if err := saveOverlays(f.out, c); err != nil {
		return err
	}
	out.Date = time.Now().UTC().Truncate(time.Second)
	text, err := json.Marshal(out)
	if err != nil {
		return fmt.Errorf("calib check: %w", err)
	}
	text = append(text, '\n')
	if err := os.WriteFile(filepath.Join(f.out, checkFile), text, 0o644); err != nil {
		return fmt.Errorf("calib check: %w", err)
	}
	if f.asJSON {
		_, err = stdout.Write(text)
	} else {
		_, err = fmt.Fprintf(stdout, "%s\nSilhouettes agree to an IoU of %.3f (limit %.3f); %.3f when moved by %d, %d px. Pictures: %s\n", out.Verdict, out.IoU, out.Least, out.BestIoU, out.ShiftPx[0], out.ShiftPx[1], f.out)
	}
	if out.Moved {
		return errors.Join(err, fmt.Errorf("calib check: %w: %s", errCameraMoved, out.Verdict))
	}
	return err
}

// judgeGhost says what a comparison means beside the record's own.
func judgeGhost(c *ghost.Comparison, rec *calib.Record) checkJSON {
	out := checkJSON{IoU: c.IoU, Each: c.Each, ShiftPx: c.Shift, BestIoU: c.Best, Least: checkLeast, LimitPx: checkShiftPx}
	if miss, ok := rec.Measured["extrinsics"].Residuals[ghostResidual]; ok {
		then := 1 - miss
		out.CalibrationIoU, out.Least = &then, then-checkDrop
	}
	shift := math.Hypot(float64(c.Shift[0]), float64(c.Shift[1]))
	out.ShiftDeg = math.Atan(shift/rec.Camera.FxPx) * deg
	switch {
	case shift > checkShiftPx && c.Best-c.IoU > checkGain:
		out.Moved = true
		out.Verdict = fmt.Sprintf("The camera moved, or was never calibrated: the arm is %.0f px (%.2f deg, if it was turned) from where its calibration has it. Run `twinrig calib extrinsics`.", shift, out.ShiftDeg)
	case c.IoU < out.Least:
		out.Moved = true
		out.Verdict = "The arm is not where the calibrated camera should see it, and no shift mends it: the camera was moved or turned about its axis, the lens was changed, a joint's zero is off, or something else moved or hid the arm. Look at the pictures; if the scene was clear, run `twinrig calib extrinsics`."
	default:
		out.Verdict = "The camera is where its calibration has it."
	}
	return out
}

// saveOverlays writes the pictures with arm and ghost drawn over.
func saveOverlays(dir string, c *ghost.Comparison) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("calib check: %w", err)
	}
	for i := range c.Each {
		f := c.Overlay(i)
		data, err := pngOf(&f)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("ghost%d.png", i)), data, 0o644); err != nil {
			return fmt.Errorf("calib check: %w", err)
		}
	}
	return nil
}
