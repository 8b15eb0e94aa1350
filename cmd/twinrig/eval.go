package main

import "github.com/spf13/cobra"

func evalCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "eval",
		Short: "Plan, compare and report evaluations, with honest intervals",
		Long: `eval asks how well policies do. A study is a folder: its frozen plan, its
ledger, and one log for each trial.`,
		Example: "  twinrig eval compare 26/120 90/120\n  twinrig eval power --p1 .6 --p2 .9 --n 10",
		Args:    exactly(0, "a command"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(evalCompareCommand(), evalPowerCommand(), evalImportCommand(), evalReportCommand(), evalDiffCommand(),
		evalPlanCommand(), evalRunCommand(), evalLabelCommand(), evalAmendCommand(), evalCloseCommand(), evalRecoverCommand())
	return c
}
