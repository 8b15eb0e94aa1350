package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig/eval"
	"twinrig/eval/report"
)

// imported is the golden study, imported from one row for each trial.
func imported(t *testing.T, file, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	var in importJSON
	evaluateJSON(t, &in, "import", file, "--out", dir, "--json")
	require.Equal(t, dir, in.StudyDir)
	require.Equal(t, 240, in.Trials)
	require.Equal(t, "one row per trial", in.Layout)
	require.NotNil(t, in.Unknown)
	return dir
}

var goldenTrials = filepath.Join("..", "..", "eval", "testdata", "table2_trials.csv")

// 240 outcomes from elsewhere: imported, reported, and imported again from the
// report's own trials.csv, which must say the same.
func TestEvalImportAndReport(t *testing.T) {
	dir := imported(t, goldenTrials, "golden")
	var first, again, second report.StudyJSON
	evaluateJSON(t, &first, "report", dir, "--json")
	evaluateJSON(t, &again, "report", dir, "--json")
	require.Equal(t, first, again, "a report is a function of the study")
	require.InDelta(t, 26./120, *first.Policies["pi_pre"].SR.Rate, 1e-12)
	require.InDelta(t, 90./120, *first.Policies["rl_n100"].SR.Rate, 1e-12)
	require.InDelta(t, 11.5, *first.Policies["pi_pre"].TFMean, .05)
	require.InDelta(t, 5.1, *first.Policies["rl_n100"].TFStd, .05)
	require.Len(t, first.Scenes, 12)
	require.Equal(t, "mcnemar", first.Tests.Comparisons[0].Test)
	require.Nil(t, first.Gap, "nobody mirrored it")
	require.NotNil(t, first.Policies["pi_pre"].SceneBootstrap)

	copied := imported(t, filepath.Join(dir, eval.ReportDir, report.CSVFile), "again")
	evaluateJSON(t, &second, "report", copied, "--json")
	require.Equal(t, first.Policies, second.Policies)
	require.Equal(t, first.Scenes, second.Scenes)
	require.Equal(t, first.Failures, second.Failures)
	require.Equal(t, first.Tests, second.Tests)
	require.NotEqual(t, first.Digest, second.Digest)

	var d report.Diff
	evaluateJSON(t, &d, "diff", dir, copied, "--json")
	require.Len(t, d.Policies, 2)
	require.InDelta(t, 0, *d.Policies[1].Difference.Value, 1e-12)
	require.NotEmpty(t, d.Unlike)

	out, err := evaluate(t, "report", dir)
	require.NoError(t, err)
	require.Contains(t, out, first.Digest)
	for _, f := range []string{report.HTMLFile, report.CSVFile} {
		require.FileExists(t, filepath.Join(dir, eval.ReportDir, f))
	}
}

// Table 2 as it was printed, where the laboratory's copy of it is there.
func TestEvalImportPrinted(t *testing.T) {
	file := filepath.Join("..", "..", "..", "shared", "tables", "table2_results.csv")
	if _, err := os.Stat(file); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("not run: the printed table lies outside of the repository")
	}
	dir := filepath.Join(t.TempDir(), "printed")
	out, err := evaluate(t, "import", file, "--out", dir)
	require.NoError(t, err)
	require.Contains(t, out, "240 trials, one row per scene and policy")
	var r report.StudyJSON
	evaluateJSON(t, &r, "report", dir, "--json")
	require.InDelta(t, 26./120, *r.Policies["pi_pre"].SR.Rate, 1e-12)
	require.InDelta(t, 5.5, *r.Policies["pi_pre"].TFStd, .05)
	require.Equal(t, "barnard", r.Tests.Comparisons[0].Test)
	require.Nil(t, r.Tests.Comparisons[0].Sequential, "the order is not known")
}

func TestEvalImportUsage(t *testing.T) {
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.csv")
	require.NoError(t, os.WriteFile(bad, []byte("scene,policy,success\ncup,a,1\ncup,b,perhaps\n"), 0o600))
	other := filepath.Join(dir, "other.csv")
	require.NoError(t, os.WriteFile(other, []byte("scene,policy,success\ncup,a,1\n"), 0o600))
	_, err := evaluate(t, "import", other, "--out", filepath.Join(dir, "other"))
	require.NoError(t, err)
	for _, c := range []struct {
		want string
		args []string
	}{
		{"a CSV file", []string{"import"}},
		{"no such file", []string{"import", filepath.Join(dir, "absent.csv")}},
		{`bad.csv: line 3: column success: "perhaps" is neither`, []string{"import", bad}},
		{"--timeout is -1s", []string{"import", other, "--timeout", "-1s"}},
		{"holds a study already", []string{"import", other, "--out", filepath.Join(dir, "other")}},
		{"is no study's folder", []string{"report", dir}},
		{"two studies' folders", []string{"diff", dir}},
		{"other scenes", []string{"diff", filepath.Join(dir, "other"), imported(t, goldenTrials, "golden")}},
	} {
		_, err := evaluate(t, c.args...)
		require.ErrorContains(t, err, c.want)
		require.ErrorAs(t, err, new(usageError), c.want)
	}
	_, err = eval.Load(filepath.Join(dir, "bad"))
	require.ErrorIs(t, err, os.ErrNotExist, "nothing is left of a refused file")
}
