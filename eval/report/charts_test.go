package report

import (
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/plotter"

	"twinrig/eval"
)

func TestTicksAreRound(t *testing.T) {
	for _, c := range []struct {
		top    float64
		labels []string
	}{
		{1, []string{"0", "0.2", "0.4", "0.6", "0.8", "1"}},
		{0.1, []string{"0", "0.02", "0.04", "0.06", "0.08", "0.1"}},
		{20, []string{"0", "5", "10", "15", "20"}},
		{32.9, []string{"0", "5", "10", "15", "20", "25", "30"}},
		{140, []string{"0", "20", "40", "60", "80", "100", "120", "140"}},
	} {
		var got []string
		for _, mark := range ticks(c.top) {
			got = append(got, mark.Label)
		}
		require.Equal(t, c.labels, got)
	}
}

func TestThinKeepsPeaks(t *testing.T) {
	c := eval.Curve{T: make([]float64, 1000), EEMM: make([]float64, 1000)}
	for i := range c.T {
		c.T[i] = float64(i)
	}
	c.EEMM[123], c.EEMM[999] = 40, 50
	xys := thin(c)
	require.LessOrEqual(t, len(xys), maxPoints)
	require.Contains(t, xys, plotter.XY{X: 123, Y: 40})
	require.Contains(t, xys, plotter.XY{X: 999, Y: 50})
}

func TestMedianStopsWithTheTypicalTrial(t *testing.T) {
	curve := func(seconds int, mm float64) eval.Curve {
		var c eval.Curve
		for i := range seconds {
			c.T, c.EEMM = append(c.T, float64(i)), append(c.EEMM, mm)
		}
		return c
	}
	// Seven of the eight run until 30 s, three until 60 s: less than half.
	m := median([]eval.Curve{
		curve(30, 1), curve(30, 2), curve(30, 3), curve(30, 4), curve(10, 5),
		curve(60, 90), curve(60, 91), curve(60, 92),
	}, 60)
	require.Len(t, m, 30)
	require.InDelta(t, 4.5, m[0].Y, 1e-12)
	require.InDelta(t, 4, m[29].Y, 1e-12)
	require.Empty(t, median([]eval.Curve{curve(9, 1), curve(9, 2)}, 10), "two trials have no median to speak of")
}

// TestOnlyCountedCurvesAreDrawn adds one of an attempt that does not count and
// one too short to draw.
func TestOnlyCountedCurvesAreDrawn(t *testing.T) {
	r := sample(t)
	want, err := r.curveChart()
	require.NoError(t, err)
	r.Curves = append(r.Curves,
		eval.Curve{Trial: r.Excluded[0].Trial.ID, T: []float64{0, 99}, EEMM: []float64{0, 99}},
		eval.Curve{Trial: r.Counted[0].Trial.ID, T: []float64{0}, EEMM: []float64{99}})
	got, err := r.curveChart()
	require.NoError(t, err)
	require.Equal(t, want, got)
}
