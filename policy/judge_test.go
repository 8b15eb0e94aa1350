package policy_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/policy"
)

// A chunk of places in which one is out of the way is refused whole: nothing of it is
// executed, not even what comes before.
func TestAChunkThatJumpsIsRefusedWhole(t *testing.T) {
	start := twinrig.Action{0.2, 0.01, 0.1, 0, 0, 0, 1}
	for _, c := range []struct {
		space policy.Space
		axis  int
		jump  float64
		want  string
	}{
		{policy.EEPose, 1, 0.06, "action 2: it is 60 mm and 0.00 rad from the one before, must be at most 50 mm"},
		{policy.EEPose, 5, 0.3, "action 2: it is 1 mm and 0.30 rad from the one before"},
		{policy.JointPosition, 4, 0.7, "action 2: a joint would turn 0.70 rad in one step, must be at most 0.60"},
	} {
		p := &script{spec: policy.Spec{Space: c.space, RateHz: 5, Horizon: 4, Execute: 4}}
		p.act = func(n int, _ *twinrig.Observation) (policy.Chunk, error) {
			chunk := policy.Chunk{start, start, start, start}
			for i := range chunk {
				chunk[i][0] += 0.001 * float64(i+1)
			}
			if n == 1 {
				chunk[2][c.axis] += c.jump
			}
			return chunk, nil
		}
		k := newBench(t, policy.DefaultConfig(), p, policy.NewInline(fixed(0)))
		k.run(190 * time.Millisecond)
		require.Empty(t, k.taken, "%s", c.space)
		k.run(time.Second)
		st := k.b.Stats()
		require.Equal(t, 1, st.Refused[policy.ReasonRange])
		require.Contains(t, st.LastRefusal, c.want)
		require.Zero(t, st.Unreachable)
		require.NotEmpty(t, k.taken)
	}
}
