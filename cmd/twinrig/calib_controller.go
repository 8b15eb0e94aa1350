package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"twinrig/calib/controller"
	"twinrig/sim/mirror"
)

// controllerFlags are the command line of `twinrig calib controller`.
type controllerFlags struct {
	segments    string
	folds       int
	generations int
	seed        uint64
	asJSON      bool
}

func calibControllerCommand() *cobra.Command {
	var f controllerFlags
	c := &cobra.Command{
		Use:   "controller",
		Short: "Fit the mirror's model to how an arm moved, and check it on held-out motion",
		Long: `controller --segments fits the mirror to recorded motion of a real WidowX (a file
as for replay): the delay and length of its moves, how far it hangs below its
goals, its servos' stiffness and damping, and friction. Each segment is replayed
open loop by a model that was fitted without it; "after" is the gap of those
replays. Nothing is fitted to single segments. The search is CMA-ES over
parallel MuJoCo rollouts and takes minutes; the same seed gives the same result.`,
		Example: "  twinrig calib controller --segments segments.jsonl --folds 5 --json",
		Args:    exactly(0, "no arguments; name the recorded motion with --segments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return calibrateController(cmd.Context(), &f, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	c.Flags().StringVar(&f.segments, "segments", "", "file of recorded segments, one JSON object a line")
	c.Flags().IntVar(&f.folds, "folds", 5, "parts of the segments that are held out in turn")
	c.Flags().IntVar(&f.generations, "generations", 25, "how long to search: generations of CMA-ES for each fold")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of the search")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON object")
	return c
}

// controllerPrior is how strongly parameters are held to their nominal values: a
// parameter that is one spread off costs as much as a loss of 2 %.
const controllerPrior = 0.02

func calibrateController(ctx context.Context, f *controllerFlags, stdout, stderr io.Writer) error {
	switch {
	case f.segments == "":
		return usageError{errors.New("--segments is needed: a file of recorded motion, as for twinrig replay")}
	case f.generations < 1 || f.generations > 1000:
		return usageError{fmt.Errorf("--generations: %d is outside 1 to 1000", f.generations)}
	}
	raw, err := mirror.ReadBridge(f.segments)
	if err != nil {
		return usageError{err}
	}
	if f.folds < 2 || f.folds > len(raw) {
		return usageError{fmt.Errorf("--folds: %d is outside 2 to %d, the number of segments", f.folds, len(raw))}
	}
	segments := make([]mirror.Segment, len(raw))
	for i := range raw {
		segments[i] = waypoints(&raw[i])
	}
	s := controller.Search{Generations: f.generations, Prior: controllerPrior, Seed: f.seed}
	fit, err := controller.FitSegments(ctx, segments, f.folds, s, func(done, all int) {
		fmt.Fprintf(stderr, "fitted %d of %d\n", done, all)
	})
	if err != nil {
		return fmt.Errorf("calib controller: %w", err)
	}
	if f.asJSON {
		return json.NewEncoder(stdout).Encode(segmentFitJSON(fit))
	}
	return printSegmentFit(stdout, fit)
}

// gapJSON is a pooled gap, simplerJSON the losses by SimplerEnv's formula,
// leftJSON what patterns there are in what is left, foldJSON a fold and
// controllerJSON the command's JSON.
type (
	gapJSON struct {
		PositionRMSMM  float64 `json:"position_rms_mm"`
		RotationRMSDeg float64 `json:"rotation_rms_deg"`
	}
	simplerJSON struct {
		Before float64 `json:"before"`
		After  float64 `json:"after"`
	}
	leftJSON struct {
		ConstantMM float64    `json:"constant_within_a_segment_rms_mm"`
		VaryingMM  float64    `json:"varying_rms_mm"`
		AxesMM     [3]float64 `json:"xyz_rms_mm"`
		MeanMM     [3]float64 `json:"xyz_mean_mm"`
		BestLagMS  float64    `json:"best_lag_ms"`
		LaggedMM   float64    `json:"position_rms_at_best_lag_mm"`
		TimingMM   float64    `json:"moved_in_10_ms_rms_mm"`
	}
	foldJSON struct {
		Fold       int                `json:"fold"`
		HeldOut    []string           `json:"held_out"`
		Before     gapJSON            `json:"before"`
		After      gapJSON            `json:"after"`
		Fitted     gapJSON            `json:"fitted"`
		Simpler    simplerJSON        `json:"loss_simpler"`
		Parameters map[string]float64 `json:"parameters"`
	}
	controllerJSON struct {
		Before     gapJSON            `json:"before"`
		After      gapJSON            `json:"after"`
		Folds      []foldJSON         `json:"folds"`
		Simpler    simplerJSON        `json:"loss_simpler"`
		Left       leftJSON           `json:"left"`
		Parameters map[string]float64 `json:"parameters"`
		Segments   int                `json:"segments"`
		States     int                `json:"states"`
	}
)

func gapToJSON(g *controller.Gap) gapJSON { return gapJSON{g.Position * mm, g.Rotation * deg} }

func named(f *controller.SegmentFit, v []float64) map[string]float64 {
	out := map[string]float64{}
	for i := range f.Params {
		out[f.Params[i].Name] = v[i]
	}
	return out
}

func segmentFitJSON(f *controller.SegmentFit) controllerJSON {
	l := &f.Left
	out := controllerJSON{
		Before: gapToJSON(&f.Before), After: gapToJSON(&f.After),
		Simpler:    simplerJSON{f.Before.Simpler, f.After.Simpler},
		Parameters: named(f, f.Values), Segments: len(f.ReplayedAfter), States: f.After.States,
		Left: leftJSON{
			ConstantMM: l.Constant * mm, VaryingMM: l.Varying * mm, AxesMM: l.Axes.Scale(mm), MeanMM: l.Mean.Scale(mm),
			BestLagMS: l.Lag.Seconds() * 1000, LaggedMM: l.Lagged * mm, TimingMM: l.Timing * mm,
		},
	}
	for i := range f.Folds {
		k := &f.Folds[i]
		out.Folds = append(out.Folds, foldJSON{
			Fold: i + 1, HeldOut: k.HeldOut,
			Before: gapToJSON(&k.Before), After: gapToJSON(&k.After), Fitted: gapToJSON(&k.Fitted),
			Simpler:    simplerJSON{k.Before.Simpler, k.After.Simpler},
			Parameters: named(f, k.Values),
		})
	}
	return out
}

func printSegmentFit(w io.Writer, f *controller.SegmentFit) error {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header, t.Style().Format.Footer = text.FormatDefault, text.FormatDefault
	t.SetTitle("Recorded motion against the mirror: real arm, held-out segments")
	t.AppendHeader(table.Row{"fold", "segments", "position before\nRMS, mm", "after\nmm", "rotation before\nRMS, deg", "after\ndeg", "SimplerEnv's loss\nbefore", "after"})
	row := func(name string, n int, before, after *controller.Gap) table.Row {
		return table.Row{
			name, n, fmt.Sprintf("%.1f", before.Position*mm), fmt.Sprintf("%.1f", after.Position*mm),
			fmt.Sprintf("%.2f", before.Rotation*deg), fmt.Sprintf("%.2f", after.Rotation*deg),
			fmt.Sprintf("%.4f", before.Simpler), fmt.Sprintf("%.4f", after.Simpler),
		}
	}
	for i := range f.Folds {
		k := &f.Folds[i]
		t.AppendRow(row(fmt.Sprint(i+1), len(k.HeldOut), &k.Before, &k.After))
	}
	t.AppendFooter(row("all", len(f.ReplayedAfter), &f.Before, &f.After))
	t.Render()
	_, err := fmt.Fprintln(w, "Fitted to all segments:")
	for i := range f.Params {
		_, e := fmt.Fprintf(w, "  %-26s %8.3f  (nominal %g)\n", f.Params[i].Name, f.Values[i], f.Params[i].Nominal)
		err = errors.Join(err, e)
	}
	l := &f.Left
	_, e := fmt.Fprintf(w, "Left: %.1f mm is constant within a segment, %.1f mm varies; x %.1f, y %.1f, z %.1f mm. Read %v later: %.1f mm. The hand moves %.1f mm in %v.\n",
		l.Constant*mm, l.Varying*mm, l.Axes[0]*mm, l.Axes[1]*mm, l.Axes[2]*mm, l.Lag, l.Lagged*mm, l.Timing*mm, controller.Jitter)
	return errors.Join(err, e)
}
