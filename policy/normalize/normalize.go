// Package normalize takes numbers to and from the space that a model was trained in,
// where each has about the same range, by the statistics of its training data.
package normalize

import (
	"fmt"
	"math"
)

// Method is how numbers are normalised.
type Method string

const (
	// Server leaves it to the server; its numbers are taken as they are.
	Server Method = "server"
	// Bounds makes the first to the ninety-ninth percentile -1 to 1; what goes
	// in is clipped to that (open-pi-zero, env_adapter/simpler.py).
	Bounds Method = "bounds"
	// Quantile is Bounds without the clipping (openpi, transforms.py).
	Quantile Method = "quantile"
	// ZScore makes the mean 0 and one standard deviation 1 (openpi, transforms.py).
	ZScore Method = "zscore"
)

// Known tells whether the method is one of these.
func (m Method) Known() bool { return m == Server || m == Bounds || m == Quantile || m == ZScore }

// Width is how many numbers a state or an action has.
const Width = 7

// tiny is a range in which nothing varied: such a number carries no information, and
// to divide by it would make a NaN or a huge number of it. The originals add a small
// number to every range instead, which moves all others by less than 1e-4 of theirs.
const tiny = 1e-8

// column is one number's map: model = (physical - centre) / scale. A plain number is
// as it is, a fixed one never varied.
type column struct {
	centre, scale float64
	plain, fixed  bool
}

// Map is one vector's normalisation. Its zero value is not valid: see New.
type Map struct {
	columns [Width]column
	clip    bool
}

// New makes a map of a method and a vector's statistics; it errs when they lack what
// the method needs.
func New(m Method, s *Vector) (*Map, error) {
	n := &Map{clip: m == Bounds}
	switch {
	case m == Bounds || m == Quantile:
		if s.P01 == nil || s.P99 == nil {
			return nil, fmt.Errorf("normalize: %s needs the percentiles p01 and p99, which the statistics lack", m)
		}
		for i := range n.columns {
			half := (s.P99[i] - s.P01[i]) / 2
			n.columns[i] = column{centre: s.P01[i] + half, scale: half, fixed: half < tiny}
			if half < 0 {
				return nil, fmt.Errorf("normalize: p99 of number %d is %g, below its p01 %g", i, s.P99[i], s.P01[i])
			}
		}
	case m == ZScore:
		if s.Mean == nil || s.Std == nil {
			return nil, fmt.Errorf("normalize: %s needs mean and std, which the statistics lack", m)
		}
		for i := range n.columns {
			n.columns[i] = column{centre: s.Mean[i], scale: s.Std[i], fixed: s.Std[i] < tiny}
			if s.Std[i] < 0 {
				return nil, fmt.Errorf("normalize: std of number %d is %g", i, s.Std[i])
			}
		}
	default:
		return nil, fmt.Errorf("normalize: method is %q, must be %s, %s or %s", m, Bounds, Quantile, ZScore)
	}
	for i := range n.columns {
		n.columns[i].plain = s.Mask != nil && !s.Mask[i]
	}
	return n, nil
}

// Model takes v from physical units to the model's, in place.
func (n *Map) Model(v []float64) {
	for i, c := range n.columns {
		switch {
		case c.plain:
			continue
		case c.fixed:
			v[i] = 0
		default:
			v[i] = (v[i] - c.centre) / c.scale
		}
		if n.clip {
			v[i] = math.Min(math.Max(v[i], -1), 1)
		}
	}
}

// Physical takes v from the model's units to physical ones, in place. A number that
// never varied is what it always was.
func (n *Map) Physical(v []float64) {
	for i, c := range n.columns {
		switch {
		case c.plain:
		case c.fixed:
			v[i] = c.centre
		default:
			v[i] = c.centre + v[i]*c.scale
		}
	}
}
