package main

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"twinrig/eval"
	"twinrig/eval/report"
)

func evalReportCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "report STUDY",
		Short: "Recompute a study's report from its ledger and logs",
		Long: `report computes everything anew from the study's plan, ledger and logs, writes
STUDY/report (a page in HTML that needs nothing else, report.md, report.json,
trials.csv, trials.json) and prints the tables, or with --json report.json. The
digest says what it was computed from.`,
		Example: "  twinrig eval report studies/week12 --json",
		Args:    exactly(1, "a study's folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			rep, err := loadReport(args[0])
			if err != nil {
				return err
			}
			page, err := rep.Save(args[0])
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			if asJSON {
				return rep.WriteStudyJSON(out)
			}
			if err := rep.Table(out); err != nil {
				return err
			}
			_, err = fmt.Fprintf(out, "\nReport: %s\nComputed from %s\n", page, rep.Digest)
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object instead of the tables")
	return c
}

// loadReport analyses the study in a folder.
func loadReport(dir string) (rep *report.Report, err error) {
	s, ledger, err := openStudy(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, ledger.Close()) }()
	results, err := ledger.Results()
	if err != nil {
		return nil, err
	}
	standing, err := ledger.Standing(s)
	if err != nil {
		return nil, err
	}
	digest, err := sourceDigest(dir, results, standing.Changes)
	if err != nil {
		return nil, err
	}
	curves, err := curves(dir, sampleOf(results))
	if err != nil {
		return nil, err
	}
	s, results, err = standing.Apply(s, results)
	if err != nil {
		return nil, err
	}
	rep, err = report.New(s, results, curves, nil)
	if err != nil {
		return nil, err
	}
	rep.Digest, rep.Standing = digest, standing
	return rep, nil
}

// A report reads every log up to mostCurves, which makes the 95th percentile over
// all steps exact; beyond that those of fewCurves trials, as a plot of more lines
// is a blot, and takes that percentile from the ledger's histograms.
const (
	mostCurves = 300
	fewCurves  = 100
)

// sampleOf takes evenly from many results.
func sampleOf(results []eval.Result) []eval.Result {
	if len(results) <= mostCurves {
		return results
	}
	some := make([]eval.Result, 0, fewCurves)
	for i := range fewCurves {
		some = append(some, results[i*len(results)/fewCurves])
	}
	return some
}

// sourceDigest is the SHA-256 over the plan and its changes, every result with
// its amendments, and the name and size of every log.
func sourceDigest(dir string, results []eval.Result, changes []eval.Change) (string, error) {
	plan, err := os.ReadFile(filepath.Join(dir, eval.StudyFile))
	if err != nil {
		return "", err
	}
	h := sha256.New()
	h.Write(plan)
	enc := json.NewEncoder(h)
	for i := range changes {
		if err := enc.Encode(&changes[i]); err != nil {
			return "", err
		}
	}
	for i := range results {
		if err := enc.Encode(&results[i]); err != nil {
			return "", err
		}
		log := filepath.Join(eval.TrialsDir, results[i].Trial.ID, "trial.mcap")
		info, err := os.Stat(filepath.Join(dir, log))
		switch {
		case errors.Is(err, os.ErrNotExist):
		case err != nil:
			return "", err
		default:
			fmt.Fprintf(h, "%s %d\n", log, info.Size())
		}
	}
	return fmt.Sprintf("sha256:%x", h.Sum(nil)), nil
}

func evalDiffCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "diff STUDY STUDY",
		Short: "Compare two studies, policy by policy",
		Long: `diff compares the success rates of every policy that both studies have, as
independent trials, the second study's minus the first's, and their gaps. The
studies' scenes must be the same; a difference of anything else that matters
(configuration, judge, checkpoint) is listed.`,
		Example: "  twinrig eval diff studies/week12 studies/week13",
		Args:    exactly(2, "two studies' folders"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var reps [2]*report.Report
			for i, dir := range args {
				var err error
				if reps[i], err = loadReport(dir); err != nil {
					return err
				}
			}
			d, err := report.NewDiff(reps[0], reps[1])
			if err != nil {
				return usageError{err}
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), d)
			}
			return printDiff(cmd.OutOrStdout(), &d)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func printDiff(w io.Writer, d *report.Diff) error {
	fmt.Fprintf(w, "A: %s (%s)\nB: %s (%s)\n", d.A.Study, d.A.Digest, d.B.Study, d.B.Digest)
	for _, what := range d.Unlike {
		fmt.Fprintf(w, "Note: %s\n", what)
	}
	for i := range d.Policies {
		p := &d.Policies[i]
		fmt.Fprintf(w, "\n== %s\n", p.Policy)
		if err := printComparison(w, &p.Comparison); err != nil {
			return err
		}
	}
	return nil
}
