package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig/eval"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// written runs one of a report's writers.
func written(t *testing.T, write func(*bytes.Buffer) error) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, write(&b))
	return b.String()
}

func html(t *testing.T, r *Report) string {
	t.Helper()
	return written(t, func(b *bytes.Buffer) error { return r.HTML(b) })
}

func TestTable(t *testing.T) {
	got := written(t, func(b *bytes.Buffer) error { return sample(t).Table(b) })
	const golden = "testdata/table.txt"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

func TestPageStandsAlone(t *testing.T) {
	page := html(t, sample(t))
	for _, m := range regexp.MustCompile(`(?:src|href)="([^"]*)"`).FindAllStringSubmatch(page, -1) {
		require.True(t, strings.HasPrefix(m[1], "data:image/png;base64,"), m[1])
	}
	require.NotContains(t, page, "@import")
	require.NotContains(t, page, "url(")
	require.NotRegexp(t, `<script|<link`, page)
	require.Equal(t, 2, strings.Count(page, "<img "))
	require.Equal(t, 5, strings.Count(page, "<svg "))
}

func TestPageSaysWhatItShould(t *testing.T) {
	r := sample(t)
	page := html(t, r)
	for _, want := range []string{
		"VIRTUAL RIG", "carrot-week-12", "95 % interval", "[0.664, 0.927]", "10.3 ± 2.3", "placed_beside",
		"servo 5: overheating", "&lt;the video&gt; shows a drop", r.Study.ConfigSHA256, "MuJoCo", "kappa",
		"trials ever beyond 20 mm", "rate_hz: 100",
	} {
		require.Contains(t, page, want)
	}
	for _, never := range []string{"NaN", "%!", "&lt;nil&gt;", "Inf"} {
		require.NotContains(t, page, never)
	}

	// Every ink of the plots has become a colour of the style sheet.
	for _, svg := range regexp.MustCompile(`(?s)<svg .*?</svg>`).FindAllString(page, -1) {
		require.NotRegexp(t, `#[0-9A-F]{6}`, svg)
		require.NotContains(t, svg, "font-family")
	}
	for _, name := range regexp.MustCompile(`var\((--[a-z0-9-]+)\)`).FindAllStringSubmatch(page, -1) {
		require.Contains(t, styleText, name[1]+":")
	}
}

// TestOnlyVirtualIsVirtual: a study on a real arm never says virtual, and one
// on the virtual rig says so wherever numbers are.
func TestOnlyVirtualIsVirtual(t *testing.T) {
	r := sample(t)
	outputs := func() map[string]string {
		summary, err := json.Marshal(r.Summary(1, "d"))
		require.NoError(t, err)
		return map[string]string{
			"html": html(t, r), "json": written(t, func(b *bytes.Buffer) error { return r.JSON(b) }),
			"table": written(t, func(b *bytes.Buffer) error { return r.Table(b) }), "summary": string(summary),
			"csv": written(t, func(b *bytes.Buffer) error { return r.CSV(b) }),
		}
	}
	for name, out := range outputs() {
		require.Contains(t, strings.ToLower(out), "virtual", name)
	}
	r.Study.Virtual, r.Study.VerdictSource = false, "operator"
	for i := range r.Results {
		if v := r.Results[i].Verdict; v != nil {
			v.Source = "operator"
		}
	}
	for name, out := range outputs() {
		out = strings.NewReplacer(`<div class="virtual">`, "?", ".virtual", "", `"virtual": false`, "", `"virtual":false`, "",
			"trial_id,virtual,", "").Replace(out)
		require.NotContains(t, strings.ToLower(out), "virtual", name)
		require.NotContains(t, out, "?</b>", name)
	}
}

func TestNothingYet(t *testing.T) {
	full := sample(t)
	r, err := New(full.Study, nil, nil, nil)
	require.NoError(t, err)
	page := html(t, r)
	require.Contains(t, page, "has no trial that counts yet")
	require.Contains(t, page, "60 of 60 trials have no result")
	require.NotContains(t, page, "<svg ")
	require.NotContains(t, page, "NaN")
	table := written(t, func(b *bytes.Buffer) error { return r.Table(b) })
	require.NotContains(t, table, "NaN")
	b, err := json.Marshal(r.Summary(1, "d"))
	require.NoError(t, err)
	require.Contains(t, string(b), `"gap":null,"loop":null`)
	require.Contains(t, string(b), `{"psr":null,"sr":null,"dfr":null,"sfr":null,"tf_s":null,"n":0}`)
}

func TestUnbalancedShowsBoth(t *testing.T) {
	full := sample(t)
	r, err := New(full.Study, full.Results[:31], nil, nil)
	require.NoError(t, err)
	require.Contains(t, html(t, r), "mean of 3 scenes")
	require.Contains(t, written(t, func(b *bytes.Buffer) error { return r.Table(b) }), "mean of scenes")
}

func TestUnlabelledFailuresBlockTheReport(t *testing.T) {
	r := sample(t)
	r.Results[3].Verdict = nil
	_, err := New(r.Study, r.Results, nil, nil)
	require.ErrorContains(t, err, "1 unlabelled ("+r.Results[3].Trial.ID)
}

func TestSummary(t *testing.T) {
	r := sample(t)
	b, err := json.MarshalIndent(r.Summary(12.5, "studies/carrot-week-12"), "", "  ")
	require.NoError(t, err)
	const golden = "testdata/summary.json"
	if *update {
		require.NoError(t, os.WriteFile(golden, append(b, '\n'), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(b))
}

func TestCSVAndJSONHoldEveryAttempt(t *testing.T) {
	r := sample(t)
	rows, err := csv.NewReader(strings.NewReader(written(t, func(b *bytes.Buffer) error { return r.CSV(b) }))).ReadAll()
	require.NoError(t, err) // and with it: every row is as long as the header
	require.Len(t, rows, 62)
	cell := func(row int, name string) string {
		for i, h := range rows[0] {
			if h == name {
				return rows[row][i]
			}
		}
		t.Fatalf("no column %s", name)
		return ""
	}
	first, last := &r.Results[0], &r.Results[60]
	require.Equal(t, first.Trial.ID, cell(1, "trial_id"))
	require.Equal(t, number(first.Gap.EERMSMM), cell(1, "gap_ee_rms_mm"))
	require.Equal(t, number(first.Gap.JointVelRMS[4]), cell(1, "gap_wrist_angle_vel_rms_rad_s"))
	require.Equal(t, number(first.Loop.LateP99US), cell(1, "late_p99_us"))
	require.Equal(t, "servo 5: overheating", cell(61, "note"))
	require.Empty(t, cell(61, "success")+cell(61, "gap_steps")+cell(61, "loop_hz")+cell(61, "t_success_s"))
	require.Equal(t, "0", cell(61, "counted"))

	var back struct{ Trials []eval.Result }
	require.NoError(t, json.Unmarshal([]byte(written(t, func(b *bytes.Buffer) error { return r.JSON(b) })), &back))
	require.Equal(t, r.Results, back.Trials)
	require.Equal(t, eval.HardwareFault, last.Termination)
}

func TestSaveReplaces(t *testing.T) {
	dir := t.TempDir()
	r := sample(t)
	page, err := r.Save(dir)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "report", "report.html"), page)
	first, err := os.ReadFile(page)
	require.NoError(t, err)
	_, err = r.Save(dir)
	require.NoError(t, err)
	second, err := os.ReadFile(page)
	require.NoError(t, err)
	require.True(t, bytes.Equal(first, second), "the same study, the same bytes")
	entries, err := os.ReadDir(filepath.Dir(page))
	require.NoError(t, err)
	require.Len(t, entries, 5)
}

func TestPicturesArePNGOrJPEG(t *testing.T) {
	r := sample(t)
	r.Pictures[1].Data = []byte("GIF89a")
	require.ErrorContains(t, r.HTML(new(bytes.Buffer)), `picture "carrot_on_plate, after": neither PNG nor JPEG`)
	r.Pictures[1].Data = []byte("\xff\xd8\xff\xe0")
	require.Contains(t, html(t, r), "data:image/jpeg;base64,/9j/4A==")
}
