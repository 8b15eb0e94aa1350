package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig/agent/record"
	"twinrig/eval"
	"twinrig/eval/export"
)

// A study's trials leave in both forms, by what the ledger says of them now.
func TestExportGoesByLedgerAndLogs(t *testing.T) {
	dir, _ := runDemo(t, small(t, "expert", "hold"), true)
	results := resultsOf(t, dir)
	require.Len(t, results, 2)
	_, err := say(t, "eval", "label", dir, results[1].Trial.ID, "--who", "ann", "--invalid", "--reason", "someone walked in")
	require.NoError(t, err)

	tables := filepath.Join(t.TempDir(), "tables")
	out, err := say(t, "export", "csv", dir, "--out", tables, "--all", "--json")
	require.NoError(t, err)
	var wrote struct {
		Trials  int
		Without []string `json:"without_log"`
		Digest  string
	}
	require.NoError(t, json.Unmarshal([]byte(out), &wrote))
	require.Equal(t, 2, wrote.Trials)
	require.Empty(t, wrote.Without)
	steps := map[string]int{} // as the mirror counted them
	for _, r := range results {
		info, err := record.Read(export.LogOf(dir, &r), record.Visitor{})
		require.NoError(t, err)
		steps[r.Trial.ID] = int(info.Read.Gaps)
		require.Len(t, rowsOf(t, filepath.Join(tables, r.Trial.ID+".ticks.csv")), 1+int(info.Read.Ticks))
		require.Len(t, rowsOf(t, filepath.Join(tables, r.Trial.ID+".steps.csv")), 1+int(info.Read.Gaps))
	}
	trials := rowsOf(t, filepath.Join(tables, "trials.csv"))
	require.Equal(t, []string{results[0].Trial.ID, results[1].Trial.ID}, []string{trials[1][0], trials[2][0]})

	set := filepath.Join(t.TempDir(), "set")
	out, err = say(t, "export", "lerobot", dir, "--out", set, "--json")
	require.NoError(t, err)
	var sum struct {
		Episodes, Frames, FPS int
		Cameras               []string
		Digest                string
	}
	require.NoError(t, json.Unmarshal([]byte(out), &sum))
	require.Equal(t, 1, sum.Episodes, "the other one does not count any more")
	require.Equal(t, steps[results[0].Trial.ID], sum.Frames)
	require.Equal(t, 5, sum.FPS)
	require.Equal(t, []string{"webcam"}, sum.Cameras)
	require.Equal(t, wrote.Digest, sum.Digest, "both say what they were made from")
	text, err := os.ReadFile(filepath.Join(set, "meta/info.json"))
	require.NoError(t, err)
	require.Contains(t, string(text), sum.Digest)

	for _, args := range [][]string{
		{"export", "lerobot", dir, "--out", set},
		{"export", "csv", dir, "--out", tables},
		{"export", "csv", dir},
		{"export", "csv", dir, "--out", set + "2", "--policy", "nobody"},
		{"export", "lerobot", t.TempDir(), "--out", set + "2"},
	} {
		_, err := say(t, args...)
		require.ErrorAs(t, err, new(usageError), "%v", args)
	}
	// It counts after all, but nobody has said what became of it.
	l, err := eval.OpenLedger(dir)
	require.NoError(t, err)
	require.NoError(t, l.Amend(results[1].Trial.ID, eval.Amendment{Who: "ann", Reason: "nobody did", Termination: eval.OperatorStop}))
	require.NoError(t, l.Close())
	_, err = say(t, "export", "lerobot", dir, "--out", set+"3")
	var unlabelled *eval.UnlabelledError
	require.ErrorAs(t, err, &unlabelled)
}

func rowsOf(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	return rows
}
