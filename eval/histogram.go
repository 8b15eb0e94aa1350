package eval

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Histogram counts positive values by their size: bin i has those from
// binWidth^i to binWidth^(i+1). Histograms add up exactly, whatever they are of,
// and a quantile of all is within half a percent. As text it is "bin:count
// bin:count ...", bins ascending.
type Histogram map[int]int

const (
	binWidth = 1.01
	// smallest stands for all that is less: a millionth of the unit.
	smallest = 1e-6
)

var logWidth = math.Log(binWidth)

// Add counts one value, which must be a number.
func (h Histogram) Add(v float64) {
	h[int(math.Floor(math.Log(max(v, smallest))/logWidth))]++
}

// Merge counts all that o has counted.
func (h Histogram) Merge(o Histogram) {
	for bin, n := range o {
		h[bin] += n
	}
}

// Count is how many values there are.
func (h Histogram) Count() int {
	total := 0
	for _, n := range h {
		total += n
	}
	return total
}

// Percentile returns the value below which the share q (0 to 1) of the values
// lies; not ok without values.
func (h Histogram) Percentile(q float64) (v float64, ok bool) {
	rank := int(q * float64(h.Count()-1))
	for _, bin := range slices.Sorted(maps.Keys(h)) {
		if rank < h[bin] {
			return math.Pow(binWidth, float64(bin)+0.5), true
		}
		rank -= h[bin]
	}
	return 0, false
}

// MarshalText writes the pairs.
func (h Histogram) MarshalText() ([]byte, error) {
	var text []byte
	for i, bin := range slices.Sorted(maps.Keys(h)) {
		if i > 0 {
			text = append(text, ' ')
		}
		text = strconv.AppendInt(text, int64(bin), 10)
		text = strconv.AppendInt(append(text, ':'), int64(h[bin]), 10)
	}
	return text, nil
}

// UnmarshalText reads the pairs.
func (h *Histogram) UnmarshalText(text []byte) error {
	*h = Histogram{}
	for pair := range strings.FieldsSeq(string(text)) {
		bin, count, _ := strings.Cut(pair, ":")
		i, err := strconv.Atoi(bin)
		if err != nil {
			return fmt.Errorf("eval: histogram: %q is not bin:count: %w", pair, err)
		}
		n, err := strconv.Atoi(count)
		if err != nil || n < 1 {
			return fmt.Errorf("eval: histogram: %q is not bin:count with a count of at least 1", pair)
		}
		(*h)[i] += n
	}
	return nil
}
