package lerobot

import (
	"maps"
	"math"
	"slices"
)

// summary is a feature's statistics, one number for each of its dimensions.
// A picture's are one for each colour, on a scale from 0 to 1.
type summary struct {
	values map[string][]float64
	count  int
}

// quantiles are those that version 3.0 adds, by their names.
var quantiles = map[string]float64{"q01": .01, "q10": .10, "q50": .50, "q90": .90, "q99": .99}

// moments are the names that both versions have.
var moments = []string{"min", "max", "mean", "std"}

// statNames are all of them.
func statNames() []string {
	return append(slices.Clone(moments), slices.Sorted(maps.Keys(quantiles))...)
}

// samples are the values of one feature, frame by frame.
type samples struct {
	dim  int
	data []float32
}

func (s *samples) add(values ...float64) {
	s.dim = len(values)
	for _, v := range values {
		s.data = append(s.data, float32(v))
	}
}

// summarise gives the exact statistics. Quantiles are interpolated linearly, as
// numpy's are.
func (s *samples) summarise() summary {
	n := len(s.data) / s.dim
	sum := summary{values: map[string][]float64{}, count: n}
	put := func(name string, v float64) { sum.values[name] = append(sum.values[name], v) }
	column := make([]float64, n)
	for d := range s.dim {
		mean := 0.0
		for i := range column {
			column[i] = float64(s.data[i*s.dim+d])
			mean += column[i] / float64(n)
		}
		variance := 0.0
		for _, v := range column {
			variance += (v - mean) * (v - mean) / float64(n)
		}
		slices.Sort(column)
		put("min", column[0])
		put("max", column[n-1])
		put("mean", mean)
		put("std", math.Sqrt(variance))
		for name, q := range quantiles {
			put(name, between(q, n, func(i int) float64 { return column[i] }))
		}
	}
	return sum
}

// between is the q-quantile of n sorted values.
func between(q float64, n int, at func(int) float64) float64 {
	x := q * float64(n-1)
	lo := int(x)
	hi := min(lo+1, n-1)
	return at(lo) + (x-float64(lo))*(at(hi)-at(lo))
}

// shades counts the pixels of a camera's pictures by colour and value.
type shades struct {
	bins     [3][256]int
	pictures int
}

func (s *shades) add(rgb []byte) {
	for i := 0; i+2 < len(rgb); i += 3 {
		s.bins[0][rgb[i]]++
		s.bins[1][rgb[i+1]]++
		s.bins[2][rgb[i+2]]++
	}
	s.pictures++
}

func (s *shades) merge(o *shades) {
	for c := range s.bins {
		for v := range s.bins[c] {
			s.bins[c][v] += o.bins[c][v]
		}
	}
	s.pictures += o.pictures
}

// summarise gives the exact statistics over all pixels.
func (s *shades) summarise() summary {
	sum := summary{values: map[string][]float64{}, count: s.pictures}
	put := func(name string, v float64) { sum.values[name] = append(sum.values[name], v/255) }
	for c := range s.bins {
		bins := &s.bins[c]
		n, total, squares := 0, 0.0, 0.0
		lo, hi := 255, 0
		for v, k := range bins {
			if k == 0 {
				continue
			}
			n += k
			total += float64(k) * float64(v)
			squares += float64(k) * float64(v) * float64(v)
			lo, hi = min(lo, v), max(hi, v)
		}
		mean := total / float64(n)
		put("min", float64(lo))
		put("max", float64(hi))
		put("mean", mean)
		put("std", math.Sqrt(max(0, squares/float64(n)-mean*mean)))
		for name, q := range quantiles {
			put(name, between(q, n, func(i int) float64 { return float64(shadeAt(bins, i)) }))
		}
	}
	return sum
}

// shadeAt is the i-th of all values in their order.
func shadeAt(bins *[256]int, i int) int {
	for v, k := range bins {
		if i < k {
			return v
		}
		i -= k
	}
	return 255
}
