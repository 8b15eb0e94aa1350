package replay

import (
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/policy"
)

func TestReplaysThenStays(t *testing.T) {
	for space, stays := range map[policy.Space]twinrig.Action{
		policy.BridgeDelta:   {6: 0.6},
		policy.JointDelta:    {6: 0.6},
		policy.EEPose:        {0: 0.06, 6: 0.6},
		policy.JointPosition: {0: 0.06, 6: 0.6},
	} {
		var m []twinrig.Action
		for i := 1; i <= 6; i++ {
			m = append(m, twinrig.Action{0: 0.01 * float64(i), 6: 0.1 * float64(i)})
		}
		m[5] = twinrig.Action{0: 0.06, 6: 0.6}
		p, err := New(Motion{Space: space, RateHz: 5, Actions: m})
		require.NoError(t, err)
		for range 2 { // and again after a reset
			require.NoError(t, p.Reset(t.Context()))
			var got policy.Chunk
			for range 3 {
				c, err := p.Act(t.Context(), nil)
				require.NoError(t, err)
				require.Len(t, c, p.Spec().Horizon)
				got = append(got, c...)
			}
			require.Equal(t, policy.Chunk(m), got[:6], space)
			for _, a := range got[6:] {
				require.Equal(t, stays, a, space)
			}
		}
	}
}

func TestRefusesWhatIsNoMotion(t *testing.T) {
	_, err := New(Motion{Space: policy.BridgeDelta, RateHz: 5})
	require.ErrorContains(t, err, "no action")
	_, err = New(Motion{Space: policy.BridgeDelta, RateHz: 0, Actions: make([]twinrig.Action, 1)})
	require.ErrorContains(t, err, "rate_hz is 0")
	_, err = New(Motion{Space: "x", RateHz: 5, Actions: make([]twinrig.Action, 1)})
	require.ErrorContains(t, err, `space "x"`)
}
