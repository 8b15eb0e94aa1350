package main

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/calib"
	"twinrig/sim"
)

// Arms as different from the model as the virtual rig makes them bear the weight
// that they should.
func TestWeighsVirtualArms(t *testing.T) {
	for seed := range uint64(6) {
		b := newBench(t, seed, sim.NewKinematics())
		c, err := b.cell.runner.Weigh(context.Background())
		require.NoError(t, err)
		t.Logf("virtual, seed %d: %.2f Nm of %.2f", seed, c.Measured, c.Model)
		require.NoError(t, c.Check())
		b.close(t)
	}
}

// An axis that the calibration has the wrong way round is found out: the guard does
// not let the arm start from where it cannot be, or the weight is on the wrong side.
func TestWeighFindsTurnedJoints(t *testing.T) {
	for axis, says := range map[int]string{
		twinrig.Elbow:      "held by the guard",
		twinrig.WristAngle: "wrist_angle bears +",
	} {
		b := newBench(t, 1, sim.NewKinematics(), func(a *calib.Arm) {
			for i := range a.Motors {
				if a.Motors[i].Axis == twinrig.AxisNames[axis] {
					a.Motors[i].Reverse = !a.Motors[i].Reverse
				}
			}
		})
		c, err := b.cell.runner.Weigh(context.Background())
		if err == nil {
			err = c.Check()
		}
		require.ErrorContains(t, err, says)
		b.close(t)
	}
}
