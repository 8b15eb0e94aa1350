package calib

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUndistortInvertsDistort(t *testing.T) {
	for _, k := range [][5]float64{{}, {-0.12, 0.04, 0.0008, -0.0005, 0}, {-0.28, 0.09, -0.001, 0.002, -0.02}, {0.1, -0.05, 0, 0, 0.01}} {
		for _, p := range [][2]float64{{0, 0}, {0.5, 0.38}, {-0.5, 0.38}, {0.1, -0.3}} {
			xd, yd := Distort(k, p[0], p[1])
			x, y, err := Undistort(k, xd, yd)
			require.NoError(t, err)
			require.InDelta(t, p[0], x, 1e-8)
			require.InDelta(t, p[1], y, 1e-8)
		}
	}
	_, _, err := Undistort([5]float64{-1}, 0.9, 0)
	require.ErrorContains(t, err, "no inverse")
}
