package eval

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig/eval/stats"
)

// Histograms of parts add up to that of the whole, through JSON too, and its
// quantiles are within half a percent of the exact ones.
func TestHistogramsAddUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	whole, sum := Histogram{}, Histogram{}
	var values []float64
	for range 40 {
		part := Histogram{}
		for range 250 {
			v := 30 * rng.Float64() * rng.Float64()
			values = append(values, v)
			part.Add(v)
			whole.Add(v)
		}
		text, err := json.Marshal(part)
		require.NoError(t, err)
		var again Histogram
		require.NoError(t, json.Unmarshal(text, &again))
		require.Equal(t, part, again)
		sum.Merge(again)
	}
	require.Equal(t, whole, sum)
	require.Equal(t, len(values), sum.Count())
	for _, q := range []float64{0, 0.05, 0.5, 0.95, 1} {
		want, _ := stats.Percentile(values, q)
		got, ok := sum.Percentile(q)
		require.True(t, ok)
		require.InEpsilon(t, want, got, 0.006, "quantile %g", q)
	}
}

func TestHistogramAtItsEdges(t *testing.T) {
	_, ok := Histogram{}.Percentile(0.95)
	require.False(t, ok)
	h := Histogram{}
	h.Add(0)
	v, ok := h.Percentile(0.95)
	require.True(t, ok)
	require.InDelta(t, 0, v, 2e-6)
	for text, reason := range map[string]string{`"1"`: "is not bin:count", `"1:0"`: "at least 1", `"x:2"`: "is not bin:count", "[1]": "unmarshal"} {
		require.ErrorContains(t, json.Unmarshal([]byte(text), &h), reason)
	}
}
