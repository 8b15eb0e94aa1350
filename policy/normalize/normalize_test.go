package normalize

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// sample are statistics whose every number is its own; number 5 never varied.
func sample() *Vector {
	return &Vector{
		P01:  &[Width]float64{-0.1, -0.2, -0.3, -0.4, -0.5, 0.6, 0},
		P99:  &[Width]float64{0.3, 0.2, 0.1, 0.8, 0.9, 0.6, 1},
		Mean: &[Width]float64{0.01, 0.02, 0.03, 0.04, 0.05, 0.6, 0.07},
		Std:  &[Width]float64{0.1, 0.2, 0.3, 0.4, 0.5, 0, 0.7},
		Mask: &[Width]bool{true, true, true, true, true, true, false},
	}
}

func TestModelAndPhysical(t *testing.T) {
	for method, want := range map[Method][]float64{
		// The ends of the percentiles, beyond them, the middle.
		Bounds:   {-1, 1, 0, 1, -1, 0, 0.25},
		Quantile: {-1, 1, 0, 1.5, -1, 0, 0.25},
		ZScore:   {-1.1, 0.9, -1.3 / 3, 2.65, -1.1, 0, 0.25},
	} {
		n, err := New(method, sample())
		require.NoError(t, err)
		v := []float64{-0.1, 0.2, -0.1, 1.1, -0.5, 0.6, 0.25}
		n.Model(v)
		require.InDeltaSlice(t, want, v, 1e-12, method)
	}
}

// There and back is where it was, whatever the method, but for what was clipped; and a
// number that never varied is what it always was.
func TestRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 1))
	s := sample()
	for _, method := range []Method{Bounds, Quantile, ZScore} {
		n, err := New(method, s)
		require.NoError(t, err)
		for range 200 {
			in := make([]float64, Width)
			for i := range in {
				in[i] = s.P01[i] + rng.Float64()*(s.P99[i]-s.P01[i])
			}
			v := append([]float64(nil), in...)
			n.Model(v)
			for i := range v {
				require.False(t, math.IsNaN(v[i]) || math.IsInf(v[i], 0))
			}
			n.Physical(v)
			require.InDeltaSlice(t, in, v, 1e-12, method)
		}
		off := []float64{0, 0, 0, 0, 0, 0.7, 0} // what never varied does
		n.Model(off)
		require.InDelta(t, 0, off[5], 0, "guarded, not 0.1/0")
		off[5] = 1e9
		n.Physical(off)
		require.InDelta(t, 0.6, off[5], 0)
	}
}

func TestLackingStatistics(t *testing.T) {
	for _, c := range []struct {
		method Method
		v      Vector
		says   string
	}{
		{Bounds, Vector{Mean: &[Width]float64{}}, "needs the percentiles p01 and p99"},
		{ZScore, Vector{P01: &[Width]float64{}}, "needs mean and std"},
		{Server, *sample(), `method is "server"`},
		{"minmax", *sample(), `method is "minmax"`},
		{Quantile, Vector{P01: &[Width]float64{2: 1}, P99: &[Width]float64{}}, "p99 of number 2 is 0, below its p01 1"},
		{ZScore, Vector{Mean: &[Width]float64{}, Std: &[Width]float64{3: -1}}, "std of number 3 is -1"},
	} {
		_, err := New(c.method, &c.v)
		require.ErrorContains(t, err, c.says)
	}
}

const seven7 = "[1, 2, 3, 4, 5, 6, 7]"

// The files that users have.
func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		text, dataset string
		state         bool
	}{
		"ours":            {"action: {p01: " + seven7 + ", p99: " + seven7 + "}\nstate: {mean: " + seven7 + "}", "", true},
		"open-pi-zero":    {`{"action": {"p01": ` + seven7 + `, "p99": ` + seven7 + `, "min": ` + seven7 + `}, "proprio": {"p01": ` + seven7 + `}, "num_trajectories": 60064}`, "", true},
		"openpi":          {`{"norm_stats": {"state": {"mean": [1,2,3,4,5,6,7,0,0], "std": ` + seven7 + `}, "actions": {"q01": ` + seven7 + `, "q99": ` + seven7 + `}}}`, "", true},
		"OpenVLA":         {`{"bridge_orig": {"action": {"q01": ` + seven7 + `, "q99": ` + seven7 + `, "mask": [true,true,true,true,true,true,false]}}}`, "", false},
		"OpenVLA, of two": {`{"bridge_orig": {"action": {"q01": ` + seven7 + `, "q99": ` + seven7 + `}}, "fractal": {}}`, "bridge_orig", false},
	} {
		s, err := Parse([]byte(c.text), c.dataset)
		require.NoError(t, err, name)
		require.Equal(t, &[Width]float64{1, 2, 3, 4, 5, 6, 7}, s.Action.P01, name)
		require.Equal(t, c.state, s.State != nil, name)
		if name == "OpenVLA" {
			require.Equal(t, &[Width]bool{true, true, true, true, true, true, false}, s.Action.Mask)
		}
	}
	for text, says := range map[string]string{
		"[1":                                    "normalize:",
		"{}":                                    "0 data sets",
		"a: {}\nb: {}":                          "2 data sets (a, b): say which",
		"a: {}":                                 "no action",
		"a: 1":                                  "no action",
		"action: 1":                             "action is no map",
		"action: {p01: [1, 2]}":                 "p01: must be 7 numbers",
		"action: {p01: [1,2,3,4,5,6,x]}":        "p01: number 6 is x",
		"action: {p01: [1,2,3,4,5,6,.nan]}":     "number 6 is NaN",
		"action: {p01: [1,2,3,4,5,6,7,8]}":      "has 8 numbers, this arm's have 7",
		"action: {mask: [true]}":                "mask must be 7 truth values",
		"action: {mask: [1,1,1,1,1,1,1]}":       "mask must be 7 truth values",
		"state: {}\naction: {q99: [1,2,3,4,5]}": "q99: must be 7",
	} {
		_, err := Parse([]byte(text), "")
		require.ErrorContains(t, err, says, text)
	}
	_, err := Parse([]byte("a: {}\nb: {}"), "c")
	require.ErrorContains(t, err, `no data set "c" (they have: a, b)`)
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("action: {p01: "+seven7+"}"), "")
	f.Add([]byte(`{"norm_stats": {"actions": {"q01": [1]}}}`), "norm_stats")
	f.Fuzz(func(t *testing.T, text []byte, dataset string) {
		s, err := Parse(text, dataset)
		if err == nil && s.Action == nil {
			t.Fatal("no action, no error")
		}
	})
}
