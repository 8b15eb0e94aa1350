package report

import (
	"fmt"
	"html/template"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"twinrig"
	"twinrig/eval"
	"twinrig/eval/stats"
)

// Width of every plot, in points; the page scales it.
const chartWidth = 800 * vg.Length(1)

// grid draws lines at the major ticks of one axis or both.
func grid(x, y bool) *plotter.Grid {
	g := plotter.NewGrid()
	g.Vertical.Color, g.Horizontal.Color = nil, nil
	g.Vertical.Width, g.Horizontal.Width = 0.5, 0.5
	if x {
		g.Vertical.Color = rule
	}
	if y {
		g.Horizontal.Color = rule
	}
	return g
}

// spread places policy i of n within its row: the first on top, all within
// ±0.3 of the row's middle.
func spread(i, n int) float64 {
	return 0.6 * (float64(n-1)/2 - float64(i)) / float64(max(n, 2))
}

// points is a list of points with an error to each side.
type points struct {
	plotter.XYs
	plotter.XErrors
}

// rateChart shows the four rates of each policy with their Wilson intervals.
func (r *Report) rateChart() (template.HTML, error) {
	p := newPlot("share of trials, with 95 % Wilson interval", "")
	rates := []struct {
		name string
		of   func(*eval.Cell) stats.Rate
	}{
		{"SFR", func(c *eval.Cell) stats.Rate { return c.SFR }},
		{"DFR", func(c *eval.Cell) stats.Rate { return c.DFR }},
		{"PSR", func(c *eval.Cell) stats.Rate { return c.PSR }},
		{"SR", func(c *eval.Cell) stats.Rate { return c.SR }},
	}
	var names []string
	for _, rate := range rates {
		names = append(names, rate.name)
	}
	p.NominalY(names...)
	hideLine(&p.Y)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, -0.5, float64(len(rates))-0.5
	p.X.Tick.Marker = ticks(1)
	p.Add(grid(true, false))
	for i := range r.Pooled {
		var ps points
		for row, rate := range rates {
			at := rate.of(&r.Pooled[i])
			v, ok := at.Value()
			if !ok {
				continue
			}
			iv, _ := at.Wilson(0.95)
			ps.XYs = append(ps.XYs, plotter.XY{X: v, Y: float64(row) + spread(i, len(r.Pooled))})
			ps.XErrors = append(ps.XErrors, struct{ Low, High float64 }{v - iv.Lo, iv.Hi - v})
		}
		if err := addDots(p, ps, i); err != nil {
			return "", err
		}
	}
	h := 60 + vg.Length(len(rates))*vg.Length(16+12*len(r.Pooled))
	return drawSVG(p, chartWidth, h, "rates of each policy with intervals")
}

// addDots draws points with whiskers in policy i's ink.
func addDots(p *plot.Plot, ps points, i int) error {
	if len(ps.XYs) == 0 {
		return nil
	}
	bars, err := plotter.NewXErrorBars(ps)
	if err != nil {
		return fmt.Errorf("report: plot: %w", err)
	}
	bars.Color, bars.Width, bars.CapWidth = policyInk(i, false), 1.6, 5
	dots, err := plotter.NewScatter(ps.XYs)
	if err != nil {
		return fmt.Errorf("report: plot: %w", err)
	}
	dots.GlyphStyle = draw.GlyphStyle{Color: policyInk(i, false), Radius: 4, Shape: draw.CircleGlyph{}}
	p.Add(bars, dots)
	return nil
}

// timeChart shows the time to finish of every success, with mean and std.
func (r *Report) timeChart() (template.HTML, error) {
	p := newPlot("time to finish, s (every success; bar: mean ± population std)", "")
	n := len(r.Pooled)
	names := make([]string, n)
	top := 0.0
	for i := range r.Pooled {
		c := &r.Pooled[n-1-i]
		names[i] = fmt.Sprintf("%s  (n = %d)", c.Policy, c.TF.N)
	}
	p.NominalY(names...)
	hideLine(&p.Y)
	p.Add(grid(true, false))
	for i := range r.Pooled {
		c := &r.Pooled[i]
		row := float64(n - 1 - i)
		var all plotter.XYs
		for k := range r.Counted {
			res := &r.Counted[k]
			if res.Trial.Policy != c.Policy || !res.Verdict.Success || res.TSuccess == nil {
				continue
			}
			// The golden ratio spreads the dots evenly over the row's height.
			y := math.Mod(float64(len(all))*math.Phi, 1)*0.36 - 0.36
			all = append(all, plotter.XY{X: *res.TSuccess, Y: row + y})
			top = max(top, *res.TSuccess)
		}
		if len(all) == 0 {
			continue
		}
		dots, err := plotter.NewScatter(all)
		if err != nil {
			return "", fmt.Errorf("report: plot: %w", err)
		}
		dots.GlyphStyle = draw.GlyphStyle{Color: policyInk(i, true), Radius: 2.6, Shape: draw.CircleGlyph{}}
		p.Add(dots)
		mean := points{
			plotter.XYs{{X: c.TF.Mean, Y: row + 0.2}},
			plotter.XErrors{{Low: c.TF.Std, High: c.TF.Std}},
		}
		if err := addDots(p, mean, i); err != nil {
			return "", err
		}
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, max(1, top*1.05), -0.5, float64(n)-0.5
	p.X.Tick.Marker = ticks(p.X.Max)
	return drawSVG(p, chartWidth, 52+vg.Length(46*n), "time to finish of every success")
}

// jointChart shows each joint's gap.
func (r *Report) jointChart() (template.HTML, error) {
	p := newPlot("", "RMS gap, mrad")
	values := make(plotter.Values, twinrig.NumJoints)
	for j, rms := range r.Gap.JointRMS {
		values[j] = rms * 1000
	}
	bars, err := plotter.NewBarChart(values, 44)
	if err != nil {
		return "", fmt.Errorf("report: plot: %w", err)
	}
	bars.Color, bars.LineStyle.Width = soft, 0
	p.Add(grid(false, true), bars)
	p.NominalX(twinrig.AxisNames[:twinrig.NumJoints]...)
	hideLine(&p.X)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = -0.5, twinrig.NumJoints-0.5, 0, max(p.Y.Max*1.08, 0.1)
	p.Y.Tick.Marker = ticks(p.Y.Max)
	return drawSVG(p, chartWidth, 190, "root mean square gap of each joint")
}

// hideLine leaves of an axis only its names.
func hideLine(a *plot.Axis) {
	a.Width, a.Tick.Width, a.Tick.Length = 0, 0, 6
}

// ticks marks 0 to top at a round step, about six times.
func ticks(top float64) plot.ConstantTicks {
	step := math.Pow(10, math.Floor(math.Log10(top/6)))
	for _, k := range []float64{1, 2, 5, 10} {
		if top/(k*step) <= 7 {
			step *= k
			break
		}
	}
	var marks plot.ConstantTicks
	for i := 0; float64(i)*step <= top*(1+1e-9); i++ {
		v := float64(i) * step
		marks = append(marks, plot.Tick{Value: v, Label: strconv.FormatFloat(v, 'g', 6, 64)})
	}
	return marks
}
