package report

import (
	"fmt"
	"html/template"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"twinrig/eval"
)

// InferenceSummary is eval.InferencePool's.
type InferenceSummary struct {
	Asked      int            `json:"asked"`
	Accepted   int            `json:"accepted"`
	Refused    map[string]int `json:"refused"`
	P50MS      float64        `json:"p50_ms"`
	P95MS      float64        `json:"p95_ms"`
	P99MS      float64        `json:"p99_ms"`
	WarmUpMS   float64        `json:"warm_up_ms"`
	IdleS      float64        `json:"idle_s"`
	SeamMaxRad float64        `json:"seam_max_rad"`
}

// inferenceSummary is by policy.
func inferenceSummary(pools []eval.InferencePool) map[string]InferenceSummary {
	out := map[string]InferenceSummary{}
	for i := range pools {
		p := &pools[i]
		s := InferenceSummary{
			Asked: p.Asked, Accepted: p.Accepted, Refused: map[string]int{},
			P50MS: p.P50MS, P95MS: p.P95MS, P99MS: p.P99MS, WarmUpMS: p.WarmUpMS,
			IdleS: p.IdleS, SeamMaxRad: p.SeamMaxRad,
		}
		for _, r := range p.Refused {
			s.Refused[r.Reason] = r.N
		}
		out[p.Policy] = s
	}
	return out
}

// lateChart shows which share of the ticks began later than so many microseconds.
func (r *Report) lateChart() (template.HTML, error) {
	p := newPlot("late by more than, µs", "share of ticks")
	total := 0
	for _, b := range r.Loop.Late {
		total += b.Ticks
	}
	var line plotter.XYs
	later := total
	for _, b := range r.Loop.Late {
		if later -= b.Ticks; later == 0 {
			break // of the last bin only the end is known
		}
		line = append(line, plotter.XY{X: b.UpToUS, Y: float64(later) / float64(total)})
	}
	if len(line) == 0 { // all in one bin
		line = plotter.XYs{{X: r.Loop.Late[0].UpToUS, Y: 1 / float64(total)}}
	}
	curve, dots, err := plotter.NewLinePoints(line)
	if err != nil {
		return "", fmt.Errorf("report: plot: %w", err)
	}
	curve.Color, curve.Width = ink, 1.4
	dots.Color, dots.Radius = ink, 2.5
	p.Add(grid(true, true), curve, dots)
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	last := r.Loop.Late[len(r.Loop.Late)-1].UpToUS
	p.X.Min, p.X.Max = 8, max(16, last)
	p.Y.Min, p.Y.Max = 1/float64(total), 1
	p.X.Tick.Marker, p.Y.Tick.Marker = decades(0, 9), decades(-9, 0)
	return drawSVG(p, chartWidth, 190, "share of ticks that began later than so many microseconds")
}

// decades marks powers of ten, from and to exponents.
func decades(from, to int) plot.ConstantTicks {
	var marks plot.ConstantTicks
	for e := from; e <= to; e++ {
		marks = append(marks, plot.Tick{Value: math.Pow10(e), Label: strconv.FormatFloat(math.Pow10(e), 'f', -1, 64)})
	}
	return marks
}
