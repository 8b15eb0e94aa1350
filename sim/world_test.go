package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
)

func TestSmoke(t *testing.T) {
	k := NewKinematics()
	require.InDelta(t, .458325, k.Forward(twinrig.Joints{}).P[0], 1e-12)
	g := k.Gravity(twinrig.Joints{})
	require.InDelta(t, -1.877368870, g[1], 1e-8)
	w, err := NewWorld(Spec{Params: NominalParams()})
	require.NoError(t, err)
	defer w.Close()
	for range 500 {
		q, _, _, _ := w.Arm()
		require.NoError(t, w.Step(k.Gravity(q), 0))
	}
	q, _, f, _ := w.Arm()
	t.Log(q, f, w.EE(), w.Time())
	pinch, err := w.model.ID(3, "x")
	_ = pinch
	require.Error(t, err)
}
