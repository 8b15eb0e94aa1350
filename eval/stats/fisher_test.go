package stats

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// rowOrder is the order of exactRows' columns.
var rowOrder = [...]Alternative{TwoSided, Less, Greater}

// exactRows are the tables of both exact tests.
// SciPy 1.17.1: fisher_exact([[ka, kb], [na-ka, nb-kb]], alternative) and
// barnard_exact(same, alternative, pooled=True, n=256). The two values of
// Barnard's marked so are not SciPy's, whose search for the worst common rate
// stopped short (.0355579 and .00242143): they are the largest of 200,001 rates.
var exactRows = []struct {
	a, b            Rate
	fisher, barnard [3]float64
}{
	{Rate{6, 10}, Rate{9, 10}, [3]float64{.303406, .151703, .983746}, [3]float64{.151019, .0755097, 1}},
	{Rate{2, 10}, Rate{7, 10}, [3]float64{.0697785, .0348893, .997261}, [3]float64{.0413895, .0206947, 1}},
	{Rate{0, 10}, Rate{5, 10}, [3]float64{.0325077, .0162539, 1}, [3]float64{.0127792, .00638962, 1}},
	{Rate{3, 10}, Rate{10, 10}, [3]float64{.00309598, .00154799, 1}, [3]float64{.00087281, .000436405, 1}},
	{Rate{26, 120}, Rate{90, 120}, [3]float64{7.14517e-17, 3.57258e-17, 1}, [3]float64{3.13254e-17, 1.56627e-17, 1}},
	{Rate{54, 120}, Rate{106, 120}, [3]float64{6.59927e-13, 3.29964e-13, 1}, [3]float64{4.61004e-13, 2.30502e-13, 1}},
	{Rate{40, 100}, Rate{52, 100}, [3]float64{.118388, .0591941, .967573}, [3]float64{.0969164, .0484582, 1}},
	{Rate{7, 12}, Rate{1, 9}, [3]float64{.0668731, .997567, .0374613}, [3]float64{.0359816 /* grid */, 1, .0186324}},
	{Rate{5, 30}, Rate{14, 25}, [3]float64{.00394254, .0026145, .999649}, [3]float64{.00243682 /* grid */, .00132274, 1}},
	{Rate{1, 4}, Rate{3, 4}, [3]float64{.485714, .242857, .985714}, [3]float64{.289063, .144531, 1}},
	{Rate{0, 5}, Rate{0, 7}, [3]float64{1, 1, 1}, [3]float64{1, 1, 1}},
}

// requireRelative holds p to four digits of want, however small.
func requireRelative(t *testing.T, want, p float64, what ...any) {
	t.Helper()
	require.InEpsilon(t, want, p, 5e-5, what...)
}

func TestFisher(t *testing.T) {
	for _, c := range exactRows {
		for i, want := range c.fisher {
			p, ok := Fisher(c.a, c.b, rowOrder[i])
			require.True(t, ok)
			requireRelative(t, want, p, "%v %v %v", c.a, c.b, rowOrder[i])
		}
	}
}

// TestFisherHoldsItsLevel: given any total of hits, the chance of p <= alpha is
// at most alpha, and swapping the policies swaps the sides.
func TestFisherHoldsItsLevel(t *testing.T) {
	const na, nb = 7, 9
	for hits := range na + nb + 1 {
		least, reach := fisherMargin(na, nb, hits, Less) // at most this many hits of A
		for _, alt := range []Alternative{TwoSided, Greater, Less} {
			_, ps := fisherMargin(na, nb, hits, alt)
			for _, level := range ps {
				chance := 0.0
				for i, p := range ps {
					if p <= level {
						chance += reach[i]
						if i > 0 {
							chance -= reach[i-1]
						}
					}
				}
				require.LessOrEqual(t, chance, level+1e-12)
			}
			for i, p := range ps {
				swapped, _ := Fisher(Rate{hits - least - i, nb}, Rate{least + i, na}, opposite(alt))
				require.InDelta(t, p, swapped, 1e-12)
			}
		}
	}
}

func opposite(alt Alternative) Alternative {
	return [...]Alternative{TwoSided: TwoSided, Greater: Less, Less: Greater}[alt]
}

func TestAlternativeNames(t *testing.T) {
	require.Equal(t, []string{"two-sided", "greater", "less", "unknown"},
		[]string{TwoSided.String(), Greater.String(), Less.String(), Alternative(7).String()})
}
