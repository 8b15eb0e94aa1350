package stats

import (
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// TestProbGreater: mpmath at 50 digits and SciPy 1.17.1,
// quad(betainc(kb+1, nb-kb+1, x) * beta.pdf(x, ka+1, na-ka+1), 0, 1).
func TestProbGreater(t *testing.T) {
	for _, c := range []struct {
		a, b Rate
		want float64
	}{
		{Rate{26, 120}, Rate{90, 120}, 1.5141141e-17},
		{Rate{9, 10}, Rate{6, 10}, .92569659},
		{Rate{0, 10}, Rate{0, 10}, .5},
		{Rate{10, 10}, Rate{0, 10}, .99999858},
		{Rate{3, 7}, Rate{11, 40}, .81305915},
		{Rate{1, 1}, Rate{0, 1}, .83333333},
	} {
		p, ok := ProbGreater(c.a, c.b)
		require.True(t, ok)
		require.InEpsilon(t, c.want, p, 1e-7)
		q, _ := ProbGreater(c.b, c.a)
		require.InDelta(t, 1, p+q, 1e-12)
	}
}

// TestProbGreaterAgainstIntegral compares with the integral over A's posterior,
// for all outcomes of six and nine trials.
func TestProbGreaterAgainstIntegral(t *testing.T) {
	for ka := range 7 {
		for kb := range 10 {
			posterior := distuv.Beta{Alpha: float64(ka + 1), Beta: float64(7 - ka)}
			want := quad.Fixed(func(x float64) float64 {
				return posterior.Prob(x) * mathext.RegIncBeta(float64(kb+1), float64(10-kb), x)
			}, 0, 1, 40, quad.Legendre{}, 0)
			p, _ := ProbGreater(Rate{ka, 6}, Rate{kb, 9})
			require.InDelta(t, want, p, 1e-10)
		}
	}
}
