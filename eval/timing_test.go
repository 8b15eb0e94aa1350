package eval

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPoolTiming(t *testing.T) {
	s := sampleStudy(1, 2, 2)
	of := func(policy int, late []LateBin, in *Inference) Result {
		return Result{Trial: Trial{Policy: s.Policies[policy].Name}, Loop: &Loop{Ticks: 10, Hz: 100, Late: late, Inference: in}}
	}
	results := []Result{
		of(0, []LateBin{{8, 6}, {64, 4}}, &Inference{Asked: 5, Accepted: 3, Refused: map[string]int{"late": 1, "nan": 1}, WarmUpMS: 700, LatenciesMS: []float64{10, 20}, IdleS: 0.4, SeamMaxRad: 0.1}),
		of(0, []LateBin{{8, 9}, {16, 1}}, &Inference{Asked: 4, Accepted: 3, Refused: map[string]int{"nan": 1}, WarmUpMS: 900, LatenciesMS: []float64{30, 40, 50}, IdleS: 0.2, SeamMaxRad: 0.3}),
		of(1, nil, nil),
		{Trial: Trial{Policy: s.Policies[1].Name}},
	}
	require.Equal(t, []LateBin{{8, 15}, {16, 1}, {64, 4}}, poolLoops(results).Late)
	pools := poolInference(s, results)
	require.Len(t, pools, 1, "nobody asked the other")
	p := pools[0]
	require.Equal(t, s.Policies[0].Name, p.Policy)
	require.Equal(t, []int{2, 9, 6, 5}, []int{p.Trials, p.Asked, p.Accepted, p.N})
	require.Equal(t, []RefusedCount{{"nan", 2}, {"late", 1}}, p.Refused)
	require.InDelta(t, 30, p.P50MS, 1e-9, "of all samples, not of quantiles")
	require.InDelta(t, 900, p.WarmUpMS, 0)
	require.InDelta(t, 0.6, p.IdleS, 1e-12)
	require.InDelta(t, 0.3, p.SeamMaxRad, 0)
}
