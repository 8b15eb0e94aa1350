package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"twinrig/configs"
	"twinrig/eval"
)

// planFlags are the command's; what is not given is as in the file.
type planFlags struct {
	file, rig          string
	scenes, policies   []string
	trials, placements int
	timeout            time.Duration
	seed               uint64
	blind              bool
	stop, test         string
	between            []string
	alpha              float64
	guess              []float64
	asJSON             bool
}

func evalPlanCommand() *cobra.Command {
	var f planFlags
	c := &cobra.Command{
		Use:   "plan STUDY",
		Short: "Freeze the plan of a study: scenes, placements, policies, order, stop rule",
		Long: `plan draws the placements (the same ones for every policy), the order (blocks of
one placement with every policy, in random order) and, for a blinded study, the
letters that stand for the policies; and writes it all to STUDY/study.yaml, which
is never changed again. It prints the plan's digest, to be kept elsewhere, and a
commitment to the letters, which close reveals.

--stop e-process lets the evidence that one policy is better end the study at any
pair, in either direction; the number of trials is then the most there will be.
Nothing else may end a study early, and nothing may make it longer.

Without --file it plans the twelve scenes of Table 2, ten trials of each policy.`,
		Example: "  twinrig eval plan studies/week12\n" +
			"  twinrig eval plan studies/quick --scenes 00_banana_bowl,03_spoon_napkin --policies expert,clumsy,hold --trials 4\n" +
			"  twinrig eval plan studies/race --stop e-process --guess .6,.9",
		Args: exactly(1, "a folder for the study"),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := configs.LoadPlan(f.file)
			if err != nil {
				return usageError{err}
			}
			if f.rig != "" {
				if d.Rig, err = realRig(f.rig); err != nil {
					return usageError{err}
				}
			}
			f.override(&d, cmd.Flags().Changed)
			return planStudy(&d, f.rig != "", filepath.Clean(args[0]), f.asJSON, cmd.OutOrStdout())
		},
	}
	fl := c.Flags()
	fl.StringVar(&f.file, "file", "", "a file like configs/table2.yaml instead of the shipped one")
	fl.StringVar(&f.rig, "rig", "", "the rig file of a real arm; without it the study is for the virtual rig")
	fl.StringSliceVar(&f.scenes, "scenes", nil, "scenes: files, names of shipped ones, or table2")
	fl.StringSliceVar(&f.policies, "policies", nil, "policies: expert, clumsy, hold, or a server's URL")
	fl.IntVar(&f.trials, "trials", 0, "trials of each policy in each scene")
	fl.IntVar(&f.placements, "placements", 0, "placements of each scene (default one for each trial)")
	fl.DurationVar(&f.timeout, "timeout", 0, "when a trial without success ends")
	fl.Uint64Var(&f.seed, "seed", 0, "seed of placements, order and trials, and of the virtual arm")
	fl.BoolVar(&f.blind, "blind", true, "hide from the operator which policy is which")
	fl.StringVar(&f.stop, "stop", "", "stop rule: fixed or e-process")
	fl.StringVar(&f.test, "stop-test", "", "what the e-process looks at: paired or unpaired trials")
	fl.Float64Var(&f.alpha, "alpha", 0, "chance to stop for a difference that is not there")
	fl.StringSliceVar(&f.between, "between", nil, "the two policies of the stop rule, if there are more")
	fl.Float64SliceVar(&f.guess, "guess", nil, "two true success rates: how likely are they told apart?")
	fl.BoolVar(&f.asJSON, "json", false, "print one JSON object")
	return c
}

// override puts the flags that were given over the file.
func (f *planFlags) override(d *configs.Demo, given func(string) bool) {
	for name, set := range map[string]func(){
		"scenes":     func() { d.Study.Scenes = f.scenes },
		"policies":   func() { d.Study.Policies = f.policies },
		"trials":     func() { d.Study.Trials, d.Study.Placements = f.trials, f.trials },
		"timeout":    func() { d.Study.Timeout = f.timeout },
		"seed":       func() { d.Virtual.Seed = f.seed },
		"blind":      func() { d.Design.Blind = f.blind },
		"stop":       func() { d.Design.Stop.Rule = f.stop },
		"stop-test":  func() { d.Design.Stop.Test = f.test },
		"alpha":      func() { d.Design.Stop.Alpha = f.alpha },
		"between":    func() { d.Design.Stop.Between = f.between },
		"guess":      func() { d.Design.Guess = f.guess },
		"placements": func() {}, // after trials, below
	} {
		if given(name) {
			set()
		}
	}
	if given("placements") {
		d.Study.Placements = f.placements
	}
}

// planJSON is the command's JSON.
type planJSON struct {
	StudyDir   string   `json:"study_dir"`
	Digest     string   `json:"digest"`
	Commitment string   `json:"commitment,omitempty"`
	Trials     int      `json:"trials"`
	Scenes     []string `json:"scenes"`
	Policies   []string `json:"policies"`
	Power      string   `json:"power"`
}

// realRig loads a rig file for a study, which is run from wherever one stands.
func realRig(path string) (configs.Rig, error) {
	rig, err := configs.LoadRig(path)
	if err == nil && rig.Calib != "" {
		rig.Calib, err = filepath.Abs(rig.Calib)
	}
	return rig, err
}

// planStudy freezes the plan and begins its ledger.
func planStudy(d *configs.Demo, real bool, dir string, asJSON bool, w io.Writer) (err error) {
	if err := d.Validate(); err != nil {
		return usageError{err}
	}
	if !real {
		if err := fitRate(&d.Rig, d); err != nil {
			return err
		}
	}
	study, seal, err := design(d, real, filepath.Base(dir))
	if err != nil {
		return usageError{err}
	}
	if dir, err = eval.Create(filepath.Dir(dir), study); err != nil {
		return usageError{err}
	}
	l, err := eval.OpenLedger(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if seal != nil {
		if err := l.Seal(seal); err != nil {
			return err
		}
	}
	out := planJSON{StudyDir: dir, Digest: l.Plan(), Commitment: study.Commitment, Trials: study.Total(), Power: study.Power}
	for _, s := range study.Scenes {
		out.Scenes = append(out.Scenes, s.Name)
	}
	for _, p := range study.Policies {
		out.Policies = append(out.Policies, p.Name)
	}
	if asJSON {
		return printJSON(w, out)
	}
	fmt.Fprintf(w, "%s: at most %d trials, %d scenes, policies %v, time-out %v\n", dir, out.Trials, len(out.Scenes), out.Policies, study.Timeout)
	fmt.Fprintf(w, "%s\nPlan: SHA-256 %s\n", study.Power, out.Digest)
	if seal != nil {
		fmt.Fprintf(w, "Letters: SHA-256 %s; close reveals them\n", out.Commitment)
	}
	_, err = fmt.Fprintf(w, "Keep these lines elsewhere. Next: twinrig eval run %s\n", dir)
	return err
}
