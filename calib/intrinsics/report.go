package intrinsics

import (
	"fmt"
	"html/template"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"twinrig/calib/page"
)

// Report fills the calibration's page. The caller adds verdict, title and what
// it knows of the inputs.
func (r *Result) Report() (page.Page, error) {
	pg := page.Page{
		Kind: "Camera intrinsics",
		Lead: fmt.Sprintf("Focal length %.1f x %.1f px from %d views; corners are explained to %.3f px on average, those of held-out views to %.3f px.",
			r.Lens[0], r.Lens[1], len(r.Views), r.MeanPx, r.HeldOutMeanPx),
		Warnings: r.Warnings,
		Facts: []page.Fact{
			{Name: "mean reprojection", Value: fmt.Sprintf("%.3f px", r.MeanPx), Note: "mean distance of a corner"},
			{Name: "RMS reprojection", Value: fmt.Sprintf("%.3f px", r.RMSPx), Note: "as OpenCV counts it"},
			{Name: "held-out mean, RMS", Value: fmt.Sprintf("%.3f, %.3f px", r.HeldOutMeanPx, r.HeldOutRMSPx)},
			{Name: "focal length known to", Value: fmt.Sprintf("%.2f %%", 100*r.FocalDeviation())},
			{Name: "boards differ by up to", Value: fmt.Sprintf("%.0f deg", r.TiltRad*deg)},
			{Name: "picture covered", Value: fmt.Sprintf("%.0f %%", 100*r.Coverage), Note: fmt.Sprintf("of %d cells", GridCols*GridRows)},
		},
		Tables: []page.Table{r.lensTable(), r.viewTable(), r.droppedTable()},
	}
	for _, f := range []struct {
		title, caption string
		draw           func() (template.HTML, error)
		narrow         bool
	}{
		{"Residual of each view", "RMS distance between a view's corners and their reprojection: bars fitted, dots when the lens was solved without the view. Numbers as in the table of views.", r.viewChart, false},
		{"Where corners were seen", "Every corner in the picture's frame, with its residual drawn " + fmt.Sprint(arrowScale) + " times as long. Arrows that agree with their neighbours are something that the lens model cannot say; empty borders are where the distortion is a guess.", r.coverageChart, false},
		{"Reprojection less detection", "A round cloud about zero is noise; a cloud off zero or drawn out is a systematic error, such as motion blur. Circles at one and two RMS.", r.scatterChart, true},
	} {
		svg, err := f.draw()
		if err != nil {
			return pg, err
		}
		pg.Figures = append(pg.Figures, page.Figure{Title: f.title, Drawing: svg, Caption: f.caption, Narrow: f.narrow})
	}
	return pg, nil
}

func (r *Result) lensTable() page.Table {
	t := page.Table{
		Title: "Parameters",
		Note:  "Standard deviations: of the fit, if corners err alike and by themselves; by jackknife, from leaving out one view at a time, which also sees what the corners of a view have in common.",
		Head:  []string{"parameter", "value", "std. dev. of the fit", "by jackknife"},
	}
	for i, name := range ParamNames {
		t.Rows = append(t.Rows, []string{name, fmt.Sprintf("%.6g", r.Lens[i]), fmt.Sprintf("%.2g", r.Deviation[i]), fmt.Sprintf("%.2g", r.Jackknife[i])})
	}
	return t
}

func (r *Result) viewTable() page.Table {
	t := page.Table{Title: "Views", Head: []string{"view", "no.", "corners", "edge width, px", "mean, px", "RMS, px", "worst, px", "held-out RMS, px", "distance, mm", "tilt, deg"}}
	for i := range r.Views {
		v := &r.Views[i]
		p := v.CameraFromBoard.Apply(r.Board.Centre())
		m := v.CameraFromBoard.R.Matrix()
		t.Rows = append(t.Rows, []string{
			v.Sample.Name, fmt.Sprint(i + 1), fmt.Sprint(len(v.Sample.Corners)), fmt.Sprintf("%.1f", v.Sample.BlurPx),
			fmt.Sprintf("%.3f", v.MeanPx), fmt.Sprintf("%.3f", v.RMSPx), fmt.Sprintf("%.2f", v.MaxPx), fmt.Sprintf("%.3f", v.HeldOutRMSPx),
			fmt.Sprintf("%.0f", 1000*p.Norm()), fmt.Sprintf("%.0f", math.Acos(min(1, m[2][2]))*deg),
		})
	}
	return t
}

func (r *Result) droppedTable() page.Table {
	t := page.Table{Title: "Views that were left out", Head: []string{"view", "why"}}
	if len(r.Dropped) == 0 {
		t.Note = "None."
	}
	for _, d := range r.Dropped {
		t.Rows = append(t.Rows, []string{d.Name, d.Why})
	}
	return t
}

// viewChart is a bar for each view with its held-out residual above.
func (r *Result) viewChart() (template.HTML, error) {
	p := page.NewPlot("view", "RMS, px")
	fitted := make(plotter.Values, len(r.Views))
	held := make(plotter.XYs, len(r.Views))
	names := make([]string, len(r.Views))
	for i := range r.Views {
		fitted[i] = r.Views[i].RMSPx
		held[i] = plotter.XY{X: float64(i), Y: r.Views[i].HeldOutRMSPx}
		names[i] = fmt.Sprint(i + 1)
	}
	bars, err := plotter.NewBarChart(fitted, max(2, min(36, 600/vg.Length(len(names)))))
	if err != nil {
		return "", fmt.Errorf("intrinsics: plot: %w", err)
	}
	bars.Color, bars.LineStyle.Width = page.One, 0
	dots, err := plotter.NewScatter(held)
	if err != nil {
		return "", fmt.Errorf("intrinsics: plot: %w", err)
	}
	dots.GlyphStyle = draw.GlyphStyle{Color: page.Two, Radius: 4, Shape: draw.CircleGlyph{}}
	p.Add(grid(false), bars, dots)
	p.NominalX(names...)
	p.X.Width, p.X.Tick.Width = 0, 0
	// Room for the legend.
	p.Y.Min, p.Y.Max = 0, max(p.Y.Max*1.3, 1e-6)
	p.Y.Tick.Marker = page.Ticks(0, p.Y.Max)
	p.Legend.Add("fitted", bars)
	p.Legend.Add("held out", dots)
	p.Legend.Top, p.Legend.Left, p.Legend.Padding = true, true, 2
	return page.Drawing(p, page.Width, 240, "residual of each view, fitted and held out")
}

// arrowScale is how much longer than the picture's scale residuals are drawn.
const arrowScale = 50

// coverageChart is the picture with every corner and its residual.
func (r *Result) coverageChart() (template.HTML, error) {
	p := page.NewPlot("px", "px")
	p.Add(grid(true))
	var corners plotter.XYs
	for i := range r.Views {
		v := &r.Views[i]
		for k, c := range v.Sample.Corners {
			// The plot's y is up, the picture's down.
			x, y := c.X, float64(r.HeightPx)-c.Y
			corners = append(corners, plotter.XY{X: x, Y: y})
			arrow, err := plotter.NewLine(plotter.XYs{{X: x, Y: y}, {X: x + arrowScale*v.Residuals[k][0], Y: y - arrowScale*v.Residuals[k][1]}})
			if err != nil {
				return "", fmt.Errorf("intrinsics: plot: %w", err)
			}
			arrow.Color, arrow.Width = page.Two, 0.7
			p.Add(arrow)
		}
	}
	dots, err := plotter.NewScatter(corners)
	if err != nil {
		return "", fmt.Errorf("intrinsics: plot: %w", err)
	}
	dots.GlyphStyle = draw.GlyphStyle{Color: page.One, Radius: 1.5, Shape: draw.CircleGlyph{}}
	p.Add(dots)
	w, h := float64(r.WidthPx), float64(r.HeightPx)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, w, 0, h
	var marks plot.ConstantTicks
	for row := range GridRows + 1 {
		y := h * float64(row) / GridRows
		marks = append(marks, plot.Tick{Value: h - y, Label: fmt.Sprintf("%.0f", y)})
	}
	p.Y.Tick.Marker = marks
	marks = nil
	for col := range GridCols + 1 {
		x := w * float64(col) / GridCols
		marks = append(marks, plot.Tick{Value: x, Label: fmt.Sprintf("%.0f", x)})
	}
	p.X.Tick.Marker = marks
	return page.Drawing(p, page.Width, vg.Length(float64(page.Width-50)*h/w+45), "where in the picture corners were seen, with their residuals")
}

// scatterChart is every residual, with circles at one and two RMS.
func (r *Result) scatterChart() (template.HTML, error) {
	p := page.NewPlot("x, px", "y, px")
	p.Add(grid(true))
	var all plotter.XYs
	reach := 2.2 * r.RMSPx
	for i := range r.Views {
		for _, d := range r.Views[i].Residuals {
			all = append(all, plotter.XY{X: d[0], Y: d[1]})
			reach = max(reach, 1.1*math.Abs(d[0]), 1.1*math.Abs(d[1]))
		}
	}
	dots, err := plotter.NewScatter(all)
	if err != nil {
		return "", fmt.Errorf("intrinsics: plot: %w", err)
	}
	dots.GlyphStyle = draw.GlyphStyle{Color: page.One, Radius: 1.5, Shape: draw.CircleGlyph{}}
	p.Add(dots)
	for _, n := range []float64{1, 2} {
		var ring plotter.XYs
		for a := range 73 {
			s, c := math.Sincos(float64(a) * math.Pi / 36)
			ring = append(ring, plotter.XY{X: n * r.RMSPx * c, Y: n * r.RMSPx * s})
		}
		line, err := plotter.NewLine(ring)
		if err != nil {
			return "", fmt.Errorf("intrinsics: plot: %w", err)
		}
		line.Color, line.Width = page.Two, 1
		p.Add(line)
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -reach, reach, -reach, reach
	p.X.Tick.Marker, p.Y.Tick.Marker = page.Ticks(-reach, reach), page.Ticks(-reach, reach)
	return page.Drawing(p, page.Width/2, page.Width/2, "scatter of reprojection less detection")
}

// grid draws lines at the ticks: of y, or of both.
func grid(both bool) *plotter.Grid {
	g := plotter.NewGrid()
	g.Vertical.Color, g.Horizontal.Color = nil, page.Rule
	g.Vertical.Width, g.Horizontal.Width = 0.5, 0.5
	if both {
		g.Vertical.Color = page.Rule
	}
	return g
}
