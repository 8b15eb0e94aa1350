package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"twinrig/eval"
	"twinrig/sim/mujoco"
)

func evalRunCommand() *cobra.Command {
	var lockstep, asJSON bool
	var who string
	c := &cobra.Command{
		Use:   "run STUDY",
		Short: "Run a planned study, from wherever it stands",
		Long: `run goes through the open trials of a study in its order. Each trial is in the
ledger, durably, before the next one begins. Stop it as you like (Ctrl-C parks the
arm; a killed process or a cut supply lose no finished trial) and run it again: it
goes on where it stopped. A trial that was cut short is run again, with another log.

On a real arm it says what to place where, waits for Enter, and lets the policy
drive; s, x or e (and Enter) end a trial. Then it asks for the verdict. The mirror
proposes one, which is marked as such.

With --lockstep the virtual rig runs on virtual time, each trial on a rig that was just
switched on: the study ends in the same numbers however often it was interrupted.
A disk with too little room stops the study before a trial, not in it.`,
		Example: "  twinrig eval run studies/week12 --lockstep",
		Args:    exactly(1, "a study's folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return withStudy(args[0], func(s *eval.Study, l *eval.Ledger) error {
				return runStudy(cmd.Context(), s, l, args[0], who, lockstep, asJSON, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
			})
		},
	}
	c.Flags().BoolVar(&lockstep, "lockstep", false, "run on virtual time instead of real time")
	c.Flags().StringVar(&who, "who", loginName(), "who operates a real arm and judges its trials")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// runJSON is the command's JSON.
type runJSON struct {
	StudyDir string         `json:"study_dir"`
	Done     int            `json:"done"`
	Total    int            `json:"total"`
	GivenUp  int            `json:"given_up"`
	Speedup  float64        `json:"speedup"`
	Evidence *eval.Evidence `json:"stop_rule"`
}

func runStudy(ctx context.Context, s *eval.Study, l *eval.Ledger, dir, who string, lockstep, asJSON bool, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := mujoco.Open(); err != nil {
		return err
	}
	bar := newProgress(stderr, asJSON)
	ses, err := sessionOf(s, l, dir, lockstep, bar.say)
	if err != nil {
		return err
	}
	if !s.Virtual {
		if err := sameCalibration(s, l, ses.demo); err != nil {
			return err
		}
		// A bar would be drawn over what the operator is asked.
		bar.tty, bar.quiet = false, false
		ses.person = newPerson(who, stdin, stderr)
	}
	if closed, err := l.Closed(); err != nil || closed != nil {
		if err == nil {
			err = usageError{fmt.Errorf("%s: %w, by %s at %s", dir, eval.ErrClosed, closed.Who, closed.At)}
		}
		return err
	}
	if err := l.Note("", "run", fmt.Sprintf("lockstep %t, %s", lockstep, softwareVersion())); err != nil {
		return err
	}
	err = ses.run(ctx, l, bar.step)
	bar.done()
	if err != nil {
		if parked(ctx, err) {
			bar.say("arm parked, torque off; run it again to go on")
		}
		return err
	}
	at, err := l.Progress(s)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(stdout, runJSON{dir, at.Done, at.Total, at.GivenUp, ses.speedup(), at.Evidence})
	}
	fmt.Fprintf(stdout, "%s: %d of %d trials are done, at %.1f times real time\n", dir, at.Done, at.Total, ses.speedup())
	if at.GivenUp > 0 {
		fmt.Fprintf(stdout, "%d were given up after too many invalid attempts\n", at.GivenUp)
	}
	if ev := at.Evidence; ev != nil && ev.Stopped {
		fmt.Fprintf(stdout, "The stop rule ended the study after %d pairs: anytime p = %.3g\n", ev.Pairs, ev.P)
	}
	_, err = fmt.Fprintf(stdout, "Next: twinrig eval close %s\n", dir)
	return err
}
