package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestUnpairedE holds published walks: (1, 0) again and again, and one mixed.
func TestUnpairedE(t *testing.T) {
	for _, c := range []struct {
		candidate, baseline []int
		e                   []float64
		p                   map[int]float64 // after so many pairs
	}{
		{
			[]int{1, 1, 1, 1, 1, 1, 1, 1},
			[]int{0, 0, 0, 0, 0, 0, 0, 0},
			[]float64{1.777778, 4, 10.24, 28.444444, 83.591837, 256, 809.08642, 2621.44},
			map[int]float64{4: .035156},
		},
		{
			[]int{1, 1, 0, 1, 1, 0, 1, 1},
			[]int{0, 1, 0, 0, 1, 0, 0, 0},
			[]float64{1.777778, 1.333333, 1, 1.777778, 1.451247, 1.184692, 2.106118, 4.127992},
			map[int]float64{1: .5625, 6: .5625, 8: .242249},
		},
	} {
		var e UnpairedE
		require.InDelta(t, 1, e.E(), 0)
		require.InDelta(t, 1, e.P(), 0)
		for i, want := range c.e {
			e.Add(c.baseline[i] == 1, c.candidate[i] == 1)
			require.InDelta(t, want, e.E(), 5e-6*want, "pair %d", i+1)
			if p, ok := c.p[i+1]; ok {
				require.InDelta(t, p, e.P(), 5e-7)
			}
		}
	}
}

// TestPairedE: seven wins in a row reach 20, six do not; a loss before them
// costs, draws cost nothing.
func TestPairedE(t *testing.T) {
	var e PairedE
	want := 1.0
	for i := range 7 {
		require.False(t, e.Rejects(0.05))
		e.Add(true, true)
		e.Add(false, true)
		want *= 2 * (1.5 + float64(i)) / (2.5 + float64(i))
		require.InDelta(t, want, e.E(), 1e-9)
	}
	require.True(t, e.Rejects(0.05))

	var lost PairedE
	lost.Add(true, false)
	require.InDelta(t, 0.8, lost.E(), 1e-12)
	require.InDelta(t, 1, lost.P(), 0)
	for range 3 {
		lost.Add(true, false) // the bet is now at one half: nothing more to lose
	}
	require.InDelta(t, 0.8, lost.E(), 1e-12)
	require.InDelta(t, 0.2, BothWays(EProcess{}, EProcess{maxLog: math.Log(10)}), 1e-12)
	require.InDelta(t, 1, BothWays(EProcess{}, EProcess{}), 0)
}

// TestEProcessKeepsItsBest: evidence may fall again, the p-value may not, and
// neither becomes infinite or NaN.
func TestEProcessKeepsItsBest(t *testing.T) {
	var e UnpairedE
	for range 3000 {
		e.Add(false, true)
	}
	require.InDelta(t, math.MaxFloat64, e.E(), 0)
	require.InDelta(t, 0, e.P(), 0)
	for range 9000 {
		e.Add(true, false)
	}
	require.Less(t, e.E(), 1.0)
	require.InDelta(t, 0, e.P(), 0)
	require.True(t, e.Rejects(1e-300))
	for _, alpha := range []float64{0, 1, -1, math.NaN()} {
		require.False(t, e.Rejects(alpha))
	}
}

// TestFactorsAreFair: whatever came before, the expected factor of the next
// pair is at most 1 under every null, on a grid of rates with the candidate's
// not above the baseline's. This is all that the guarantee rests on.
func TestFactorsAreFair(t *testing.T) {
	const grid = 20
	for n := range 8 {
		for k0 := range n + 1 {
			for k1 := range n + 1 {
				past := UnpairedE{pairs: n, baseline: k0, candidate: k1}
				for i := range grid + 1 {
					for j := range i + 1 {
						p0, p1 := float64(i)/grid, float64(j)/grid
						mean := 0.0
						for _, hit := range [][2]bool{{true, true}, {true, false}, {false, true}, {false, false}} {
							next := past
							next.Add(hit[0], hit[1])
							mean += likelihood(hit[0], p0) * likelihood(hit[1], p1) * next.E()
						}
						require.LessOrEqual(t, mean, 1+1e-12, "%d pairs, %d, %d", n, k0, k1)
					}
				}
			}
		}
		for wins := range n + 1 {
			past := PairedE{wins: wins, discordant: n}
			won, lost := past, past
			won.Add(false, true)
			lost.Add(true, false)
			for win := 0.0; win <= 0.5; win += 0.05 {
				require.LessOrEqual(t, win*won.E()+(1-win)*lost.E(), 1+1e-12)
			}
		}
	}
}

// stopEarly is the share of null studies that stop with a finding when someone
// looks after every pair. Each study has its own rates, which also change from
// scene to scene; the candidate's are the baseline's, or are lower in some.
func stopEarly(studies, pairs int, seed uint64, lower bool, begin func() func(baseline, candidate bool) bool) float64 {
	rng := rand.New(rand.NewPCG(seed, 0))
	found := 0
	for range studies {
		look := begin()
		changes := rng.IntN(2) == 0
		var p0, p1 float64
		for i := range pairs {
			if i == 0 || changes && i%10 == 0 {
				p0 = rng.Float64()
				p1 = p0
				if lower && rng.IntN(2) == 0 {
					p1 *= rng.Float64()
				}
			}
			if look(rng.Float64() < p0, rng.Float64() < p1) {
				found++
				break
			}
		}
	}
	return float64(found) / float64(studies)
}

// TestTypeIError: under optional stopping the e-processes err at most as often
// as they say. That the simulation would notice, TestNaivePeeking shows.
func TestTypeIError(t *testing.T) {
	const studies, pairs, alpha = 4000, 200, 0.05
	for _, lower := range []bool{false, true} {
		unpaired := stopEarly(studies, pairs, 1, lower, func() func(bool, bool) bool {
			var e UnpairedE
			return func(b, c bool) bool { e.Add(b, c); return e.Rejects(alpha) }
		})
		paired := stopEarly(studies, pairs, 2, lower, func() func(bool, bool) bool {
			var e PairedE
			return func(b, c bool) bool { e.Add(b, c); return e.Rejects(alpha) }
		})
		require.LessOrEqual(t, unpaired, alpha)
		require.LessOrEqual(t, paired, alpha)
		require.Greater(t, unpaired, 0.002, "a process that never rejects keeps any promise")
		require.Greater(t, paired, 0.002)
	}
	bothWays := stopEarly(studies, pairs, 3, false, func() func(bool, bool) bool {
		var up, down UnpairedE
		return func(b, c bool) bool {
			up.Add(b, c)
			down.Add(c, b)
			return BothWays(up.EProcess, down.EProcess) <= alpha
		}
	})
	require.LessOrEqual(t, bothWays, alpha)
	require.Greater(t, bothWays, 0.002)
}

// TestNaivePeeking: a one-sided z after each of 5 to 50 pairs, both rates one
// half, finds a difference in .232 of the studies instead of .05.
func TestNaivePeeking(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	const studies = 40_000
	found := 0
	for range studies {
		var a, b Rate
		for a.N < 50 {
			a.Count(rng.IntN(2) == 0)
			b.Count(rng.IntN(2) == 0)
			if a.N >= 5 && pooledZ(a, b) > 1.6448536 {
				found++
				break
			}
		}
	}
	require.InDelta(t, .232, float64(found)/studies, 0.006)
}

// TestStopsOnTable2: Table 2's outcomes in random order, paired as they come,
// stop the study after a median of 11 pairs, nine times of ten by 24.
func TestStopsOnTable2(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	outcomes := func(k int) []bool {
		xs := make([]bool, 120)
		for i := range k {
			xs[i] = true
		}
		return xs
	}
	rl, il := outcomes(90), outcomes(26)
	var took []float64
	for range 4000 {
		rng.Shuffle(120, func(i, j int) { rl[i], rl[j] = rl[j], rl[i] })
		rng.Shuffle(120, func(i, j int) { il[i], il[j] = il[j], il[i] })
		var e UnpairedE
		for i := range rl {
			if e.Add(il[i], rl[i]); e.Rejects(0.05) {
				took = append(took, float64(i+1))
				break
			}
		}
	}
	require.Len(t, took, 4000, "every order stops")
	median, _ := Percentile(took, 0.5)
	p90, _ := Percentile(took, 0.9)
	require.InDelta(t, 11, median, 0)
	require.InDelta(t, 24, p90, 1)
	require.InDelta(t, 52, slices.Max(took), 15)
}
