package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"twinrig/configs"
	"twinrig/eval"
)

func evalAmendCommand() *cobra.Command {
	var c eval.Change
	var timeout time.Duration
	var asJSON, recalibrated bool
	cmd := &cobra.Command{
		Use:   "amend STUDY --reason WHY",
		Short: "Change a frozen plan, with a reason that the report shows",
		Long: `amend changes what may be changed of a plan after it was frozen: the time-out
and the number of attempts, for trials that begin afterwards. --note records what
the plan has no word for, such as a camera that was moved. The plan's file stays
as it is; the change, who made it, when, why, and after how many trials, is in the
ledger and in every report. Verdicts are amended with label.`,
		Example: "  twinrig eval amend studies/week12 --timeout 60s --reason 'the new policy is slower'\n" +
			"  twinrig eval amend studies/week12 --note 'lamp replaced' --reason 'it broke'",
		Args: exactly(1, "a study's folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("timeout") && timeout < time.Second {
				return usageError{fmt.Errorf("--timeout is %v, must be at least 1s", timeout)}
			}
			c.Timeout = timeout.Seconds()
			return withStudy(args[0], func(s *eval.Study, l *eval.Ledger) error {
				if recalibrated {
					d, err := configs.ParseDemo([]byte(s.Config), ".")
					if err != nil {
						return err
					}
					cal, err := d.Rig.Calibration()
					if err != nil {
						return err
					}
					if c.Calibration, err = cal.Digest(); err != nil {
						return err
					}
				}
				if err := l.Change(s, c); err != nil {
					return usageError{err}
				}
				if asJSON {
					changes, err := l.Changes()
					if err != nil {
						return err
					}
					return printJSON(cmd.OutOrStdout(), changes)
				}
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: the plan is amended: %s\n", args[0], c.Reason)
				return err
			})
		},
	}
	cmd.Flags().StringVar(&c.Who, "who", loginName(), "who changes it")
	cmd.Flags().StringVar(&c.Reason, "reason", "", "why; needed")
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "time-out of the trials from now on")
	cmd.Flags().IntVar(&c.MaxAttempts, "max-attempts", 0, "how often one trial is run until it counts")
	cmd.Flags().BoolVar(&recalibrated, "recalibrated", false, "the rig's calibration record is another one now")
	cmd.Flags().StringVar(&c.Note, "note", "", "what was changed in words")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print all changes of the plan as one JSON array")
	return cmd
}
