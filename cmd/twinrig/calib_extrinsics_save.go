package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"twinrig/calib"
	"twinrig/calib/page"
)

// measurement says how the camera's pose came about.
func (r *poseRun) measurement() (calib.Measurement, error) {
	res := r.result
	m := calib.Measurement{
		Date:     r.now,
		Software: softwareVersion(),
		Method: fmt.Sprintf("robot-world/hand-eye (Kronecker product), then robust reprojection with servo errors as unknowns, over %d views of a %s in the hand, %d left out; corners: %s",
			len(res.Views), &res.Board, len(res.Dropped), res.Views[0].Sample.View.Method),
		Residuals: map[string]float64{
			"mean_reprojection_px": res.MeanPx, "rms_reprojection_px": res.RMSPx,
			"held_out_mean_px": res.HeldOutMeanPx, "held_out_rms_px": res.HeldOutRMSPx,
		},
		Limits:     map[string]float64{"mean_reprojection_px": r.flags.limitPx, "held_out_mean_px": r.flags.limitPx},
		Deviations: map[string]float64{"position_mm": 1000 * res.PositionDeviation(), "rotation_deg": res.RotationDeviation() * deg},
	}
	if t := res.Table; t != nil {
		m.Residuals["table_plane_rms_mm"] = 1000 * t.RMS
		m.Limits["table_plane_rms_mm"] = r.flags.limitMM
	}
	if r.ghost != nil {
		m.Residuals[ghostResidual] = 1 - r.ghost.IoU
	}
	for i := range res.Views {
		s := &res.Views[i].Sample
		sum, err := s.SHA256()
		if err != nil {
			return m, err
		}
		m.Inputs = append(m.Inputs, calib.Input{Name: s.View.Name, SHA256: s.View.PictureSHA256}, calib.Input{Name: s.File(), SHA256: sum})
	}
	return m, nil
}

// save writes the record, unless the result is over a limit and not forced.
func (r *poseRun) save() error {
	m, err := r.measurement()
	if err != nil {
		return err
	}
	if over := m.OverLimit(); len(over) > 0 && !r.flags.force {
		return fmt.Errorf("calib extrinsics: not saved: %s; see %s, fix what it shows, or --force it", strings.Join(over, ", "), r.reportPath())
	}
	s := saving{dir: r.flags.out, kind: "extrinsics", what: "where the camera stands", now: r.now}
	r.saved, err = s.record(r.record, &m, map[string]float64{"extrinsics_rms_px": r.result.RMSPx})
	return err
}

func (r *poseRun) reportPath() string { return filepath.Join(r.flags.out, reportFile) }

// verdict is what became of the result, in a sentence.
func (r *poseRun) verdict(saveErr error) string {
	switch m := r.record.Measured["extrinsics"]; {
	case saveErr != nil:
		return strings.TrimPrefix(saveErr.Error(), "calib extrinsics: ")
	case m.Forced:
		return "Saved by force in " + r.saved + ": " + strings.Join(m.OverLimit(), ", ") + "."
	}
	return "Within its limits, saved in " + r.saved + "."
}

// report writes the page, also of a result that was not saved: it shows why.
func (r *poseRun) report(saveErr error) error {
	pg, err := r.result.Report()
	if err != nil {
		return err
	}
	pg.Title = fmt.Sprintf("%s, %s", r.result.Board.String(), r.now.Format("2006-01-02 15:04 MST"))
	pg.Verdict, pg.Good = r.verdict(saveErr), saveErr == nil && !r.record.Measured["extrinsics"].Forced
	if r.truth != nil {
		pg.Title = "virtual rig, " + pg.Title
		e := r.truthError()
		pg.Lead += fmt.Sprintf(" Against the virtual rig's truth it is %.2f mm and %.3f deg off.", e.PositionMM, e.RotationDeg)
	}
	if r.ghost != nil {
		f, err := ghostFigure(r.ghost)
		if err != nil {
			return err
		}
		pg.Figures = append(pg.Figures, f)
		pg.Facts = append(pg.Facts, page.Fact{Name: "ghost", Value: fmt.Sprintf("IoU %.3f", r.ghost.IoU), Note: "of the model's silhouette with the arm's"})
	}
	pg.Footer = "twinrig " + softwareVersion() + ". The samples' digests are in the record."
	return writePage(r.reportPath(), &pg)
}

func (r *poseRun) print(w io.Writer) error {
	j, err := r.json()
	if err != nil {
		return err
	}
	if r.flags.asJSON {
		return json.NewEncoder(w).Encode(j)
	}
	res := r.result
	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.SetTitle("Camera in the base, from %d views", len(res.Views))
	t.AppendHeader(table.Row{"", "x", "y", "z", "known to"})
	p := res.BaseFromCamera.P
	roll, pitch, yaw := res.BaseFromCamera.R.RPY()
	t.AppendRow(table.Row{"position, mm", fmt.Sprintf("%.1f", 1000*p[0]), fmt.Sprintf("%.1f", 1000*p[1]), fmt.Sprintf("%.1f", 1000*p[2]), fmt.Sprintf("%.2f", j.PositionDevMM)})
	t.AppendRow(table.Row{"roll pitch yaw, deg", fmt.Sprintf("%.2f", roll*deg), fmt.Sprintf("%.2f", pitch*deg), fmt.Sprintf("%.2f", yaw*deg), fmt.Sprintf("%.3f", j.RotationDevDeg)})
	t.Render()
	lines := []string{
		fmt.Sprintf("Reprojection: mean %.2f px, RMS %.2f px; held out: mean %.2f px, RMS %.2f px. With the inverse transform: %.0f px.", res.MeanPx, res.RMSPx, res.HeldOutMeanPx, res.HeldOutRMSPx, res.InversePx),
		fmt.Sprintf("The hand turned by %.0f, %.0f and %.0f deg RMS about its three axes; condition %.0f.", j.TurnsDeg[0], j.TurnsDeg[1], j.TurnsDeg[2], res.Condition),
		fmt.Sprintf("The camera is %.1f mm and %.2f deg from where the record had it.", j.MovedMM, j.MovedDeg),
	}
	if j.Table != nil {
		lines = append(lines, fmt.Sprintf("Table plane: %.1f mm RMS from z = 0 (mean %+.1f mm, tilted %.2f deg).", j.Table.RMSMM, j.Table.MeanMM, j.Table.TiltDeg))
	}
	if t := j.Timing; t != nil {
		lines = append(lines, fmt.Sprintf("Pictures are %.1f ± %.1f ms older than their stamps, the shutter rolls for %.1f ± %.1f ms.", t.DelayMS, t.DelayStdDev, t.RollingMS, t.RollingStdDev))
	}
	if r.ghost != nil {
		lines = append(lines, fmt.Sprintf("The ghost's silhouette and the arm's have an IoU of %.3f.", r.ghost.IoU))
	}
	if e := j.TruthError; e != nil {
		lines = append(lines, fmt.Sprintf("Virtual rig: %.2f mm and %.3f deg from the truth.", e.PositionMM, e.RotationDeg))
	}
	for _, d := range res.Dropped {
		lines = append(lines, "Left out: "+d.Name+": "+d.Why)
	}
	for _, warning := range res.Warnings {
		lines = append(lines, "Note: "+warning)
	}
	if r.saved != "" {
		lines = append(lines, r.verdict(nil), "Name it in the rig's file: calib: "+r.saved)
	}
	lines = append(lines, "Report: "+r.reportPath())
	for _, line := range lines {
		_, e := fmt.Fprintln(w, line)
		err = errors.Join(err, e)
	}
	return err
}
