package remote

import (
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/policy"
	"twinrig/policy/normalize"
	"twinrig/policy/npwire"
)

// scaled are statistics that make each number a known multiple.
func scaled() *normalize.Statistics {
	v := &normalize.Vector{
		P01:  &[7]float64{-0.1, -0.2, -0.3, -0.4, -0.5, -0.6, 0},
		P99:  &[7]float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 1},
		Mask: &[7]bool{true, true, true, true, true, true, false},
	}
	return &normalize.Statistics{Action: v, State: v}
}

// A model that thinks in its own units is sent the state in them, and its answer comes
// back as metres and radians.
func TestNormalisedHere(t *testing.T) {
	row := []float64{0.5, -0.5, 1, -1, 0, 0.25, 1}
	url := openpiServer(t, frame{2, []byte{0x80}}, []frame{answer(t, npwire.Float64s([]int{2, 7}, append(row, row...)...))}, false)
	c := bridge4
	c.State = State{Layout: JointState}
	c.Normalization = Normalization{Method: normalize.Bounds, Statistics: "x.json", Loaded: scaled()}
	p, err := Open(t.Context(), url, c, flat{})
	require.NoError(t, err)
	defer p.Close()
	o := twinrig.Observation{}
	o.State.Measured, o.State.Grip = twinrig.Joints{0.05, 0.4, -0.15, 0, 0.25, -0.6}, 0.75
	msg, err := p.message(&o)
	require.NoError(t, err)
	state, err := msg[0].Value.(*npwire.Array).Floats()
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{0.5, 1, -0.5, 0, 0.5, -1, 0.75}, state, 1e-7, "clipped to its range")
	chunk, err := p.Act(t.Context(), &o)
	require.NoError(t, err)
	require.InDeltaSlice(t, []float64{0.05, -0.1, 0.3, -0.4, 0, 0.15, 1}, chunk[1][:], 1e-12)
}

// A policy that continues what is under way is told that, in its own units.
func TestToldWhatIsPlanned(t *testing.T) {
	p := &Policy{contract: Contract{LeftKey: "prev_chunk_left_over", DelayKey: "inference_delay", Image: Image{Key: off}, PromptKey: off}, kin: flat{}}
	p.contract.Normalization = Normalization{Method: normalize.Bounds, Statistics: "x", Loaded: scaled()}
	var err error
	p.units, err = newUnits(&p.contract)
	require.NoError(t, err)
	o := twinrig.Observation{Prefix: []twinrig.Action{{0.05, 0, 0, 0, 0, 0, 1}}, Left: []twinrig.Action{{0, -0.1, 0, 0, 0, 0, 0.5}, {}}}
	msg, err := p.message(&o)
	require.NoError(t, err)
	require.Len(t, msg, 2)
	require.Equal(t, "prev_chunk_left_over", msg[0].Key)
	rows, err := npwire.Matrix(msg[0].Value)
	require.NoError(t, err)
	require.Equal(t, [][]float64{{0.5, 0, 0, 0, 0, 0, 1}, {0, -0.5, 0, 0, 0, 0, 0.5}, {0, 0, 0, 0, 0, 0, 0}}, rows)
	require.Equal(t, npwire.Field{Key: "inference_delay", Value: int64(1)}, msg[1])
	require.InDelta(t, 0.05, o.Prefix[0][0], 0, "the caller's are as they were")

	msg, err = p.message(&twinrig.Observation{})
	require.NoError(t, err)
	require.Empty(t, msg)
}

func TestNormalizationRefused(t *testing.T) {
	noState := scaled()
	noState.State = nil
	for says, n := range map[string]Normalization{
		`method is "minmax"`:                      {Method: "minmax"},
		"names no file, which the method zscore":  {Method: normalize.ZScore},
		"are not used by the method server":       {Statistics: "x.json"},
		"x.json are not loaded":                   {Method: normalize.Bounds, Statistics: "x.json"},
		"x.json has no statistics of the state":   {Method: normalize.Bounds, Statistics: "x.json", Loaded: noState},
		"x.json: action: normalize: zscore needs": {Method: normalize.ZScore, Statistics: "x.json", Loaded: scaled()},
	} {
		url := openpiServer(t, frame{2, []byte{0x80}}, nil, false)
		c := Contract{Space: policy.BridgeDelta, RateHz: 5, Horizon: 2, Execute: 2, Normalization: n}
		_, err := Open(t.Context(), url, c, flat{})
		require.ErrorContains(t, err, says)
	}
}
