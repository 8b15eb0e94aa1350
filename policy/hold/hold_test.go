package hold_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/policy"
	"twinrig/policy/hold"
)

func TestHoldAsksForNothing(t *testing.T) {
	p := hold.New()
	require.NoError(t, p.Spec().Validate())
	act := func(grip twinrig.Grip) policy.Chunk {
		c, err := p.Act(context.Background(), &twinrig.Observation{State: twinrig.State{Grip: grip}})
		require.NoError(t, err)
		require.Len(t, c, p.Spec().Horizon)
		return c
	}
	want := twinrig.Action{twinrig.GripAxis: 0.7}
	for _, a := range act(0.7) {
		require.Equal(t, want, a)
	}
	require.Equal(t, want, act(0.65)[3], "the gripper does not creep after its reading")
	require.NoError(t, p.Reset(context.Background()))
	require.Equal(t, twinrig.Action{twinrig.GripAxis: 1}, act(1.02)[0], "a reading past the stop is still in range")
}
