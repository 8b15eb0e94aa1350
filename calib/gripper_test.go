package calib

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCrank(t *testing.T) {
	g := Nominal().Arm.Gripper
	// One finger's position against the crank angle, by the same formula
	// evaluated elsewhere.
	for angle, finger := range map[float64]float64{
		0: 0.019494, 0.5: 0.027329, 1.0: 0.034557, -0.377984: 0.015, 1.268426: 0.037,
	} {
		require.InDelta(t, finger, g.Finger(angle), 1e-6)
		require.InDelta(t, angle, g.Angle(g.Finger(angle)), 1e-9)
		const h = 1e-6
		require.InDelta(t, (g.Finger(angle+h)-g.Finger(angle-h))/(2*h), g.Slope(angle), 1e-9)
	}
}
