package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"twinrig/eval"
	"twinrig/eval/outside"
)

func evalImportCommand() *cobra.Command {
	var o outside.Options
	var out string
	var asJSON bool
	c := &cobra.Command{
		Use:   "import FILE.csv",
		Short: "Make a study of outcomes from elsewhere",
		Long: `import makes a study of a CSV file, for the same report and tests. A file has
either one row for each trial:

  scene,policy,success[,partial_success,labels,t_success_s,placement_id,
  termination,order,trial_id,mirror_success,who,note,...]

(labels as this program's, or columns DFR and SFR with 1 or 0; this is also the
layout of a study's own trials.csv), or one for each scene and policy:

  scene,policy,trials,PSR,SR,DFR,SFR[,TF_mean_s,TF_std_s,n_partial,n_success]

with rates as printed (TF_std_s is the population's); rows of the scene "All"
are held against the others. Such a file does not say which trials were in pairs
or in which order they were, and the report makes no test that needs it.`,
		Example: "  twinrig eval import results.csv\n  twinrig eval report studies/results",
		Args:    exactly(1, "a CSV file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" {
				name := strings.TrimSuffix(filepath.Base(args[0]), filepath.Ext(args[0]))
				out = filepath.Join("studies", regexp.MustCompile(`[^A-Za-z0-9_.-]+`).ReplaceAllString(name, "-"))
			}
			o.Name, o.File = filepath.Base(out), filepath.Base(args[0])
			im, err := importStudy(args[0], filepath.Dir(out), o)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), importJSON{out, len(im.Results), im.Layout, append([]string{}, im.Unknown...)})
			}
			w := cmd.OutOrStdout()
			fmt.Fprintf(w, "%s: %d trials, %s\n", out, len(im.Results), im.Layout)
			if len(im.Unknown) > 0 {
				fmt.Fprintf(w, "Columns left aside: %s\n", strings.Join(im.Unknown, ", "))
			}
			_, err = fmt.Fprintf(w, "Next: twinrig eval report %s\n", out)
			return err
		},
	}
	c.Flags().StringVar(&out, "out", "", "folder of the study (default studies/FILE)")
	c.Flags().StringVar(&o.JudgedBy, "judged-by", "not stated", "who judged, where the file does not say")
	c.Flags().DurationVar(&o.Timeout, "timeout", 0, "time-out of the trials (default the longest time to finish)")
	c.Flags().BoolVar(&o.Virtual, "virtual", false, "the trials were a simulated arm's")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// importJSON is the command's JSON.
type importJSON struct {
	StudyDir string   `json:"study_dir"`
	Trials   int      `json:"trials"`
	Layout   string   `json:"layout"`
	Unknown  []string `json:"columns_left_aside"`
}

func importStudy(file, root string, o outside.Options) (im *outside.Imported, err error) {
	if o.Timeout < 0 || o.Timeout > 24*time.Hour {
		return nil, usageError{fmt.Errorf("--timeout is %v, must be 0 to 24h", o.Timeout)}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, usageError{err}
	}
	if im, err = outside.Read(text, o); err != nil {
		return nil, usageError{fmt.Errorf("%s: %w", file, err)}
	}
	dir, err := eval.Create(root, im.Study)
	if err != nil {
		return nil, usageError{err}
	}
	ledger, err := eval.OpenLedger(dir)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, ledger.Close()) }()
	return im, ledger.Import(im.Results)
}
