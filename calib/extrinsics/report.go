package extrinsics

import (
	"fmt"
	"html/template"
	"image/color"
	"math"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"twinrig"
	"twinrig/calib/page"
)

// Report fills the calibration's page. The caller adds verdict, title and what
// it knows of the inputs.
func (r *Result) Report() (page.Page, error) {
	p := r.BaseFromCamera.P
	pg := page.Page{
		Kind: "Camera in the arm's base",
		Lead: fmt.Sprintf("The camera stands at x %.1f, y %.1f, z %.1f mm in the arm's base, known to %.2f mm and %.3f deg, from %d views of a board in the hand; corners are explained to %.2f px on average, those of held-out views to %.2f px.",
			1000*p[0], 1000*p[1], 1000*p[2], 1000*r.PositionDeviation(), r.RotationDeviation()*deg, len(r.Views), r.MeanPx, r.HeldOutMeanPx),
		Warnings: r.Warnings,
		Facts: []page.Fact{
			{Name: "mean reprojection", Value: fmt.Sprintf("%.2f px", r.MeanPx), Note: "servo play and all"},
			{Name: "held-out mean, RMS", Value: fmt.Sprintf("%.2f, %.2f px", r.HeldOutMeanPx, r.HeldOutRMSPx)},
			{Name: "corners err by", Value: fmt.Sprintf("%.2f px", r.PixelPx), Note: "within their view, one direction"},
			{Name: "hand turned by", Value: fmt.Sprintf("%.0f, %.0f, %.0f deg", r.Turns[0]*deg, r.Turns[1]*deg, r.Turns[2]*deg), Note: fmt.Sprintf("RMS about three axes; condition %.0f", r.Condition)},
			{Name: "board's size by the arm", Value: fmt.Sprintf("%.2f ± %.2f %%", 100*r.Scale, 100*r.ScaleDeviation), Note: "of what it is said to be"},
			{Name: "with the inverse transform", Value: fmt.Sprintf("%.0f px", r.InversePx), Note: "median; small would mean inverted"},
		},
		Tables: []page.Table{r.poseTable(), r.zeroTable(), r.viewTable(), r.droppedTable()},
	}
	if t := r.Table; t != nil {
		pg.Facts = append(pg.Facts, page.Fact{
			Name: "table plane", Value: fmt.Sprintf("%.1f mm RMS", 1000*t.RMS),
			Note: fmt.Sprintf("mean %+.1f mm, tilted %.2f deg, against z = 0", 1000*t.Mean, t.Tilt*deg),
		})
	}
	if t := r.Timing; t != nil {
		pg.Facts = append(pg.Facts, page.Fact{
			Name: "capture delay", Value: fmt.Sprintf("%.1f ± %.1f ms", 1000*t.Delay, 1000*t.DelayDeviation),
			Note: fmt.Sprintf("pictures are older than their stamps; rolling shutter %.1f ± %.1f ms; from %d pictures of a swinging board", 1000*t.Readout, 1000*t.ReadoutDeviation, t.Frames),
		})
	}
	for _, f := range []struct {
		title, caption string
		draw           func() (template.HTML, error)
		narrow         bool
	}{
		{"Residual of each view", "RMS distance between a view's corners and their reprojection, in the order in which they were taken: bars fitted, dots when the camera was solved without the view. A step from some view on means that something moved.", r.viewChart, false},
		{"Where the board was", "Centres of the board and the camera (square) in the base, from above, mm. The base is at 0, 0 and x points forward.", r.placeChart, true},
		{"Reprojection less detection", "Corners of one view stay together: servo play and quantisation move the whole view.", r.scatterChart, true},
	} {
		svg, err := f.draw()
		if err != nil {
			return pg, err
		}
		pg.Figures = append(pg.Figures, page.Figure{Title: f.title, Drawing: svg, Caption: f.caption, Narrow: f.narrow})
	}
	return pg, nil
}

func (r *Result) poseTable() page.Table {
	t := page.Table{
		Title: "Camera in the base",
		Note:  "The optical frame (x right, y down, z forward). The base's x axis is where the waist reads zero. Standard deviations: if corners and readings err by themselves as they are thought to; by jackknife, from leaving out one view at a time.",
		Head:  []string{"number", "value", "std. dev.", "by jackknife"},
	}
	roll, pitch, yaw := r.BaseFromCamera.R.RPY()
	for i, v := range []float64{roll, pitch, yaw} {
		t.Rows = append(t.Rows, []string{[]string{"roll, deg", "pitch, deg", "yaw, deg"}[i], fmt.Sprintf("%.3f", v*deg), "", ""})
	}
	for i, v := range r.BaseFromCamera.P {
		t.Rows = append(t.Rows, []string{string("xyz"[i]) + ", mm", fmt.Sprintf("%.2f", 1000*v), fmt.Sprintf("%.2f", 1000*r.Deviation[3+i]), fmt.Sprintf("%.2f", 1000*r.Jackknife[3+i])})
	}
	for i := range 3 {
		t.Rows = append(t.Rows, []string{"turn about " + string("xyz"[i]) + ", deg", "0", fmt.Sprintf("%.3f", r.Deviation[i]*deg), fmt.Sprintf("%.3f", r.Jackknife[i]*deg)})
	}
	return t
}

func (r *Result) zeroTable() page.Table {
	t := page.Table{
		Title: "Joint zeros as they seem",
		Note:  "Held near zero, and there to keep such errors out of the camera's pose: they are no calibration of the joints. The waist's defines the base.",
		Head:  []string{"joint", "off by, deg", "std. dev."},
	}
	for j := 1; j < twinrig.NumJoints; j++ {
		t.Rows = append(t.Rows, []string{twinrig.AxisNames[j], fmt.Sprintf("%+.2f", r.Zeros[j]*deg), fmt.Sprintf("%.2f", r.ZerosDeviation[j]*deg)})
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
			v.Sample.View.Name, fmt.Sprint(i + 1), fmt.Sprint(len(v.Sample.View.Corners)), fmt.Sprintf("%.1f", v.Sample.View.BlurPx),
			fmt.Sprintf("%.2f", v.MeanPx), fmt.Sprintf("%.2f", v.RMSPx), fmt.Sprintf("%.1f", v.MaxPx), fmt.Sprintf("%.2f", v.HeldOutRMSPx),
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

// viewChart is a bar for each view with its held-out residual.
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
		return "", fmt.Errorf("extrinsics: plot: %w", err)
	}
	bars.Color, bars.LineStyle.Width = page.One, 0
	dots, err := dotsOf(held, page.Two, 4)
	if err != nil {
		return "", err
	}
	p.Add(bars, dots)
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

// placeChart is the base from above.
func (r *Result) placeChart() (template.HTML, error) {
	p := page.NewPlot("x, mm", "y, mm")
	var boards plotter.XYs
	for i := range r.Views {
		at := r.BaseFromCamera.Mul(r.Views[i].CameraFromBoard).Apply(r.Board.Centre())
		boards = append(boards, plotter.XY{X: 1000 * at[0], Y: 1000 * at[1]})
	}
	dots, err := dotsOf(boards, page.One, 3)
	if err != nil {
		return "", err
	}
	c := r.BaseFromCamera.P
	cam, err := dotsOf(plotter.XYs{{X: 1000 * c[0], Y: 1000 * c[1]}}, page.Two, 5)
	if err != nil {
		return "", err
	}
	cam.Shape = draw.BoxGlyph{}
	p.Add(dots, cam)
	reach := max(p.X.Max-min(p.X.Min, 0), p.Y.Max-p.Y.Min) * 0.6
	midX, midY := (p.X.Max+min(p.X.Min, 0))/2, (p.Y.Max+p.Y.Min)/2
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = midX-reach, midX+reach, midY-reach, midY+reach
	p.X.Tick.Marker, p.Y.Tick.Marker = page.Ticks(p.X.Min, p.X.Max), page.Ticks(p.Y.Min, p.Y.Max)
	return page.Drawing(p, page.Width/2, page.Width/2, "where the board and the camera were, from above")
}

// scatterChart is every residual.
func (r *Result) scatterChart() (template.HTML, error) {
	p := page.NewPlot("x, px", "y, px")
	var all plotter.XYs
	reach := 2.2 * r.RMSPx
	for i := range r.Views {
		for _, d := range r.Views[i].Residuals {
			all = append(all, plotter.XY{X: d[0], Y: d[1]})
			reach = max(reach, 1.1*math.Abs(d[0]), 1.1*math.Abs(d[1]))
		}
	}
	dots, err := dotsOf(all, page.One, 1.5)
	if err != nil {
		return "", err
	}
	p.Add(dots)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -reach, reach, -reach, reach
	p.X.Tick.Marker, p.Y.Tick.Marker = page.Ticks(-reach, reach), page.Ticks(-reach, reach)
	return page.Drawing(p, page.Width/2, page.Width/2, "scatter of reprojection less detection")
}

func dotsOf(at plotter.XYs, c color.Color, radius vg.Length) (*plotter.Scatter, error) {
	dots, err := plotter.NewScatter(at)
	if err != nil {
		return nil, fmt.Errorf("extrinsics: plot: %w", err)
	}
	dots.GlyphStyle = draw.GlyphStyle{Color: c, Radius: radius, Shape: draw.CircleGlyph{}}
	return dots, nil
}
