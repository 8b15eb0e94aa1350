package stats

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestForecast(t *testing.T) {
	const most, alpha, studies = 120, 0.05, 2000
	real, ok := ForecastUnpaired(.217, .75, most, alpha, studies, 1)
	require.True(t, ok)
	require.Equal(t, studies, real.Stopped.N)
	power, _ := real.Stopped.Value()
	require.Greater(t, power, 0.99)
	require.InDelta(t, 12, real.MedianPairs, 1.5)
	require.Less(t, real.MedianPairs, real.P90Pairs)
	again, _ := ForecastUnpaired(.217, .75, most, alpha, studies, 1)
	require.Equal(t, real, again)

	// Without a difference it is the type-I error, and studies run to their end.
	none, ok := ForecastUnpaired(.5, .5, most, alpha, studies, 1)
	require.True(t, ok)
	wrong, _ := none.Stopped.Value()
	require.LessOrEqual(t, wrong, alpha)
	require.InDelta(t, most, none.MedianPairs, 0)
	require.Less(t, none.MeanPairs, float64(most)+1e-9)

	lose, win := IndependentPairs(.217, .75)
	paired, ok := ForecastPaired(lose, win, most, alpha, studies, 1)
	require.True(t, ok)
	power, _ = paired.Stopped.Value()
	require.Greater(t, power, 0.99)
	sure, _ := ForecastPaired(0, 1, most, alpha, studies, 1)
	require.Equal(t, StopForecast{Rate{studies, studies}, 7, 7, 7}, sure)
	never, _ := ForecastPaired(1, 0, most, alpha, studies, 1)
	require.Zero(t, never.Stopped.K)
	_, ok = ForecastPaired(.6, .6, most, alpha, studies, 1)
	require.False(t, ok)
}
