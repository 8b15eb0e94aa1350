package intrinsics

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReportShowsEveryViewAndWhatWasLeftOut(t *testing.T) {
	samples := newSynth(t, webcam, 640, 480, 0.2, 6).samples(9)
	samples[3].BlurPx = 8
	r, err := Solve(samples)
	require.NoError(t, err)
	pg, err := r.Report()
	require.NoError(t, err)
	require.Len(t, pg.Figures, 3)
	require.Len(t, pg.Tables[1].Rows, 8)
	require.Equal(t, [][]string{{"view03.png", "blurred: edges are 8.0 px wide, 6 is the limit"}}, pg.Tables[2].Rows)
	var b bytes.Buffer
	require.NoError(t, pg.HTML(&b))
	require.NotContains(t, b.String(), "NaN")
	require.Equal(t, 3, strings.Count(b.String(), "<svg role"))
}
