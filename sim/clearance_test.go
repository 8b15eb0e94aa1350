package sim_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/sim"
)

func TestClearance(t *testing.T) {
	c, err := sim.NewClearance(sim.NominalParams(), 0.01)
	require.NoError(t, err)
	defer c.Close()
	for _, q := range []struct {
		name string
		q    twinrig.Joints
		want string // empty: clear
	}{
		{"home", twinrig.HomePose, ""},
		{"sleep, where the arm rests on itself", twinrig.SleepPose, ""},
		{"upright", twinrig.Joints{0, 0, -1.57, 0, 0, 0}, ""},
		{"over the table", twinrig.Joints{0.4, 0.1, 0.2, 0, 1.2, 0}, ""},
		{"hand in the table", twinrig.Joints{0, 1.2, 0.2, 0, 0.3, 0}, "table"},
		{"elbow in the table", twinrig.Joints{0, 1.9, -1.5, 0, -1.2, 0}, "table"},
		{"hand in the upper arm", twinrig.Joints{0, -1.2, 1.6, 0, 2.0, 0}, "upper_arm_link"},
	} {
		for _, grip := range []twinrig.Grip{0, 1} {
			err := c.Clear(q.q, grip)
			if q.want == "" {
				require.NoError(t, err, q.name)
				continue
			}
			require.ErrorIs(t, err, sim.ErrContact, q.name)
			require.ErrorContains(t, err, q.want, q.name)
		}
	}
}

// What is clear does not depend on what was asked before.
func TestClearanceHasNoMemory(t *testing.T) {
	a, err := sim.NewClearance(sim.NominalParams(), 0.01)
	require.NoError(t, err)
	defer a.Close()
	random := rand.New(rand.NewPCG(7, 0))
	for range 50 {
		b, err := sim.NewClearance(sim.NominalParams(), 0.01)
		require.NoError(t, err)
		var q twinrig.Joints
		for i := range q {
			lo, hi := twinrig.PositionLimits.Lower[i], twinrig.PositionLimits.Upper[i]
			q[i] = lo + random.Float64()*(hi-lo)
		}
		first, second := a.Clear(q, 0.5), b.Clear(q, 0.5)
		require.Equal(t, second == nil, first == nil, "%v", q)
		if first != nil {
			require.Equal(t, second.Error(), first.Error())
		}
		b.Close()
	}
}
