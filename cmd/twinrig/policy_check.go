package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"twinrig/cmd/twinrig/doctor"
	"twinrig/configs"
	"twinrig/policy/remote"
	"twinrig/sim"
)

func policyCheckCommand() *cobra.Command {
	var rig string
	var logs []string
	var asJSON bool
	var warmUp time.Duration
	c := &cobra.Command{
		Use:   "check [URL] --rig FILE",
		Short: "Does a policy server fit this rig? Asked before anything moves",
		Long: `check asks a policy server (by default the rig's policy_server) as a trial would,
without any arm or camera: does it answer, what does it declare, does its answer
have the shape it should, are its actions within this rig's limits, is it fast
enough, and, where it can be asked for known actions, does each number turn what
it should and nothing else.

--log names trials' recordings (trial.mcap): the server is then shown what the
camera and the joints were there, and its answers mean something. Without it, it
sees a test picture from the start pose.

The first answer may take as long as --warm-up, for a model compiles then. In a
trial no answer may take longer than the rig's policy.timeout, so check first.

It ends with 0 if a trial may begin, with 1 if not.`,
		Example: "  twinrig policy check openpi+ws://gpu:8000 --rig rig.yaml --log studies/week12/trials/0007-*/trial.mcap\n" +
			"  twinrig policy check --rig rig.yaml --json",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if rig == "" {
				return usageError{errors.New("policy check wants a rig file: --rig configs/widowx250s.yaml")}
			}
			cfg, err := configs.LoadRig(rig)
			if err != nil {
				return usageError{err}
			}
			url := cfg.PolicyServer
			if len(args) == 1 {
				url = args[0]
			}
			if url == "" {
				return usageError{fmt.Errorf("no server: name its URL, or policy_server in %s", rig)}
			}
			if err := remote.CheckURL(url); err != nil {
				return usageError{err}
			}
			if warmUp <= 0 || warmUp > time.Hour {
				return usageError{fmt.Errorf("--warm-up is %v, must be above 0, at most 1h", warmUp)}
			}
			shown, err := readShown(logs)
			if err != nil {
				return usageError{err}
			}
			r, err := checkPolicy(cmd.Context(), url, &cfg, shown, warmUp)
			if err != nil {
				return err
			}
			return printPolicyCheck(cmd.OutOrStdout(), &r, asJSON)
		},
	}
	c.Flags().StringVar(&rig, "rig", "", "the rig file")
	c.Flags().StringArrayVar(&logs, "log", nil, "a recorded trial to show the server; may be repeated")
	c.Flags().DurationVar(&warmUp, "warm-up", time.Minute, "how long the first answer may take")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

func printPolicyCheck(w io.Writer, r *doctor.Report, asJSON bool) error {
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		if err := enc.Encode(r); err != nil {
			return err
		}
	} else if err := printChecks(w, r, "A trial may begin.", "No trial may begin yet."); err != nil {
		return err
	}
	return failures("policy check", r)
}

// helloLimit bounds the wait for a server's first words.
const helloLimit = 10 * time.Second

// checkPolicy asks the server, which may take warmUp for its first answer; only an
// interruption is an error.
func checkPolicy(ctx context.Context, url string, cfg *configs.Rig, shown []sight, warmUp time.Duration) (doctor.Report, error) {
	r := doctor.Report{MayStart: true}
	add := func(name string, v doctor.Verdict, fix, value string, args ...any) {
		if v == doctor.OK {
			fix = ""
		}
		r.Checks = append(r.Checks, doctor.Result{Name: name, Verdict: v, Value: fmt.Sprintf(value, args...), Fix: fix})
		r.MayStart = r.MayStart && v != doctor.Fail
	}
	skip := func(needs string, names ...string) {
		for _, name := range names {
			add(name, doctor.Fail, "fix "+needs+" first", "not checked: needs %s", needs)
			r.Checks[len(r.Checks)-1].Needs = needs
		}
	}
	begun := time.Now()
	hello, cancel := context.WithTimeout(ctx, helloLimit)
	p, err := remote.Open(hello, url, cfg.Remote, sim.NewKinematics())
	cancel()
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	if err != nil {
		fix := "start the server, or correct the URL"
		if errors.Is(err, remote.ErrContract) {
			fix = "correct remote in the rig file, or the server's metadata; what the server does not declare the rig file must"
		}
		add("server", doctor.Fail, fix, "%v", err)
		skip("server", "contract", "picture", "answers", "actions", "latency", "probes")
		return r, nil
	}
	defer p.Close()
	add("server", doctor.OK, "", "%s, connected in %.0f ms", url, 1000*time.Since(begun).Seconds())
	e := examiner{policy: p, cfg: cfg, add: add, shown: shown, warmUp: warmUp}
	e.contract()
	e.picture()
	if len(e.shown) == 0 {
		e.shown, e.blind = []sight{testSight()}, true
	}
	switch err := e.warm(ctx); {
	case ctx.Err() != nil:
		return r, ctx.Err()
	case err != nil:
		add("answers", doctor.Fail, "look what the server's log says of the question", "no answer to the first question in %v: %v", warmUp, err)
		skip("answers", "actions", "latency", "probes")
		return r, nil
	}
	if err := e.answers(ctx); err != nil {
		return r, err
	}
	return r, e.probes(ctx)
}
