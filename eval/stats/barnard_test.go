package stats

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBarnard(t *testing.T) {
	for _, c := range exactRows {
		for i, want := range c.barnard {
			p, ok := Barnard(c.a, c.b, rowOrder[i])
			require.True(t, ok)
			requireRelative(t, want, p, "%v %v %v", c.a, c.b, rowOrder[i])
		}
	}
	// SciPy 1.17.1: barnard_exact([[90, 26], [30, 94]]).statistic
	require.InDelta(t, 8.266959, pooledZ(Rate{90, 120}, Rate{26, 120}), 1e-6)
}

// TestBarnardOfManyTrials: the grid is not kept, the answer is the same kind,
// and a table too large is refused.
func TestBarnardOfManyTrials(t *testing.T) {
	p, ok := Barnard(Rate{1500, 2500}, Rate{1580, 2500}, TwoSided)
	require.True(t, ok)
	require.Nil(t, newUnconditional(2500, 2500).kept)
	f, _ := Fisher(Rate{1500, 2500}, Rate{1580, 2500}, TwoSided)
	require.Less(t, p, f)
	require.InDelta(t, f, p, 0.002)
	_, ok = Barnard(Rate{1, 10_001}, Rate{1, 10_000}, TwoSided)
	require.False(t, ok)
	_, ok = BarnardPower(.1, .2, 10_001, 10_000, TwoSided, 0.05)
	require.False(t, ok)
}

// TestBarnardAgainstEnumeration compares with the definition, table by table
// over a plain grid of common rates, for every outcome of 5 and of 7 trials.
func TestBarnardAgainstEnumeration(t *testing.T) {
	const na, nb, grid = 5, 7, 2000
	choose := func(n, k int) float64 { return math.Round(math.Exp(logChoose(n, k))) }
	for ka := range na + 1 {
		for kb := range nb + 1 {
			seen := pooledZ(Rate{ka, na}, Rate{kb, nb})
			for _, alt := range rowOrder {
				worst := 0.0
				for g := range grid + 1 {
					p := float64(g) / grid
					sum := 0.0
					for x := range na + 1 {
						for y := range nb + 1 {
							z := pooledZ(Rate{x, na}, Rate{y, nb})
							if alt == Greater && z >= seen-1e-9 || alt == Less && z <= seen+1e-9 ||
								alt == TwoSided && math.Abs(z) >= math.Abs(seen)-1e-9 {
								sum += choose(na, x) * choose(nb, y) *
									math.Pow(p, float64(x+y)) * math.Pow(1-p, float64(na+nb-x-y))
							}
						}
					}
					worst = max(worst, sum)
				}
				p, _ := Barnard(Rate{ka, na}, Rate{kb, nb}, alt)
				// The plain grid may miss the top by a little, never exceed it.
				require.GreaterOrEqual(t, p, worst-1e-9, "%d/%d %d/%d %v", ka, na, kb, nb, alt)
				require.InDelta(t, worst, p, 1e-5, "%d/%d %d/%d %v", ka, na, kb, nb, alt)
			}
		}
	}
}

// TestPooledZFalls checks what region relies on: with A's hits held, z falls
// strictly as B's rise.
func TestPooledZFalls(t *testing.T) {
	for na := 1; na <= 12; na++ {
		for nb := 1; nb <= 12; nb++ {
			for ka := range na + 1 {
				for kb := range nb {
					require.Greater(t, pooledZ(Rate{ka, na}, Rate{kb, nb}), pooledZ(Rate{ka, na}, Rate{kb + 1, nb}))
				}
			}
		}
	}
}

// TestBarnardHoldsItsLevel: at any common rate, also between the grid's, the
// chance that p is at most alpha is at most alpha.
func TestBarnardHoldsItsLevel(t *testing.T) {
	const alpha = 0.05
	for _, n := range [][2]int{{10, 10}, {12, 5}, {30, 31}} {
		for _, alt := range []Alternative{TwoSided, Greater} {
			u := newUnconditional(n[0], n[1])
			reject := u.critical(alt, alpha)
			worst := 0.0
			for i := 1; i < 5000; i++ {
				worst = max(worst, reject.chance(u.at(float64(i)/5000*math.Pi/2)))
			}
			require.LessOrEqual(t, worst, alpha)
			require.Greater(t, worst, 0.6*alpha, "a test that never rejects holds any level")
		}
	}
}
