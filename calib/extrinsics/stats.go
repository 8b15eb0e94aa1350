package extrinsics

import (
	"math"
	"slices"
)

const deg = 180 / math.Pi

func rms(d []float64) float64 {
	var sum float64
	for _, v := range d {
		sum += v * v
	}
	r := math.Sqrt(sum / float64(len(d)))
	if math.IsNaN(r) {
		return math.Inf(1)
	}
	return r
}

func mean(d []float64) float64 {
	var sum float64
	for _, v := range d {
		sum += v
	}
	return sum / float64(len(d))
}

// median is the middle value, the mean of the two middle ones of an even number.
func median(d []float64) float64 {
	d = slices.Sorted(slices.Values(d))
	n := len(d)
	return (d[(n-1)/2] + d[n/2]) / 2
}
