package export_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/eval/export"
	"twinrig/eval/export/exporttest"
)

var update = flag.Bool("update", false, "write the golden files")

func TestEpisodeIsTheControlSteps(t *testing.T) {
	dir, r := t.TempDir(), exporttest.Results()[0]
	require.NoError(t, exporttest.Log(dir, &r, 4, true))
	ticks := 0
	e, err := export.Read(export.LogOf(dir, &r), &r, func(*twinrig.Report) error { ticks++; return nil })
	require.NoError(t, err)
	require.Equal(t, 25+4*20, ticks, "also those before the first action")
	require.Len(t, e.Steps, 4)
	require.InDelta(t, 5, e.Rate(), 1e-9)
	for i, s := range e.Steps {
		first := exporttest.Start + time.Duration(i)*200*time.Millisecond
		require.Equal(t, i, s.Number)
		require.Equal(t, first+time.Millisecond, s.State.Stamp)
		require.Equal(t, exporttest.Joints(first, 0), s.State.Measured, "as the step began")
		require.Equal(t, exporttest.Joints(first+190*time.Millisecond, 0.25), s.Asked.Joints, "as it ended")
		require.Equal(t, exporttest.Joints(first+190*time.Millisecond, 0.125), s.Sent.Joints)
		require.Equal(t, i == 1, s.Guard == twinrig.ClippedVelocity, "a tick within the step")
		require.Equal(t, i != 2, s.Gap != nil)
		require.Equal(t, first-20*time.Millisecond, e.Seen(exporttest.Camera, s.State.Stamp).Stamp, "the newest that was there")
	}
	require.Equal(t, 230*time.Millisecond, e.Seen(exporttest.Camera, 0).Stamp, "none was there: the first")
	require.Nil(t, e.Seen("wrist", 0))
}

// A log that was cut off is not exported as if it were the whole trial.
func TestCutLogIsRefused(t *testing.T) {
	dir, r := t.TempDir(), exporttest.Results()[0]
	require.NoError(t, exporttest.Log(dir, &r, 4, true))
	path := export.LogOf(dir, &r)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, whole[:len(whole)/2], 0o600))
	_, err = export.Read(path, &r, nil)
	require.ErrorContains(t, err, "run `twinrig eval recover` first")
}

func TestTrialWithoutAStepIsEmpty(t *testing.T) {
	dir, r := t.TempDir(), exporttest.Results()[0]
	require.NoError(t, exporttest.Log(dir, &r, 0, false))
	_, err := export.Read(export.LogOf(dir, &r), &r, nil)
	require.ErrorIs(t, err, export.ErrEmpty)
}

func TestCSVIsTheGoldenOne(t *testing.T) {
	dir, out, results := t.TempDir(), t.TempDir(), exporttest.Results()
	require.NoError(t, exporttest.Log(dir, &results[0], 3, true))
	require.NoError(t, exporttest.Log(dir, &results[1], 0, false))
	without, err := export.CSV(dir, results, out)
	require.NoError(t, err)
	require.Equal(t, []string{results[1].Trial.ID, results[2].Trial.ID}, without)
	for _, name := range []string{"ticks", "steps"} {
		got, err := os.ReadFile(filepath.Join(out, results[0].Trial.ID+"."+name+".csv"))
		require.NoError(t, err)
		if name == "ticks" { // the header and the first action are enough
			lines := bytes.SplitAfter(got, []byte("\n"))
			require.Len(t, lines, 1+25+3*20+1)
			got = append(lines[0], lines[26]...)
		}
		golden := filepath.Join("testdata", name+".csv")
		if *update {
			require.NoError(t, os.WriteFile(golden, got, 0o600))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	}
}
