package main

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"
)

// expertTrials is 60 in `make bench`.
var expertTrials = flag.Int("expert-trials", 10, "pick-and-place trials of the scripted expert without hidden differences")

// Without hidden differences, and with the objects where the plan wants them,
// the scripted expert succeeds in at least 95 % of its trials.
func TestExpertWithoutHiddenDifferences(t *testing.T) {
	d := small(t, "expert")
	d.Virtual.Hidden = false
	d.Study.Scenes = []string{"red_cube_blue_bowl", "green_block_yellow_plate"}
	d.Study.PlaceSigma, d.Study.PlaceYawSigma = 0, 0
	d.Study.Trials = (*expertTrials + 1) / 2
	d.Study.Placements = d.Study.Trials
	d.Study.FrameEvery = 1000
	dir, _ := runDemo(t, d, true)
	results := resultsOf(t, dir)
	wins := 0
	for _, r := range results {
		if r.Verdict != nil && r.Verdict.Success {
			wins++
			continue
		}
		t.Logf("%s: %s %+v", r.Trial.ID, r.Termination, r.Verdict)
	}
	t.Logf("virtual, no hidden differences: %d of %d", wins, len(results))
	require.GreaterOrEqual(t, float64(wins), 0.95*float64(len(results)))
}
