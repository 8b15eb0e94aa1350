package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"twinrig"
	"twinrig/policy"
	"twinrig/sim"
	"twinrig/sim/mirror"
)

func replayCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "replay FILE",
		Short: "Run recorded motion through the mirror and print the gap",
		Long: `replay reads recorded motion of a real WidowX 250 (one JSON segment a line, in
BridgeData V2's conventions: 5 Hz, state and action of seven numbers), starts
the mirror at each segment's first state, applies the recorded actions, and
prints how far the simulated arm ends up from the recorded one. Nothing is
fitted to the recording.`,
		Example: "  twinrig replay segments.jsonl\n  twinrig replay segments.jsonl --json",
		Args:    exactly(1, "one file of recorded segments"),
		RunE: func(cmd *cobra.Command, args []string) error {
			segments, err := mirror.ReadBridge(args[0])
			if err != nil {
				return usageError{err}
			}
			all, pooled, err := replaySegments(segments)
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(replayJSON(all, pooled))
			}
			printReplay(cmd.OutOrStdout(), all, pooled)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// exactly is cobra.ExactArgs with a message that says what is wanted.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usageError{fmt.Errorf("%s wants %s, got %d arguments; see %s --help", cmd.CommandPath(), what, len(args), cmd.CommandPath())}
		}
		return nil
	}
}

// replaySegments runs each segment on a mirror in position mode: that is how the Bridge
// robots are driven.
func replaySegments(segments []mirror.BridgeSegment) ([]mirror.Replayed, mirror.Pooled, error) {
	r, err := mirror.NewReplayer(mirror.DefaultReplayConfig(), mirror.Twin{
		Spec: sim.Spec{Params: sim.NominalParams()},
		Arm:  sim.DefaultArmConfig(twinrig.ModePosition),
	})
	if err != nil {
		return nil, mirror.Pooled{}, err
	}
	defer r.Close()
	var all []mirror.Replayed
	for i := range segments {
		out, err := r.Replay(waypoints(&segments[i]))
		if err != nil {
			return nil, mirror.Pooled{}, err
		}
		all = append(all, out)
	}
	pooled, err := mirror.Pool(all)
	return all, pooled, err
}

// waypoints reads a raw segment by Bridge's conventions. Each action moves the
// target before it; the first target is the first state.
func waypoints(raw *mirror.BridgeSegment) mirror.Segment {
	seg := mirror.Segment{ID: raw.ID, Hz: raw.Hz}
	target, _ := policy.PoseFromState(policy.BridgeState(raw.State[0]))
	for t := range raw.State {
		xBE, grip := policy.PoseFromState(policy.BridgeState(raw.State[t]))
		seg.States = append(seg.States, mirror.Waypoint{EE: xBE, Grip: grip})
		target = policy.MoveByAction(target, raw.Action[t])
		asked := policy.GripFromBridge(raw.Action[t][twinrig.GripAxis])
		seg.Targets = append(seg.Targets, mirror.Waypoint{EE: target, Grip: asked})
	}
	return seg
}

const mm, deg = 1000, 180 / math.Pi

// segmentGap and replayGap are the command's JSON.
type segmentGap struct {
	ID            string  `json:"id"`
	PositionRMSMM float64 `json:"position_rms_mm"`
	PositionMaxMM float64 `json:"position_max_mm"`
	RotationRMS   float64 `json:"rotation_rms_deg"`
	GripperRMS    float64 `json:"gripper_rms"`
	StillRMSMM    float64 `json:"still_arm_rms_mm"`
	Unreachable   int     `json:"unreachable_targets"`
}

type replayGap struct {
	Segments      []segmentGap `json:"segments"`
	PositionRMSMM float64      `json:"position_rms_mm"`
	RotationRMS   float64      `json:"rotation_rms_deg"`
	GripperRMS    float64      `json:"gripper_rms"`
	StillRMSMM    float64      `json:"still_arm_rms_mm"`
	BestLagMS     float64      `json:"best_lag_ms"`
	LaggedRMSMM   float64      `json:"position_rms_at_best_lag_mm"`
	Steps         int          `json:"steps"`
}

func replayJSON(all []mirror.Replayed, p mirror.Pooled) replayGap {
	out := replayGap{
		PositionRMSMM: p.Position.RMS * mm,
		RotationRMS:   p.Rotation.RMS * deg,
		GripperRMS:    p.Grip.RMS,
		StillRMSMM:    p.Hold * mm,
		BestLagMS:     p.Lag.Delay.Seconds() * 1000,
		LaggedRMSMM:   p.Lag.RMS * mm,
		Steps:         p.Steps,
	}
	for i := range all {
		a := &all[i]
		out.Segments = append(out.Segments, segmentGap{
			ID:            a.ID,
			PositionRMSMM: a.Position.RMS * mm,
			PositionMaxMM: a.Position.Max * mm,
			RotationRMS:   a.Rotation.RMS * deg,
			GripperRMS:    a.Grip.RMS,
			StillRMSMM:    a.Hold.RMS * mm,
			Unreachable:   a.Unreachable,
		})
	}
	return out
}

func printReplay(w io.Writer, all []mirror.Replayed, p mirror.Pooled) {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.SetStyle(table.StyleLight)
	t.SetTitle("Recorded motion against the mirror: real arm, nothing fitted")
	t.AppendHeader(table.Row{"segment", "position rms\nmm", "max\nmm", "rotation rms\ndeg", "gripper rms\nopening", "arm that stands still\nmm"})
	for i := range all {
		a := &all[i]
		t.AppendRow(table.Row{
			a.ID, fmt.Sprintf("%.1f", a.Position.RMS*mm), fmt.Sprintf("%.1f", a.Position.Max*mm),
			fmt.Sprintf("%.1f", a.Rotation.RMS*deg), fmt.Sprintf("%.2f", a.Grip.RMS), fmt.Sprintf("%.1f", a.Hold.RMS*mm),
		})
	}
	t.AppendFooter(table.Row{
		fmt.Sprintf("all, %d steps", p.Steps), fmt.Sprintf("%.1f", p.Position.RMS*mm), fmt.Sprintf("%.1f", p.Position.Max*mm),
		fmt.Sprintf("%.1f", p.Rotation.RMS*deg), fmt.Sprintf("%.2f", p.Grip.RMS), fmt.Sprintf("%.1f", p.Hold*mm),
	})
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 2, Align: text.AlignRight, AlignFooter: text.AlignRight},
		{Number: 3, Align: text.AlignRight, AlignFooter: text.AlignRight},
		{Number: 4, Align: text.AlignRight, AlignFooter: text.AlignRight},
		{Number: 5, Align: text.AlignRight, AlignFooter: text.AlignRight},
		{Number: 6, Align: text.AlignRight, AlignFooter: text.AlignRight},
	})
	t.Style().Format.Footer = text.FormatDefault
	t.Style().Format.Header = text.FormatDefault
	t.Render()
	fmt.Fprintf(w, "The recorded arm moves %v later than the mirror: read that much later, the mirror is %.1f mm away.\n",
		p.Lag.Delay, p.Lag.RMS*mm)
}
