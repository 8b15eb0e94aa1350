package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"twinrig/configs"
	"twinrig/eval"
	"twinrig/eval/report"
	"twinrig/sim/mujoco"
	"twinrig/sim/scene"
)

// demoFlags are the command's.
type demoFlags struct {
	lockstep, asJSON bool
	seed             uint64
	out, config      string
	listen           string
	foxglove         string
	trials           int
}

func demoCommand() *cobra.Command {
	var f demoFlags
	c := &cobra.Command{
		Use:   "demo",
		Short: "Run a small evaluation study on the virtual rig, then its report",
		Long: `demo runs a whole small study without any robot: emulated servos on a serial
port, an arm with hidden differences behind them, a webcam that sees it, and a
mirror of every trial. It prints PSR, SR, DFR, SFR, TF and the sim-to-real gap,
and leaves a study with logs and an HTML report. All numbers are virtual.

With --lockstep it runs on virtual time, much faster, and one seed gives the
same trial records byte for byte.`,
		Example: "  twinrig demo\n  twinrig demo --lockstep --seed 7 --json",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			d, err := configs.LoadDemo(f.config)
			if err != nil {
				return usageError{err}
			}
			if cmd.Flags().Changed("seed") {
				d.Virtual.Seed = f.seed
			}
			if f.listen != "" {
				d.Listen = f.listen
			}
			if d.Listen != "" {
				if err := checkLoopback(d.Listen); err != nil {
					return usageError{err}
				}
			}
			if f.foxglove != "" {
				d.Foxglove = f.foxglove
			}
			if cmd.Flags().Changed("trials") {
				d.Study.Trials = f.trials
			}
			return demo(cmd.Context(), d, f, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	c.Flags().BoolVar(&f.lockstep, "lockstep", false, "run on virtual time instead of real time")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of the hidden differences, the placements and the order")
	c.Flags().StringVar(&f.out, "out", "", "directory of the study (default studies/demo-DATE-TIME)")
	c.Flags().StringVar(&f.config, "config", "", "a file like configs/demo.yaml instead of the shipped one")
	c.Flags().IntVar(&f.trials, "trials", 1, "trials for each scene and policy")
	c.Flags().StringVar(&f.listen, "listen", "", "serve metrics and health here while it runs: 127.0.0.1:PORT")
	c.Flags().StringVar(&f.foxglove, "foxglove", "", "let Foxglove look on while it runs: 127.0.0.1:8765")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON object instead of the tables")
	return c
}

// demo plans the study, runs it, and reports.
func demo(ctx context.Context, d configs.Demo, f demoFlags, stdout, stderr io.Writer) (err error) {
	if f.out == "" {
		f.out = filepath.Join("studies", "demo-"+time.Now().Format("20060102-150405"))
	}
	if err := fitRate(&d.Rig, &d); err != nil {
		return err
	}
	d.Rig.Record.Synchronous = f.lockstep // before the plan freezes it
	if err := d.Validate(); err != nil {
		return usageError{err}
	}
	study, scenes, err := plan(&d, filepath.Base(f.out))
	if err != nil {
		return usageError{err}
	}
	// What would fail at once must not leave a study behind.
	if err := mujoco.Open(); err != nil {
		return err
	}
	dir, err := eval.Create(filepath.Dir(f.out), study)
	if err != nil {
		return usageError{err}
	}
	ledger, err := eval.OpenLedger(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ledger.Close()) }()

	progress := newProgress(stderr, f.asJSON)
	s := newSession(&d, study, scenes, dir, f.lockstep, progress.say)
	err = s.run(ctx, ledger, progress.step)
	progress.done()
	if err != nil {
		if parked(ctx, err) {
			progress.say("arm parked, torque off; the finished trials are in " + dir)
		}
		return err
	}
	return reportDemo(ledger, s, f.asJSON, stdout)
}

// fitRate runs the loop as fast as the wire lets it.
func fitRate(rig *configs.Rig, d *configs.Demo) error {
	rig.Bus.Baud, rig.Bus.ReplyGap, rig.Bus.Latency = d.Virtual.Baud, d.Virtual.ReplyGap, d.Virtual.Latency
	rig.Serial.Baud = d.Virtual.Baud
	cal, err := rig.Calibration()
	if err != nil {
		return err
	}
	rig.Loop.RateHz, err = fastest(rig, cal)
	return err
}

// plan freezes the study.
func plan(d *configs.Demo, name string) (*eval.Study, []scene.Scene, error) {
	text, err := yaml.Marshal(d)
	if err != nil {
		return nil, nil, err
	}
	s := &eval.Study{
		Name: name, Virtual: true,
		Trials: d.Study.Trials, OrderSeed: d.Virtual.Seed, Timeout: d.Study.Timeout, MaxAttempts: d.Design.MaxAttempts,
		VerdictSource: (&virtualOperator{}).Source(),
		Config:        string(text), ConfigSHA256: eval.Digest(string(text)),
	}
	for _, p := range d.Study.Policies {
		contender, err := configs.Contender(p)
		if err != nil {
			return nil, nil, err
		}
		s.Policies = append(s.Policies, contender)
	}
	scenes, err := d.Study.LoadScenes()
	if err != nil {
		return nil, nil, err
	}
	for i := range scenes {
		sc := &scenes[i]
		def, err := yaml.Marshal(sc)
		if err != nil {
			return nil, nil, err
		}
		es := eval.Scene{Name: sc.Name, Instruction: sc.Instruction, Definition: string(def)}
		for i := range d.Study.Placements {
			p, err := sc.Place(placementSeed(d.Virtual.Seed, i))
			if err != nil {
				return nil, nil, err
			}
			spots := eval.Placement{}
			for name, at := range p {
				spots[name] = eval.Spot(at)
			}
			es.Placements = append(es.Placements, spots)
		}
		s.Scenes = append(s.Scenes, es)
	}
	return s, scenes, nil
}

// placementSeed draws a study's i-th placement of a scene.
func placementSeed(seed uint64, i int) uint64 { return seed<<16 + uint64(i) }

// demoSummary is the command's JSON.
type demoSummary struct {
	report.Summary
	WireHz float64 `json:"wire_hz"`
	Seed   uint64  `json:"seed"`
	Report string  `json:"report"`
}

// reportDemo writes the report, and prints the tables or the JSON.
func reportDemo(l *eval.Ledger, ses *session, asJSON bool, w io.Writer) error {
	s, dir, speedup := ses.study, ses.dir, ses.speedup()
	results, err := l.Results()
	if err != nil {
		return err
	}
	curves, err := curves(dir, results)
	if err != nil {
		return err
	}
	pictures, err := ses.pictures.draw("the virtual camera")
	if err != nil {
		return err
	}
	rep, err := report.New(s, results, curves, pictures)
	if err != nil {
		return err
	}
	page, err := rep.Save(dir)
	if err != nil {
		return err
	}
	sum := demoSummary{Summary: rep.Summary(speedup, dir), WireHz: ses.wireHz, Seed: s.OrderSeed, Report: page}
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(sum)
	}
	if err := rep.Table(w); err != nil {
		return err
	}
	if l := sum.Loop; l != nil {
		fmt.Fprintf(w, "\nControl loop (virtual): %.1f Hz; the wire model allows %.1f Hz for this cycle (%.1f %%). Late by %.0f us (p50), %.0f us (p99); %d misses.\n",
			l.Hz, sum.WireHz, 100*l.Hz/sum.WireHz, l.LateP50US, l.LateP99US, l.Misses)
	}
	fmt.Fprintf(w, "Ran %.1f times as fast as real time.\nReport: %s\n", speedup, page)
	return nil
}
