package stats

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func simReal(sim, real []float64) []SimReal {
	policies := make([]SimReal, len(sim))
	for i := range sim {
		policies[i] = SimReal{Sim: sim[i], Real: real[i]}
	}
	return policies
}

// tasks are SimplerEnv's published rates, with the two numbers and MMRV of the
// arguments swapped. SciPy 1.17.1: pearsonr(sim, real).statistic. SimplerEnv's
// r of stack is .999997: its 1e-8 shows when rates are this small.
var tasks = []struct {
	name             string
	real, sim        []float64
	mmrv, r, swapped float64
}{
	{"spoon", []float64{0, .333, .417}, []float64{0, .125, .472}, 0, .826944, 0},
	{"carrot", []float64{0, .25, .083}, []float64{.042, .083, .097}, .111333, .571368, .009333},
	{"stack", []float64{0, 0, .125}, []float64{0, 0, .042}, 0, 1, 0},
	{"eggplant", []float64{0, .25, .4}, []float64{0, .431, .569}, 0, .989415, 0},
	{
		"move near",
		[]float64{.733, .633, .583, .45, .017, .35},
		[]float64{.779, .442, .354, .317, .05, .042},
		.111, .856097, .002667,
	},
	{
		"coke can",
		[]float64{.907, .853, .92, .76, .133, .293},
		[]float64{.787, .857, .71, .567, .027, .17},
		.031333, .975434, .061833,
	},
}

func TestSimReal(t *testing.T) {
	for _, c := range tasks {
		policies := simReal(c.sim, c.real)
		v, ok := MMRV(policies)
		require.True(t, ok)
		require.InDelta(t, c.mmrv, v, 5e-7, c.name)
		r, ok := Pearson(policies)
		require.True(t, ok)
		require.InDelta(t, c.r, r, 5e-7, c.name)
		v, _ = MMRV(simReal(c.real, c.sim))
		require.InDelta(t, c.swapped, v, 5e-7, c.name)
		r, _ = Pearson(simReal(c.real, c.sim))
		require.InDelta(t, c.r, r, 5e-7, "%s: r does not know which is which", c.name)
	}
}

// TestMMRVTies: a tie counts in simulation, not in reality.
func TestMMRVTies(t *testing.T) {
	for _, c := range []struct {
		sim, real []float64
		want      float64
	}{
		{[]float64{.5, .5}, []float64{.2, .7}, .25},
		{[]float64{.2, .7}, []float64{.5, .5}, 0},
		{[]float64{.5, .5, .2}, []float64{.6, .5, .2}, 1.0 / 30},
		{[]float64{.6, .5, .2}, []float64{.5, .5, .2}, 0},
		{[]float64{.3, .3, .3}, []float64{.1, .5, .9}, (0 + .4 + .8) / 3},
		{[]float64{.3, .3, .3}, []float64{.1, .2, .9}, (0 + .1 + .8) / 3},
		{[]float64{0, 1}, []float64{1, 0}, 1},
		{[]float64{.4, .4}, []float64{.4, .4}, 0},
	} {
		v, ok := MMRV(simReal(c.sim, c.real))
		require.True(t, ok)
		require.InDelta(t, c.want, v, 1e-12)
	}
}

func TestSimRealUndefined(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name      string
		sim, real []float64
		mmrv, r   bool
	}{
		{"none", nil, nil, false, false},
		{"one", []float64{.5}, []float64{.5}, false, false},
		{"two: r would be 1", []float64{.1, .2}, []float64{.3, .4}, true, false},
		{"constant simulation", []float64{.1, .1, .1}, []float64{.3, .4, .5}, true, false},
		{"constant reality", []float64{.3, .4, .5}, []float64{.1, .1, .1}, true, false},
		{"NaN", []float64{.3, nan, .5}, []float64{.3, .4, .5}, false, false},
		{"NaN in reality", []float64{.3, .4, .5}, []float64{.3, .4, nan}, false, false},
		{"infinite", []float64{.3, inf, .5}, []float64{.3, .4, .5}, false, false},
		{"infinite in the right order", []float64{.3, .4, .5}, []float64{.3, .4, inf}, false, false},
		{"squares of nothing", []float64{0, 1e-200, 2e-200}, []float64{.3, .4, .5}, true, false},
		{"infinite in reality", []float64{.3, .4, .5}, []float64{inf, .4, .5}, false, false},
	} {
		_, ok := MMRV(simReal(c.sim, c.real))
		require.Equal(t, c.mmrv, ok, c.name)
		_, ok = Pearson(simReal(c.sim, c.real))
		require.Equal(t, c.r, ok, c.name)
		_, ok = PearsonBootstrap(simReal(c.sim, c.real), 0.95, 100, 1)
		require.False(t, ok, c.name)
	}
}

// TestPearsonBootstrap: five policies are the least; the interval holds r, is
// wide, and with a perfect line is no wider than rounding.
func TestPearsonBootstrap(t *testing.T) {
	coke := simReal(tasks[5].sim, tasks[5].real)
	iv, ok := PearsonBootstrap(coke, 0.95, 5000, 1)
	require.True(t, ok)
	r, _ := Pearson(coke)
	require.Less(t, iv.Lo, r)
	require.Greater(t, iv.Hi, r)
	require.LessOrEqual(t, iv.Hi, 1.0)
	again, _ := PearsonBootstrap(coke, 0.95, 5000, 1)
	require.Equal(t, iv, again)

	_, ok = PearsonBootstrap(coke[:4], 0.95, 5000, 1)
	require.False(t, ok)
	line := simReal([]float64{.1, .2, .3, .4, .5}, []float64{.3, .5, .7, .9, 1.1})
	iv, ok = PearsonBootstrap(line, 0.95, 1000, 1)
	require.True(t, ok)
	require.InDelta(t, 1, iv.Lo, 1e-9)
}
