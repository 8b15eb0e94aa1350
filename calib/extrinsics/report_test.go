package extrinsics

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// The page has every view, what was left out, and the table's plane.
func TestReport(t *testing.T) {
	s := newSynth(t, 1)
	samples := s.samples(t, 16)
	samples[3].View.BlurPx = 8
	r, err := Solve(samples, s.lens, DefaultOptions())
	require.NoError(t, err)
	r.Table = &Table{Views: 1, RMS: 0.0031, Mean: -0.003}
	r.Timing = &Timing{Delay: 0.0321, Readout: 0.02, Frames: 30}
	pg, err := r.Report()
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, pg.HTML(&b))
	for _, want := range []string{"view000.png", "view015.png", "blurred: edges are 8.0 px", "3.1 mm RMS", "32.1 ± 0.0 ms", "rolling shutter 20.0", "known to", "<svg"} {
		require.Contains(t, b.String(), want)
	}
	require.Len(t, pg.Figures, 3)
}
