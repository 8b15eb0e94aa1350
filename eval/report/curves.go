package report

import (
	"errors"
	"fmt"
	"html/template"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"twinrig/eval"
	"twinrig/eval/stats"
)

// Limits of the gap chart: points drawn of one curve, and time bins of a median.
const (
	maxPoints  = 120
	medianBins = 60
)

// curveChart shows the gap over time of every trial that counts, and each
// policy's median.
func (r *Report) curveChart() (template.HTML, error) {
	p := newPlot("time in the trial, s", "distance between end effectors, mm")
	p.Add(grid(true, true))
	policyOf := r.policies()
	var end, top float64
	byPolicy := make([][]eval.Curve, len(r.Pooled))
	for _, c := range r.Curves {
		policy, counted := policyOf[c.Trial]
		if !counted || len(c.T) < 2 {
			continue
		}
		byPolicy[policy] = append(byPolicy[policy], c)
		end = max(end, c.T[len(c.T)-1])
		for _, mm := range c.EEMM {
			top = max(top, mm)
		}
		if err := addLine(p, thin(c), policyInk(policy, true), 0.6); err != nil {
			return "", err
		}
	}
	for policy, curves := range byPolicy {
		m := median(curves, end)
		if len(m) < 2 {
			continue
		}
		// A rim in the paper's colour lifts it out of the thin lines.
		err := errors.Join(addLine(p, m, paper, 5), addLine(p, m, policyInk(policy, false), 2.2))
		if err != nil {
			return "", err
		}
	}
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, math.Ceil(end), 0, max(top*1.05, 0.1)

	// The limit of divergence, where it is in reach.
	if top > eval.DivergenceMM/2 {
		p.Y.Max = max(p.Y.Max, eval.DivergenceMM*1.1)
		limit, err := plotter.NewLine(plotter.XYs{{X: 0, Y: eval.DivergenceMM}, {X: p.X.Max, Y: eval.DivergenceMM}})
		if err != nil {
			return "", fmt.Errorf("report: plot: %w", err)
		}
		limit.Color, limit.Width, limit.Dashes = ink, 1, []vg.Length{5, 4}
		p.Add(limit)
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = ticks(p.X.Max), ticks(p.Y.Max)
	return drawSVG(p, chartWidth, 300, "end effector gap over time, a line a trial")
}

// policies is the index of the policy of every trial that counts.
func (r *Report) policies() map[string]int {
	index := map[string]int{}
	for k, c := range r.Pooled {
		index[c.Policy] = k
	}
	of := map[string]int{}
	for i := range r.Counted {
		of[r.Counted[i].Trial.ID] = index[r.Counted[i].Trial.Policy]
	}
	return of
}

func addLine(p *plot.Plot, xys plotter.XYs, ink color.Color, width vg.Length) error {
	line, err := plotter.NewLine(xys)
	if err != nil {
		return fmt.Errorf("report: plot: %w", err)
	}
	line.Color, line.Width = ink, width
	p.Add(line)
	return nil
}

// thin keeps the highest point of each of at most maxPoints stretches, so that
// no peak is lost.
func thin(c eval.Curve) plotter.XYs {
	stretch := (len(c.T) + maxPoints - 1) / maxPoints
	var xys plotter.XYs
	for i := 0; i < len(c.T); i += stretch {
		best := i
		for k := i; k < min(i+stretch, len(c.T)); k++ {
			if c.EEMM[k] > c.EEMM[best] {
				best = k
			}
		}
		xys = append(xys, plotter.XY{X: c.T[best], Y: c.EEMM[best]})
	}
	return xys
}

// median is the median curve over time bins up to end. A bin in which fewer
// than three trials, or less than half of them, are still running is left out:
// the slow ones are not the typical ones.
func median(curves []eval.Curve, end float64) plotter.XYs {
	var xys plotter.XYs
	for bin := range medianBins {
		lo, hi := end*float64(bin)/medianBins, end*float64(bin+1)/medianBins
		var values []float64
		for _, c := range curves {
			sum, n := 0.0, 0
			for i, t := range c.T {
				if lo <= t && t < hi {
					sum, n = sum+c.EEMM[i], n+1
				}
			}
			if n > 0 {
				values = append(values, sum/float64(n))
			}
		}
		if m, ok := stats.Percentile(values, 0.5); ok && len(values) >= 3 && 2*len(values) >= len(curves) {
			xys = append(xys, plotter.XY{X: (lo + hi) / 2, Y: m})
		}
	}
	return xys
}
