package outside

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/eval"
	"twinrig/eval/stats"
)

// read takes rows separated by bars.
func read(rows string) (*Imported, error) {
	text := strings.ReplaceAll(rows, "|", "\n") + "\n"
	return Read([]byte(text), Options{Name: "elsewhere", File: "f.csv", JudgedBy: "ann"})
}

const cells = "scene,policy,trials,PSR,SR,DFR,SFR,TF_mean_s,TF_std_s|"

// Every error names the line, the column and what is wrong with it.
func TestReadErrors(t *testing.T) {
	for rows, want := range map[string]string{
		"":                                                "line 1: no header: the file is empty",
		"scene,policy,success":                            "line 2: no rows below the header",
		"scene,policy|a,b":                                "line 1: no column success; there are scene, policy",
		"scene,policy,SR,success|a,b,1,1":                 `columns "SR" and "success" are both success`,
		"scene,policy,success|a,b":                        "line 2: wrong number of fields",
		"scene,policy,success|a b,c,1":                    `line 2: column scene: "a b" must be letters`,
		"scene,policy,success|a,b,1|a,,1":                 `line 3: column policy: "" must be letters`,
		"scene,policy,success|a,b,maybe":                  `line 2: column success: "maybe" is neither 1 nor 0`,
		"scene,policy,success|a,b,":                       "line 2: column success: is empty",
		"scene,policy,success,termination|a,b,1,gone":     `column termination: "gone" is none of`,
		"scene,policy,success,labels|a,b,1,missed_grasp":  "a success has the failure label",
		"scene,policy,success,labels|a,b,0,clumsy":        `column labels: "clumsy" is none of`,
		"scene,policy,success,labels|a,b,0,":              "a failure needs at least one; unclassified",
		"scene,policy,success,TF_s|a,b,0,4":               "column TF_s: 4 for a failure",
		"scene,policy,success,TF_s|a,b,1,soon":            `column TF_s: "soon" is not a number`,
		"scene,policy,success,TF_s|a,b,1,-1":              "column TF_s: -1 is not 0 to",
		"scene,policy,success,placement_id|a,b,1,1.5":     "1.5 is not a whole number",
		"scene,policy,success,placement_id|a,b,1,":        "column placement_id: is empty",
		"scene,policy,success,id|a,b,1,x|a,c,1,x":         "line 3: column id: x is in line 2 already",
		"scene,policy,trials|a,b,10":                      "line 1: no column PSR",
		cells + "a,b,0,0,0,0,0,,":                         "line 2: column trials: 0 is not 1 to",
		cells + "a,b,10,.8,.65,.35,0,9,1":                 "column SR: .65 is no whole number of 10 trials",
		cells + "a,b,400,.8,.6,.4,0,9,1":                  "leaves open how many: add a column n_success",
		cells + "a,b,10,.8,.6,.5,0,9,1":                   "5 failures of execution, but only 4 failed",
		cells + "a,b,10,.8,.6,.1,.1,9,1":                  "explain 2 of 4 failures",
		cells + "a,b,10,.8,.6,.4,0,,1":                    "column TF_mean_s: is empty, but there are 6 successes",
		cells + "a,b,10,0,0,1,0,9,":                       "column TF_mean_s: 9 for 0 successes",
		cells + "a,b,10,1,1,,,9,1|a,b,10,1,1,,,9,1":       "line 3: column scene: a, b is in line 2 already",
		cells + "All,b,10,1,1,,,9,1":                      "b has no scene above",
		cells + "a,b,10,1,1,,,9,1|All,b,10,1,.9,.1,0,9,1": "line 3: column SR: 9 in all scenes, but the scenes above have 10",
	} {
		_, err := read(rows)
		require.ErrorContains(t, err, want, "%q", rows)
	}
}

// A file with one row for each trial keeps what it says, and says what it does not.
func TestReadTrials(t *testing.T) {
	im, err := read("# by hand|Scene,policy,SR,partial,DFR,SFR,TF,trial,termination,sim_success,operator,weather|" +
		"cup,a,1,,0,0,7.25,0,,1,bo,sun|cup,b,0,1,1,1,,0,operator_stop,0,,rain|cup,a,,,,,,1,hardware_fault,,,")
	require.NoError(t, err)
	require.Equal(t, "one row per trial", im.Layout)
	require.Equal(t, []string{"weather"}, im.Unknown)
	require.False(t, im.Study.Imported.Unpaired)
	require.Equal(t, 7250*time.Millisecond, im.Study.Timeout, "the longest time")
	require.Len(t, im.Results, 3)
	first, second, third := im.Results[0], im.Results[1], im.Results[2]
	require.Equal(t, eval.Success, first.Termination)
	require.InDelta(t, 7.25, *first.TSuccess, 0)
	require.Equal(t, [2]string{"bo", "ann"}, [2]string{first.Verdict.Who, first.Verdict.Source})
	require.True(t, first.Verdict.Partial, "a success is a partial success")
	require.True(t, first.Mirror.Success)
	require.Equal(t, eval.OperatorStop, second.Termination)
	require.Equal(t, []eval.Label{eval.OtherExecution, eval.OtherSemantic}, second.Verdict.Labels)
	require.True(t, second.Verdict.Partial)
	require.False(t, second.Mirror.Success)
	require.Nil(t, third.Verdict, "a fault has no verdict")

	im, err = read("scene,policy,success|cup,a,yes|cup,a,no")
	require.NoError(t, err)
	require.True(t, im.Study.Imported.Unpaired, "no placements, no pairs")
	require.Equal(t, []eval.Label{eval.Unclassified}, im.Results[1].Verdict.Labels)
	require.NotEqual(t, im.Results[0].Trial.ID, im.Results[1].Trial.ID)
}

// The printed table comes back out of the trials that are made of it, cell by
// cell, whether its counts are stated or not.
func TestReadPrintedTable(t *testing.T) {
	f, err := os.Open(filepath.Join("..", "testdata", "table2_printed.csv"))
	require.NoError(t, err)
	defer f.Close()
	printed, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	text := cells[:len(cells)-1] + "\n"
	for _, row := range printed[1:] {
		mean, std, _ := strings.Cut(row[6], " ± ")
		trials := "10"
		if strings.EqualFold(row[0], "all") {
			trials = "120"
		}
		text += strings.Join([]string{row[0], row[1], trials, row[2], row[3], row[4], row[5], mean, std}, ",") + "\n"
	}
	im, err := Read([]byte(text), Options{Name: "table2", File: "table2.csv", JudgedBy: "operator"})
	require.NoError(t, err)
	require.Equal(t, "one row per scene and policy", im.Layout)
	require.Equal(t, eval.Imported{
		File: "table2.csv", SHA256: eval.Digest(text), Unpaired: true, Unordered: true, MomentsOnly: true,
	}, *im.Study.Imported)
	require.Len(t, im.Results, 240)
	a, err := eval.Analyse(im.Study, im.Results, nil)
	require.NoError(t, err)
	all := slices.Concat(a.Cells, a.Pooled)
	require.Len(t, all, len(printed)-1)
	for i, c := range all {
		for k, r := range []stats.Rate{c.PSR, c.SR, c.DFR, c.SFR} {
			text := printed[i+1][2+k]
			if text == "-" {
				text = "0" // nothing failed
			}
			want, err := strconv.ParseFloat(text, 64)
			require.NoError(t, err)
			got, _ := r.Value()
			require.InDelta(t, want, got, .0005, "%v", printed[i+1])
		}
	}
	require.Equal(t, [2]int{26, 90}, [2]int{a.Pooled[0].SR.K, a.Pooled[1].SR.K})
	require.InDelta(t, 11.5, a.Pooled[0].TF.Mean, .05)
	require.InDelta(t, 5.5, a.Pooled[0].TF.Std, .05)
	require.InDelta(t, 10.2, a.Pooled[1].TF.Mean, .05)
	require.InDelta(t, 5.1, a.Pooled[1].TF.Std, .05)
}
