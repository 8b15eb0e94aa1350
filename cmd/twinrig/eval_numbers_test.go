package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig/eval"
)

// evaluate runs `twinrig eval ARGS`.
func evaluate(t *testing.T, args ...string) (stdout string, err error) {
	t.Helper()
	var out bytes.Buffer
	c := root()
	c.SetArgs(append([]string{"eval"}, args...))
	c.SetOut(&out)
	c.SetErr(&out)
	err = c.ExecuteContext(t.Context())
	return out.String(), err
}

func evaluateJSON(t *testing.T, into any, args ...string) {
	t.Helper()
	out, err := evaluate(t, args...)
	require.NoError(t, err)
	d := json.NewDecoder(bytes.NewReader([]byte(out)))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(into), out)
}

func TestEvalCompare(t *testing.T) {
	var c eval.Comparison
	evaluateJSON(t, &c, "compare", "26/120", "90/120", "--json")
	require.InDelta(t, .1524, c.A.Interval[0], 5e-5)
	require.InDelta(t, .2985, c.A.Interval[1], 5e-5)
	require.InDelta(t, .6627, c.B.Exact[0], 5e-5)
	require.InDelta(t, .8245, c.B.Exact[1], 5e-5)
	require.InDelta(t, .5333, *c.Difference.Value, 5e-5)
	require.InDelta(t, .4157, c.Difference.Newcombe[0], 5e-5)
	require.InDelta(t, .6276, c.Difference.Newcombe[1], 5e-5)
	require.InEpsilon(t, 7.1e-17, *c.Fisher.TwoSided, 0.01)
	require.InEpsilon(t, 3.1e-17, *c.Barnard.TwoSided, 0.02)
	require.InEpsilon(t, 1.5e-17, *c.ABetter, 0.04)
	require.InDelta(t, 1, *c.BBetter, 1e-12)
	require.Nil(t, c.McNemar)
	require.False(t, c.Difference.Paired)

	evaluateJSON(t, &c, "compare", "6/10", "9/10", "--json")
	require.InDelta(t, .303, *c.Fisher.TwoSided, 5e-4)
	require.InDelta(t, .151, *c.Barnard.TwoSided, 5e-4)
	require.InDelta(t, .076, *c.Barnard.OneSided, 5e-4)
	require.InDelta(t, .926, *c.BBetter, 5e-4)
}

func TestEvalComparePaired(t *testing.T) {
	for _, order := range []string{"79,15", "15, 79"} {
		var c eval.Comparison
		evaluateJSON(t, &c, "compare", "26/120", "90/120", "--paired", order, "--json")
		require.Equal(t, []int{15, 79}, []int{c.McNemar.OnlyA, c.McNemar.OnlyB}, order)
		require.InEpsilon(t, 1.2e-11, *c.McNemar.TwoSided, 0.05)
		require.Less(t, *c.McNemar.OneSided, *c.McNemar.TwoSided)
		require.True(t, c.Difference.Paired)
		require.Positive(t, c.Difference.Newcombe[0])
	}
	out, err := evaluate(t, "compare", "26/120", "90/120", "--paired", "0,64")
	require.NoError(t, err)
	require.Contains(t, out, "McNemar, exact         p = 1.08e-19")
	require.Contains(t, out, "Newcombe, paired")
}

func TestEvalPower(t *testing.T) {
	for _, c := range []struct {
		n           string
		p1, p2      string
		want, delta float64
	}{
		{"10", ".217", ".75", .78, .005},
		{"10", ".6", ".9", .47, .005},
		{"10", ".5", ".7", .22, .005},
		{"20", ".9", ".6", .67, .005},
	} {
		var a powerAnswer
		evaluateJSON(t, &a, "power", "--p1", c.p1, "--p2", c.p2, "--n", c.n, "--json")
		require.InDelta(t, c.want, a.Power, c.delta, c)
		require.Less(t, a.Fisher, a.Power)
	}
	var a powerAnswer
	evaluateJSON(t, &a, "power", "--p1", ".6", "--p2", ".9", "--power", ".8", "--json")
	require.GreaterOrEqual(t, a.Power, .8)
	require.Greater(t, a.N, 20)
	var fewer powerAnswer
	out, err := evaluate(t, "power", "--p1", ".6", "--p2", ".9", "--n", "20")
	require.NoError(t, err)
	require.Contains(t, out, "finds the difference with probability 0.67")
	evaluateJSON(t, &fewer, "power", "--p1", ".6", "--p2", ".9", "--n", "20", "--two-sided", "--json")
	require.Less(t, fewer.Power, .67)
}

func TestEvalNumbersUsage(t *testing.T) {
	for _, c := range []struct {
		want string
		args []string
	}{
		{"wants two rates", []string{"compare", "1/2"}},
		{"more hits than trials", []string{"compare", "3/2", "1/2"}},
		{"such as 15,79", []string{"compare", "1/2", "1/2", "--paired", "7"}},
		{"pairs need equally many", []string{"compare", "1/2", "1/3", "--paired", "0,0"}},
		{"differ by 1 successes", []string{"compare", "1/2", "2/2", "--paired", "0,0"}},
		{"leave room for", []string{"compare", "1/4", "2/4", "--paired", "2,3"}},
		{"--p2 is needed", []string{"power", "--p1", ".5", "--n", "3"}},
		{"either --n", []string{"power", "--p1", ".5", "--p2", ".6"}},
		{"--n is 0, must be 1 to 2000", []string{"power", "--p1", ".5", "--p2", ".6", "--n", "0"}},
		{"--p1 is 60, must be 0 to 1", []string{"power", "--p1", "60", "--p2", ".6", "--n", "9"}},
		{"500 trials of each policy have less", []string{"power", "--p1", ".50", "--p2", ".51", "--power", ".8"}},
		{"that is not there", []string{"power", "--p1", ".5", "--p2", ".5", "--power", ".8"}},
	} {
		_, err := evaluate(t, c.args...)
		require.ErrorContains(t, err, c.want)
		require.ErrorAs(t, err, new(usageError), c.want)
	}
}
