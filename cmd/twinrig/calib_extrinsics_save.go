package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"twinrig"
	"twinrig/calib"
	"twinrig/calib/extrinsics"
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

// truthJSON is how far a result is from the truth of the virtual rig.
type truthJSON struct {
	PositionMM  float64 `json:"position_mm"`
	RotationDeg float64 `json:"rotation_deg"`
}

func (r *poseRun) truthError() *truthJSON {
	if r.truth == nil {
		return nil
	}
	dist, angle := r.result.BaseFromCamera.Gap(*r.truth)
	return &truthJSON{1000 * dist, angle * deg}
}

// poseJSON is a rigid transform.
type poseJSON struct {
	PositionM    twinrig.Vec3 `json:"position_m"`
	RotationWXYZ twinrig.Quat `json:"rotation_wxyz"`
}

// tableJSON is the table's plane against z = 0 of the base.
type tableJSON struct {
	RMSMM   float64 `json:"rms_mm"`
	MeanMM  float64 `json:"mean_mm"`
	TiltDeg float64 `json:"tilt_deg"`
}

// extrinsicsJSON is the command's JSON.
type extrinsicsJSON struct {
	BaseFromCamera poseJSON `json:"base_from_camera"`
	HandFromBoard  poseJSON `json:"hand_from_board"`
	MeanPx         float64  `json:"mean_reprojection_px"`
	RMSPx          float64  `json:"rms_reprojection_px"`
	HeldOutMeanPx  float64  `json:"held_out_mean_px"`
	HeldOutRMSPx   float64  `json:"held_out_rms_px"`
	// InversePx is the median reprojection with the inverse transform, null where
	// the boards would be behind the camera.
	InversePx *float64           `json:"inverse_reprojection_px"`
	Limit     map[string]float64 `json:"limit"`
	// Deviations are standard deviations of the camera's pose.
	PositionDevMM    float64              `json:"position_std_dev_mm"`
	RotationDevDeg   float64              `json:"rotation_std_dev_deg"`
	TurnsDeg         [3]float64           `json:"turns_deg"`
	Condition        float64              `json:"condition"`
	CornerPx         float64              `json:"corner_px"`
	BoardScale       float64              `json:"board_scale"`
	BoardScaleStdDev float64              `json:"board_scale_std_dev"`
	ZerosDeg         twinrig.Joints       `json:"joint_zeros_deg"`
	MovedMM          float64              `json:"moved_mm"`
	MovedDeg         float64              `json:"moved_deg"`
	Table            *tableJSON           `json:"table"`
	GhostIoU         *float64             `json:"ghost_iou"`
	Views            int                  `json:"views"`
	Dropped          []extrinsics.Dropped `json:"dropped"`
	Turned           []string             `json:"turned"`
	Warnings         []string             `json:"warnings"`
	Saved            *string              `json:"saved"`
	Forced           bool                 `json:"forced"`
	Samples          string               `json:"samples"`
	Report           string               `json:"report"`
	TruthError       *truthJSON           `json:"truth_error,omitempty"`
}

func (r *poseRun) json() (extrinsicsJSON, error) {
	res := r.result
	m, err := r.measurement()
	if err != nil {
		return extrinsicsJSON{}, err
	}
	out := extrinsicsJSON{
		BaseFromCamera: poseJSON{res.BaseFromCamera.P, res.BaseFromCamera.R}, HandFromBoard: poseJSON{res.HandFromBoard.P, res.HandFromBoard.R},
		MeanPx: res.MeanPx, RMSPx: res.RMSPx, HeldOutMeanPx: res.HeldOutMeanPx, HeldOutRMSPx: res.HeldOutRMSPx, Limit: m.Limits,
		PositionDevMM: 1000 * res.PositionDeviation(), RotationDevDeg: res.RotationDeviation() * deg,
		TurnsDeg: [3]float64(twinrig.Vec3(res.Turns).Scale(deg)), Condition: res.Condition, CornerPx: res.PixelPx,
		BoardScale: res.Scale, BoardScaleStdDev: res.ScaleDeviation, ZerosDeg: res.Zeros.Scale(deg),
		Views: len(res.Views), Dropped: append([]extrinsics.Dropped{}, res.Dropped...), Turned: append([]string{}, res.Turned...),
		Warnings: append([]string{}, res.Warnings...), Samples: r.dir, Report: r.reportPath(), TruthError: r.truthError(),
	}
	if !math.IsInf(res.InversePx, 0) {
		out.InversePx = &res.InversePx
	}
	dist, angle := res.BaseFromCamera.Gap(r.before)
	out.MovedMM, out.MovedDeg = 1000*dist, angle*deg
	if t := res.Table; t != nil {
		out.Table = &tableJSON{1000 * t.RMS, 1000 * t.Mean, t.Tilt * deg}
	}
	if r.ghost != nil {
		out.GhostIoU = &r.ghost.IoU
	}
	if r.saved != "" {
		out.Saved, out.Forced = &r.saved, r.record.Measured["extrinsics"].Forced
	}
	return out, nil
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
	t.SetTitle("Camera in the arm's base from %d views of a %s in the hand", len(res.Views), &res.Board)
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
