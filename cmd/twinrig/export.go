package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"twinrig/eval"
	"twinrig/eval/export"
	"twinrig/eval/export/lerobot"
	"twinrig/eval/report"
)

// exportFlags are those that every form of export has.
type exportFlags struct {
	out    string
	policy string
	all    bool
	asJSON bool
}

func exportCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "export",
		Short: "A study's trials for other software: CSV, LeRobot",
		Long: `export writes a study's trials in forms that other software reads, from the
ledger and the logs alone: the same study gives the same files.`,
		Example: "  twinrig export csv studies/week12 --out tables\n  twinrig export lerobot studies/week12 --out week12 --version v3.0",
		Args:    exactly(0, "a command"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(exportCSVCommand(), exportLeRobotCommand())
	return c
}

func (f *exportFlags) register(c *cobra.Command) {
	c.Flags().StringVar(&f.out, "out", "", "a new folder for it")
	c.Flags().StringVar(&f.policy, "policy", "", "only this policy's trials")
	c.Flags().BoolVar(&f.all, "all", false, "also attempts that do not count (their termination says why)")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON object")
}

func exportCSVCommand() *cobra.Command {
	var f exportFlags
	c := &cobra.Command{
		Use:   "csv STUDY --out DIR",
		Short: "Tables: the trials, and each trial's ticks and control steps",
		Long: `csv writes trials.csv (a row for each trial: outcome, times, gap, provenance),
and for each trial that has a log TRIAL.ticks.csv (a row for each tick of the
loop) and TRIAL.steps.csv (a row for each control step, with the mirror's gap).
Every key ends in its unit; *_ns are nanoseconds on the rig's monotonic clock.`,
		Example: "  twinrig export csv studies/week12 --out tables",
		Args:    exactly(1, "a study's folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			x, err := f.load(args[0])
			if err != nil {
				return err
			}
			if err := os.Mkdir(f.out, 0o755); err != nil {
				return outError(err)
			}
			table, err := os.Create(filepath.Join(f.out, report.CSVFile))
			if err != nil {
				return err
			}
			rep := report.Report{Analysis: &eval.Analysis{Study: x.study, Results: x.results}}
			if err := errors.Join(rep.CSV(table), table.Close()); err != nil {
				return err
			}
			without, err := export.CSV(args[0], x.results, f.out)
			if err != nil {
				return err
			}
			if f.asJSON {
				return printJSON(cmd.OutOrStdout(), map[string]any{
					"out": f.out, "trials": len(x.results), "without_log": append([]string{}, without...), "digest": x.digest,
				})
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %d trials, %d of them without a log\nComputed from %s\n", f.out, len(x.results), len(without), x.digest)
			return err
		},
	}
	f.register(c)
	return c
}

func exportLeRobotCommand() *cobra.Command {
	var f exportFlags
	var version string
	var noVideo bool
	c := &cobra.Command{
		Use:   "lerobot STUDY --out DIR",
		Short: "A LeRobot dataset, version 2.1 or 3.0",
		Long: `lerobot writes the trials that count as a LeRobot dataset: a trial is an
episode, a control step a frame. observation.state is six joints (rad) and the
gripper's opening (0 closed, 1 open), action the same seven numbers as the policy
asked for them, at the end of the step and before the guard. timestamp is
frame_index / fps; the columns capture_s.* have the true times. Videos are H.264.
Outcome and failure labels of a trial are in its episode's metadata and, as
next.success, in its last frame; the study's provenance is in meta/info.json.`,
		Example: "  twinrig export lerobot studies/week12 --out week12 --version v3.0",
		Args:    exactly(1, "a study's folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			x, err := f.load(args[0])
			if err != nil {
				return err
			}
			if ids := eval.Unlabelled(x.results); len(ids) > 0 {
				return &eval.UnlabelledError{Trials: ids}
			}
			sum, err := lerobot.Write(args[0], x.results, f.out, lerobot.Options{
				Version: lerobot.Version(version), NoVideo: noVideo, Provenance: x.provenance(),
			})
			if err != nil {
				return outError(err)
			}
			if f.asJSON {
				return printJSON(cmd.OutOrStdout(), struct {
					Out     string `json:"out"`
					Version string `json:"version"`
					*lerobot.Summary
					Digest string `json:"digest"`
				}{f.out, version, sum, x.digest})
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: LeRobot %s, %d episodes, %d frames at %d Hz, %d tasks, cameras %v; %d trials without a log\nComputed from %s\n",
				f.out, version, sum.Episodes, sum.Frames, sum.FPS, sum.Tasks, sum.Cameras, len(sum.Without), x.digest)
			return err
		},
	}
	f.register(c)
	c.Flags().StringVar(&version, "version", string(lerobot.V30), "LeRobot's codebase version: v2.1 or v3.0")
	c.Flags().BoolVar(&noVideo, "no-video", false, "without the cameras' pictures")
	return c
}

// exported is what an export is made of.
type exported struct {
	study   *eval.Study
	results []eval.Result
	digest  string
}

// load reads a study's trials as they count now.
func (f *exportFlags) load(dir string) (*exported, error) {
	if f.out == "" {
		return nil, usageError{errors.New("--out must name a new folder")}
	}
	var x exported
	err := withStudy(dir, func(s *eval.Study, l *eval.Ledger) error {
		results, err := l.Results()
		if err != nil {
			return err
		}
		standing, err := l.Standing(s)
		if err != nil {
			return err
		}
		if x.digest, err = sourceDigest(dir, results, standing.Changes); err != nil {
			return err
		}
		x.study, x.results, err = standing.Apply(s, results)
		return err
	})
	if err != nil {
		return nil, err
	}
	if f.policy != "" && !slices.ContainsFunc(x.study.Policies, func(p eval.Policy) bool { return p.Name == f.policy }) {
		return nil, usageError{fmt.Errorf("--policy %s: the study has no such policy", f.policy)}
	}
	x.results = slices.DeleteFunc(x.results, func(r eval.Result) bool {
		return !f.all && !r.Termination.Counted() || f.policy != "" && r.Trial.Policy != f.policy
	})
	return &x, nil
}

// provenance is what a dataset says of where it comes from.
func (x *exported) provenance() map[string]any {
	policies := map[string]any{}
	for _, p := range x.study.Policies {
		policies[p.Name] = map[string]string{"source": p.Source, "checkpoint": p.Checkpoint}
	}
	return map[string]any{
		"study": x.study.Name, "virtual": x.study.Virtual, "digest": x.digest, "config_sha256": x.study.ConfigSHA256,
		"verdict_source": x.study.VerdictSource, "policies": policies, "software": softwareVersion(),
	}
}

// outError makes a folder that is there already the caller's mistake.
func outError(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return usageError{fmt.Errorf("%w: name a new one with --out", err)}
	}
	return err
}
