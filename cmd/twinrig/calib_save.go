package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"twinrig/calib"
	"twinrig/calib/intrinsics"
)

// The files of a calibration's folder.
const (
	recordFile = "calib.yaml"
	reportFile = "report.html"
)

// lensRun is a solved lens on its way into a record.
type lensRun struct {
	flags  *intrinsicsFlags
	result *intrinsics.Result
	record *calib.Record
	now    time.Time
	saved  string
}

// measurement says how the lens came about.
func (r *lensRun) measurement() (calib.Measurement, error) {
	res := r.result
	m := calib.Measurement{
		Date:     r.now,
		Software: softwareVersion(),
		Method: fmt.Sprintf("pinhole with k1 k2 p1 p2 k3, least squares over %d views of a %s, %d left out; corners: %s",
			len(res.Views), &res.Board, len(res.Dropped), res.Views[0].Sample.Method),
		Residuals: map[string]float64{
			"mean_reprojection_px": res.MeanPx, "rms_reprojection_px": res.RMSPx,
			"held_out_mean_px": res.HeldOutMeanPx, "held_out_rms_px": res.HeldOutRMSPx,
		},
		Limits: map[string]float64{"mean_reprojection_px": r.flags.limitPx, "held_out_mean_px": r.flags.limitPx},
		// The larger of the two estimates: a record should not promise too much.
		Deviations: map[string]float64{},
	}
	for i, name := range intrinsics.ParamNames {
		m.Deviations[name] = max(res.Deviation[i], res.Jackknife[i])
	}
	for i := range res.Views {
		s := &res.Views[i].Sample
		sum, err := s.SHA256()
		if err != nil {
			return m, err
		}
		m.Inputs = append(m.Inputs, calib.Input{Name: s.Name, SHA256: s.PictureSHA256}, calib.Input{Name: s.File(), SHA256: sum})
	}
	return m, nil
}

// save writes the record, unless the result is over its limit and not forced.
func (r *lensRun) save() error {
	m, err := r.measurement()
	if err != nil {
		return err
	}
	if over := m.OverLimit(); len(over) > 0 && !r.flags.force {
		return fmt.Errorf("calib intrinsics: not saved: %s; see %s, take sharper and steadier views of a flat board, or --force it", strings.Join(over, ", "), r.reportPath())
	}
	r.result.Lens.Put(&r.record.Camera, r.result.WidthPx, r.result.HeightPx)
	s := saving{dir: r.flags.out, kind: "intrinsics", what: "the lens", now: r.now}
	r.saved, err = s.record(r.record, &m, map[string]float64{"intrinsics_rms_px": r.result.RMSPx})
	return err
}

func (r *lensRun) reportPath() string { return filepath.Join(r.flags.out, reportFile) }

// verdict is what became of the result, in a sentence.
func (r *lensRun) verdict(saveErr error) string {
	switch m := r.record.Measured["intrinsics"]; {
	case saveErr != nil:
		return strings.TrimPrefix(saveErr.Error(), "calib intrinsics: ")
	case m.Forced:
		return "Saved by force in " + r.saved + ": " + strings.Join(m.OverLimit(), ", ") + "."
	}
	return fmt.Sprintf("Within its limit of %g px, saved in %s.", r.flags.limitPx, r.saved)
}

// report writes the page, also of a result that was not saved: it shows why.
func (r *lensRun) report(saveErr error) error {
	pg, err := r.result.Report()
	if err != nil {
		return err
	}
	pg.Title = fmt.Sprintf("%s, %s", r.result.Board.String(), r.now.Format("2006-01-02 15:04 MST"))
	pg.Verdict, pg.Good = r.verdict(saveErr), saveErr == nil && !r.record.Measured["intrinsics"].Forced
	pg.Footer = "twinrig " + softwareVersion() + ". The pictures' digests are in the record."
	return writePage(r.reportPath(), &pg)
}

// lensJSON is the command's JSON. Distortion is k1, k2, p1, p2, k3.
type lensJSON struct {
	Fx                 float64              `json:"fx"`
	Fy                 float64              `json:"fy"`
	Cx                 float64              `json:"cx"`
	Cy                 float64              `json:"cy"`
	Distortion         []float64            `json:"distortion"`
	MeanPx             float64              `json:"mean_reprojection_px"`
	RMSPx              float64              `json:"rms_reprojection_px"`
	HeldOutMeanPx      float64              `json:"held_out_mean_px"`
	HeldOutRMSPx       float64              `json:"held_out_rms_px"`
	LimitPx            float64              `json:"limit"`
	Deviation          map[string]float64   `json:"std_dev"`
	JackknifeDeviation map[string]float64   `json:"std_dev_jackknife"`
	WidthPx            int                  `json:"width_px"`
	HeightPx           int                  `json:"height_px"`
	Views              int                  `json:"views"`
	Dropped            []intrinsics.Dropped `json:"dropped"`
	Coverage           float64              `json:"coverage"`
	TiltDeg            float64              `json:"tilt_deg"`
	Warnings           []string             `json:"warnings"`
	// Saved is the record's path, null if it was not saved.
	Saved  *string `json:"saved"`
	Forced bool    `json:"forced"`
	Report string  `json:"report"`
}

func (r *lensRun) json() lensJSON {
	res := r.result
	out := lensJSON{
		Fx: res.Lens[0], Fy: res.Lens[1], Cx: res.Lens[2], Cy: res.Lens[3], Distortion: res.Lens[4:],
		MeanPx: res.MeanPx, RMSPx: res.RMSPx, HeldOutMeanPx: res.HeldOutMeanPx, HeldOutRMSPx: res.HeldOutRMSPx,
		LimitPx: r.flags.limitPx, WidthPx: res.WidthPx, HeightPx: res.HeightPx,
		Deviation: map[string]float64{}, JackknifeDeviation: map[string]float64{},
		Views: len(res.Views), Dropped: append([]intrinsics.Dropped{}, res.Dropped...),
		Coverage: res.Coverage, TiltDeg: res.TiltRad * deg, Warnings: append([]string{}, res.Warnings...),
		Report: r.reportPath(),
	}
	for i, name := range intrinsics.ParamNames {
		out.Deviation[name], out.JackknifeDeviation[name] = res.Deviation[i], res.Jackknife[i]
	}
	if r.saved != "" {
		out.Saved, out.Forced = &r.saved, r.record.Measured["intrinsics"].Forced
	}
	return out
}

func (r *lensRun) print(w io.Writer) error {
	if r.flags.asJSON {
		return json.NewEncoder(w).Encode(r.json())
	}
	res := r.result
	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.SetTitle("Lens from %d views of a %s, %d x %d px", len(res.Views), &res.Board, res.WidthPx, res.HeightPx)
	t.AppendHeader(table.Row{"parameter", "value", "std. dev. of the fit", "by jackknife"})
	for i, name := range intrinsics.ParamNames {
		t.AppendRow(table.Row{name, fmt.Sprintf("%.5g", res.Lens[i]), fmt.Sprintf("%.2g", res.Deviation[i]), fmt.Sprintf("%.2g", res.Jackknife[i])})
	}
	t.SetColumnConfigs([]table.ColumnConfig{{Number: 2, Align: text.AlignRight}, {Number: 3, Align: text.AlignRight}, {Number: 4, Align: text.AlignRight}})
	t.Render()
	_, err := fmt.Fprintf(w, "Reprojection: mean %.3f px, RMS %.3f px; held out: mean %.3f px, RMS %.3f px. Covered: %.0f %% of the picture.\n",
		res.MeanPx, res.RMSPx, res.HeldOutMeanPx, res.HeldOutRMSPx, 100*res.Coverage)
	for _, d := range res.Dropped {
		_, e := fmt.Fprintf(w, "Left out: %s: %s\n", d.Name, d.Why)
		err = errors.Join(err, e)
	}
	for _, warning := range res.Warnings {
		_, e := fmt.Fprintf(w, "Note: %s\n", warning)
		err = errors.Join(err, e)
	}
	if r.saved != "" {
		_, e := fmt.Fprintf(w, "%s\nName it in the rig's file: calib: %s\n", r.verdict(nil), r.saved)
		err = errors.Join(err, e)
	}
	_, e := fmt.Fprintf(w, "Report: %s\n", r.reportPath())
	return errors.Join(err, e)
}
