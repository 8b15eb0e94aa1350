package eval

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig/eval/stats"
)

// analysed runs the golden study through the analysis; change may alter the
// plan and every result.
func analysed(t *testing.T, change func(*Study, []Result)) *Analysis {
	t.Helper()
	s, outcomes := table2(t)
	var results []Result
	for _, tr := range s.Plan() {
		r, err := scripted(outcomes).RunTrial(t.Context(), tr)
		require.NoError(t, err)
		r.Trial = tr
		results = append(results, r)
	}
	if change != nil {
		change(s, results)
	}
	a, err := Analyse(s, results, nil)
	require.NoError(t, err)
	return a
}

// The golden study has each placement for both policies: the pairs decide.
func TestTestsOfPairs(t *testing.T) {
	a := analysed(t, nil)
	require.Len(t, a.Tests.Comparisons, 1)
	require.Nil(t, a.Tests.Letters, "two policies need none")
	c := a.Tests.Comparisons[0]
	require.Equal(t, [3]string{"pi_pre", "rl_n100", "mcnemar"}, [3]string{c.PolicyA, c.PolicyB, c.Test})
	_, outcomes := table2(t)
	var p stats.Pairs
	for key, r := range outcomes {
		if k, ok := cutSuffix(key, "/pi_pre"); ok {
			p.Count(r.Verdict.Success, outcomes[k+"/rl_n100"].Verdict.Success)
		}
	}
	require.Equal(t, 120, p.N())
	require.Equal(t, p.OnlyA, c.McNemar.OnlyA)
	require.Equal(t, p.OnlyB, c.McNemar.OnlyB)
	require.Equal(t, 64, p.OnlyB-p.OnlyA)
	want := ComparePairs(p)
	require.Equal(t, want.McNemar.TwoSided, c.P)
	require.InDelta(t, *c.P, *c.Adjusted, 0, "one comparison needs no adjustment")
	require.True(t, c.Difference.Paired)
	require.Equal(t, want.Difference.Newcombe, c.Difference.Newcombe)

	require.InDelta(t, 64./120, *c.Difference.Value, 1e-12)
	require.Less(t, c.Scenes.Bootstrap[0], 64./120)
	require.Greater(t, c.Scenes.Bootstrap[1], 64./120)
	require.InDelta(t, 2./4096, *c.Scenes.SignFlip, 1e-12, "all twelve scenes go one way")
	require.Equal(t, "paired", c.Sequential.Kind)
	require.Equal(t, 120, c.Sequential.Pairs)
	require.Less(t, c.Sequential.P, 1e-6)
	require.Greater(t, c.Sequential.EB, 1e6)
	require.Less(t, c.Sequential.EA, 1.)
	require.Less(t, *c.Sequential.RejectedAt, 60)
	// 11.5 s and 10.2 s are no speed-up; the golden file's pairs of times are made up.
	require.Greater(t, c.Time.Welch.P, Alpha)
	require.Equal(t, p.Both, c.Time.Pairs)
	_, timeP := c.Speedup()
	require.Equal(t, c.Time.Paired, timeP)
}

func cutSuffix(s, suffix string) (string, bool) {
	n := len(s) - len(suffix)
	if n < 0 || s[n:] != suffix {
		return s, false
	}
	return s[:n], true
}

// Without all partners the pairs would be a choice, and without an order there
// is no evidence over time.
func TestTestsWithoutPairs(t *testing.T) {
	for name, change := range map[string]func(*Study, []Result){
		"one trial lost": func(_ *Study, rs []Result) { rs[7].Termination, rs[7].Verdict, rs[7].TSuccess = Invalid, nil, nil },
		"imported":       func(s *Study, _ []Result) { s.Imported = &Imported{Unpaired: true, Unordered: true, MomentsOnly: true} },
	} {
		t.Run(name, func(t *testing.T) {
			c := analysed(t, change).Tests.Comparisons[0]
			require.Equal(t, "barnard", c.Test)
			require.Nil(t, c.McNemar)
			require.False(t, c.Difference.Paired)
			require.Equal(t, c.Barnard.TwoSided, c.P)
			if name == "imported" {
				require.Nil(t, c.Sequential)
				require.Nil(t, c.Time.Log)
				require.Nil(t, c.Time.Paired)
				require.NotNil(t, c.Time.Welch)
				return
			}
			require.Equal(t, "unpaired", c.Sequential.Kind)
			require.Equal(t, 119, c.Sequential.Pairs)
		})
	}
}

// Three policies: all pairs, adjusted after Holm, and letters that say the same.
func TestTestsOfThreePolicies(t *testing.T) {
	s, outcomes := table2(t)
	s.Policies = append(s.Policies, Policy{Name: "rl_again"})
	var results []Result
	for _, tr := range s.Plan() {
		known := tr
		if tr.Policy == "rl_again" {
			known.Policy = "rl_n100"
		}
		r, err := scripted(outcomes).RunTrial(t.Context(), known)
		require.NoError(t, err)
		r.Trial = tr
		results = append(results, r)
	}
	a, err := Analyse(s, results, nil)
	require.NoError(t, err)
	require.Len(t, a.Tests.Comparisons, 3)
	first, second, third := a.Tests.Comparisons[0], a.Tests.Comparisons[1], a.Tests.Comparisons[2]
	require.InDelta(t, *first.P, *second.P, 0)
	require.InEpsilon(t, 3**first.P, *first.Adjusted, 1e-12)
	require.InDelta(t, 1, *third.Adjusted, 1e-12)
	require.Equal(t, map[string]string{"rl_n100": "a", "rl_again": "a", "pi_pre": "b"}, a.Tests.Letters)
}

// A speed-up is claimed only if the test that compares like with like finds it,
// and then in its own direction.
func TestSpeedup(t *testing.T) {
	welch := func(statistic, p float64) *stats.MeanTest { return &stats.MeanTest{T: statistic, DF: 9, P: p} }
	num := func(v float64) *float64 { return &v }
	for _, c := range []struct {
		name   string
		time   TimeTests
		faster int
		p      *float64
	}{
		{"nothing", TimeTests{}, 0, nil},
		{"welch", TimeTests{Welch: welch(-3, .01)}, 1, num(.01)},
		{"logarithms before welch", TimeTests{Welch: welch(-3, .01), Log: welch(-1, .3)}, 0, num(.3)},
		{"logarithms' own direction", TimeTests{Welch: welch(-3, .01), Log: welch(3, .02)}, -1, num(.02)},
		{"pairs before all", TimeTests{Welch: welch(-3, .01), Log: welch(-3, .01), Pairs: 4, PairedMean: num(-1), Paired: num(.125)}, 0, num(.125)},
		{"pairs' own direction", TimeTests{Welch: welch(-3, .01), Pairs: 9, PairedMean: num(2), Paired: num(.004)}, -1, num(.004)},
	} {
		t.Run(c.name, func(t *testing.T) {
			faster, p := (&PolicyComparison{Time: c.time}).Speedup()
			require.Equal(t, c.faster, faster)
			require.Equal(t, c.p, p)
		})
	}
}

// Through fewer than five policies there is nearly always a line.
func TestCorrelationNeedsFivePolicies(t *testing.T) {
	for n, there := range map[int]bool{4: false, 5: true} {
		s := sampleStudy(1, 1, 4)
		s.Policies = nil
		for i := range n {
			s.Policies = append(s.Policies, Policy{Name: string(rune('a' + i))})
		}
		var results []Result
		for _, tr := range s.Plan() {
			// Policy i does it in the first i of four trials, its mirror in one less.
			i := int(tr.Policy[0] - 'a')
			r := Result{
				Trial: tr, Termination: Timeout, End: s.Timeout.Seconds(),
				Verdict: &Verdict{Success: tr.PlacementID < i, Partial: tr.PlacementID < i, Source: "operator", Who: "ann"},
				Mirror:  &Mirror{Success: tr.PlacementID < i-1}, Provenance: Provenance{ConfigSHA256: s.ConfigSHA256},
			}
			if !r.Verdict.Success {
				r.Verdict.Labels = []Label{OtherExecution}
			}
			results = append(results, r)
		}
		a, err := Analyse(s, results, nil)
		require.NoError(t, err)
		c := a.Correlation()
		require.Equal(t, there, c != nil)
		if there {
			require.Equal(t, 5, c.Policies)
			// real 0, .25, .5, .75, 1 against simulated 0, 0, .25, .5, .75
			require.InDelta(t, .5/math.Sqrt(.625*.425), *c.Pearson, 1e-12)
			// a and b tie in simulation: a's order against b is wrong by .25, one of five.
			require.InDelta(t, .25/5, *c.MMRV, 1e-12)
		}
	}
}
