package main

import (
	"flag"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/configs"
)

// table2Trials is 8 in `make bench`.
var table2Trials = flag.Int("table2-trials", 1, "trials of the scripted expert on each scene of Table 2")

// A two-finger gripper can do all twelve tasks: the scripted expert, which is
// told where things are, does nine of ten on an arm with hidden differences.
func TestExpertOnTable2(t *testing.T) {
	d := small(t, "expert")
	d.Study.Scenes = configs.Table2Scenes()
	d.Study.Trials, d.Study.Placements = *table2Trials, *table2Trials
	d.Study.Timeout = 31 * time.Second
	d.Study.FrameEvery = 1000
	dir, _ := runDemo(t, d, true)
	results := resultsOf(t, dir)
	require.Len(t, results, len(d.Study.Scenes)**table2Trials)
	wins := map[string]int{}
	all := 0
	for _, r := range results {
		if r.Verdict != nil && r.Verdict.Success {
			wins[r.Trial.Scene]++
			all++
			continue
		}
		t.Logf("%s: %s %+v", r.Trial.ID, r.Termination, r.Verdict)
	}
	t.Logf("virtual: %d of %d, by scene %v", all, len(results), wins)
	require.GreaterOrEqual(t, float64(all), 0.9*float64(len(results)))
}
