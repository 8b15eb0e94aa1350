package eval

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The golden study is a published one: 12 scenes, 10 trials, 2 policies on a
// real arm. table2_printed.csv holds its table as printed. table2_trials.csv
// holds 240 outcomes that agree with it; single times were not published, so
// each cell's times have its printed mean and population std.

func readCSV(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	return rows[1:]
}

// table2 is the golden study, with what became of each trial by
// "scene/placement/policy".
func table2(t *testing.T) (*Study, map[string]Result) {
	t.Helper()
	s := sampleStudy(1, 1, 10)
	s.Virtual, s.VerdictSource, s.Timeout = false, "operator", time.Minute
	placements := s.Scenes[0].Placements
	s.Scenes = nil
	s.Policies = []Policy{{Name: "pi_pre"}, {Name: "rl_n100"}}
	outcomes := map[string]Result{}
	for _, row := range readCSV(t, "testdata/table2_trials.csv") {
		scene, placement, policy := row[0], row[1], row[2]
		if n := len(s.Scenes); n == 0 || s.Scenes[n-1].Name != scene {
			s.Scenes = append(s.Scenes, Scene{
				Name: scene, Instruction: "put the " + strings.ReplaceAll(scene, "_", " "), Placements: placements,
			})
		}
		r := Result{
			Termination: Timeout, End: s.Timeout.Seconds(),
			Verdict:    &Verdict{Success: row[3] == "1", Partial: row[4] == "1", Source: "operator", Who: "ann"},
			Provenance: Provenance{ConfigSHA256: s.ConfigSHA256},
		}
		for _, l := range strings.Fields(row[5]) {
			r.Verdict.Labels = append(r.Verdict.Labels, Label(l))
		}
		if r.Verdict.Success {
			sec, err := strconv.ParseFloat(row[6], 64)
			require.NoError(t, err)
			r.Termination, r.TSuccess = Success, &sec
		}
		outcomes[scene+"/"+placement+"/"+policy] = r
	}
	require.Len(t, outcomes, 240)
	return s, outcomes
}

// scripted is a Runner that knows the outcomes beforehand.
type scripted map[string]Result

func (o scripted) RunTrial(_ context.Context, t Trial) (Result, error) {
	r, ok := o[fmt.Sprintf("%s/%d/%s", t.Scene, t.PlacementID, t.Policy)]
	if !ok {
		return r, fmt.Errorf("no outcome for %s", t.ID)
	}
	return r, nil
}

func TestTable2(t *testing.T) {
	s, outcomes := table2(t)
	var results []Result
	for _, tr := range s.Plan() {
		r, err := scripted(outcomes).RunTrial(t.Context(), tr)
		require.NoError(t, err)
		r.Trial = tr
		require.NoError(t, r.Validate())
		results = append(results, r)
	}
	requireTable2(t, s, results)
}

// requireTable2 holds the analysis against every printed number, and against
// what is known beyond them.
func requireTable2(t *testing.T, s *Study, results []Result) {
	t.Helper()
	a, err := Analyse(s, results, nil)
	require.NoError(t, err)
	require.Empty(t, a.Warnings)
	require.True(t, a.Balanced)

	printed := readCSV(t, "testdata/table2_printed.csv")
	require.Len(t, printed, 26)
	for _, row := range printed {
		var c Cell
		decimals := 1
		if row[0] == "All" {
			decimals = 3
			c = a.Pooled[map[string]int{"pi_pre": 0, "rl_n100": 1}[row[1]]]
			require.Equal(t, 120, c.N())
		} else {
			var ok bool
			c, ok = a.Cell(row[0], row[1])
			require.True(t, ok, row)
			require.Equal(t, 10, c.N())
		}
		got := []string{
			FormatRate(c.PSR, decimals), FormatRate(c.SR, decimals),
			FormatRate(c.DFR, decimals), FormatRate(c.SFR, decimals), FormatMoments(c.TF),
		}
		want := append([]string(nil), row[2:]...)
		for i, text := range want[:4] {
			if text == None { // printed for a rate of errors where nothing failed
				require.Equal(t, c.N(), c.SR.K)
				text = "0"
			}
			p, err := strconv.ParseFloat(text, 64)
			require.NoError(t, err)
			want[i] = strconv.FormatFloat(p, 'f', decimals, 64) // 0.45 is 0.450
		}
		require.Equal(t, want, got, row)
	}

	// Counts behind the printed rates, and the failures with both labels.
	for i, want := range []struct{ psr, sr, dfr, sfr, both int }{{54, 26, 80, 22, 8}, {106, 90, 22, 8, 0}} {
		c := a.Pooled[i]
		require.Equal(t, []int{want.psr, want.sr, want.dfr, want.sfr}, []int{c.PSR.K, c.SR.K, c.DFR.K, c.SFR.K})
		require.Equal(t, want.both, c.DFR.K+c.SFR.K-(c.N()-c.SR.K))
		m := a.SceneMeans[i]
		sr, _ := c.SR.Value()
		require.InDelta(t, sr, m.SR, 1e-12, "balanced: pooled is the scene mean")
		require.Equal(t, 12, m.Scenes)
	}
	require.Equal(t, "[0.1524, 0.2985]", FormatInterval(a.Pooled[0].SR, 4))
	require.Equal(t, "[0.6656, 0.8189]", FormatInterval(a.Pooled[1].SR, 4))
	require.Len(t, a.SceneBootstrap, 2)
	require.InDelta(t, .658, a.SceneBootstrap[1].Lo, 0.0085)
}
