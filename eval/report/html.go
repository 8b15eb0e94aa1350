package report

import (
	"bytes"
	_ "embed" // for the page
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"

	"twinrig"
	"twinrig/eval"
	"twinrig/eval/stats"
)

//go:embed report.html
var pageText string

//go:embed style.css
var styleText string

// page is what the template sees beside the report itself.
type page struct {
	*Report
	Style                                              template.CSS
	Arm                                                string
	RatePlot, TimePlot, CurvePlot, JointPlot, LatePlot template.HTML
	Comparisons                                        []comparison
	Frames                                             []frame
	Labels                                             []labelRow
	Amended                                            []eval.Result
	Provenance                                         [][2]string
}

type frame struct {
	Caption string
	URI     template.URL
}

// labelRow is how often each policy's failures carry a label.
type labelRow struct {
	Label  eval.Label
	Counts []int
}

// HTML writes the page: one file that needs nothing else.
func (r *Report) HTML(w io.Writer) error {
	pg := page{Report: r, Style: template.CSS(styleText), Arm: r.arm(), Labels: r.labelRows(), Provenance: r.provenance(), Comparisons: r.comparisons()}
	for i := range r.Results {
		if len(r.Results[i].Amendments) > 0 {
			pg.Amended = append(pg.Amended, r.Results[i])
		}
	}
	var err error
	for _, chart := range []struct {
		into  *template.HTML
		draw  func() (template.HTML, error)
		shown bool
	}{
		{&pg.RatePlot, r.rateChart, len(r.Counted) > 0},
		{&pg.TimePlot, r.timeChart, r.knowsTimes() && slices.ContainsFunc(r.Pooled, func(c eval.Cell) bool { return c.TF.N > 0 })},
		{&pg.CurvePlot, r.curveChart, len(r.Curves) > 0},
		{&pg.JointPlot, r.jointChart, r.Gap.Trials > 0},
		{&pg.LatePlot, r.lateChart, len(r.Loop.Late) > 0},
	} {
		if !chart.shown {
			continue
		}
		if *chart.into, err = chart.draw(); err != nil {
			return err
		}
	}
	for _, p := range r.Pictures {
		uri, err := dataURI(p.Data)
		if err != nil {
			return fmt.Errorf("report: picture %q: %w", p.Caption, err)
		}
		pg.Frames = append(pg.Frames, frame{p.Caption, uri})
	}
	t, err := template.New("report").Funcs(funcs).Parse(pageText)
	if err == nil {
		err = t.Execute(w, pg)
	}
	if err != nil {
		return fmt.Errorf("report: html: %w", err)
	}
	return nil
}

// funcs are the template's.
var funcs = template.FuncMap{
	"rate":       eval.FormatRate,
	"interval":   eval.FormatInterval,
	"time":       eval.FormatMoments,
	"kappa":      kappaText,
	"labels":     labelText,
	"opt":        orNone,
	"mean":       meanTexts,
	"joint":      func(j int) string { return twinrig.AxisNames[j] },
	"mod":        func(i int) int { return i % len(variant) },
	"failures":   func(c eval.Cell) int { return c.N() - c.SR.K },
	"divergence": func() float64 { return eval.DivergenceMM },
	"p":          pText,
	"rangeText":  rangeText,
	"ends":       func(iv *stats.Interval) string { return fmt.Sprintf("[%.3f, %.3f]", iv.Lo, iv.Hi) },
}

// dataURI packs a picture into an address.
func dataURI(data []byte) (template.URL, error) {
	var kind string
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n")):
		kind = "image/png"
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		kind = "image/jpeg"
	default:
		return "", fmt.Errorf("neither PNG nor JPEG")
	}
	return template.URL("data:" + kind + ";base64," + base64.StdEncoding.EncodeToString(data)), nil
}

// labelRows counts the failures by label, leaving out labels that none has.
func (r *Report) labelRows() []labelRow {
	var rows []labelRow
	policyOf := r.policies()
	for _, l := range eval.Labels() {
		row := labelRow{Label: l, Counts: make([]int, len(r.Pooled))}
		for i := range r.Counted {
			if res := &r.Counted[i]; slices.Contains(res.Verdict.Labels, l) {
				row.Counts[policyOf[res.Trial.ID]]++
			}
		}
		if slices.Max(row.Counts) > 0 {
			rows = append(rows, row)
		}
	}
	return rows
}

// provenance lists what made the numbers; a fact that differs between trials
// has each of its values.
func (r *Report) provenance() [][2]string {
	facts := [][2]string{
		{"study", r.Study.Name},
		{"arm", r.arm()},
		{"configuration", "SHA-256 " + r.Study.ConfigSHA256},
		{"order seed", fmt.Sprint(r.Study.OrderSeed)},
		{"time-out", r.Study.Timeout.String()},
		{"verdicts by", r.Study.VerdictSource},
	}
	for _, p := range r.Study.Policies {
		if p.Checkpoint != "" {
			facts = append(facts, [2]string{"policy " + p.Name, p.Checkpoint})
		}
	}
	for _, of := range []struct {
		name  string
		value func(*eval.Result) string
	}{
		{"twinrig", func(res *eval.Result) string { return res.Provenance.Software }},
		{"MuJoCo", func(res *eval.Result) string { return res.Provenance.MuJoCo }},
	} {
		var values []string
		for i := range r.Results {
			if v := of.value(&r.Results[i]); v != "" && !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
		for _, v := range values {
			facts = append(facts, [2]string{of.name, v})
		}
	}
	if im := r.Study.Imported; im != nil {
		facts = append(facts, [2]string{"imported from", im.File + ", SHA-256 " + im.SHA256})
	}
	if r.Digest != "" {
		facts = append(facts, [2]string{"computed from", r.Digest})
	}
	return facts
}

// knowsTimes tells whether single times are known, not their moments only.
func (r *Report) knowsTimes() bool { return r.Study.Imported == nil || !r.Study.Imported.MomentsOnly }

// CellOf is Cell for the template, which knows one result only.
func (r *Report) CellOf(scene, policy string) eval.Cell {
	c, _ := r.Cell(scene, policy)
	return c
}
