package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"twinrig/agent/telemetry/mqtt"
	"twinrig/configs"
)

// orderPatience is how long the rig may take to answer: to take torque on again
// takes some seconds.
const orderPatience = 40 * time.Second

func orderCommand() *cobra.Command {
	var rig, client string
	var v mqtt.Verdict
	c := &cobra.Command{
		Use:   "order start|stop|halt|label --rig FILE --client NAME",
		Short: "Command a rig whose agent runs, from anywhere that its broker reaches",
		Long: `order commands a rig over its MQTT broker, as one of the clients that its file
lists under mqtt.commands, with that client's key. halt takes torque off at once;
start ends a halt; stop parks the arm and ends the agent; label judges a trial.
It prints what the rig answers, and ends with 0 only if that was done.`,
		Example: "  twinrig order halt --rig rig.yaml --client console\n" +
			"  twinrig order label --rig rig.yaml --client console --trial 0007 --success --reason 'it was in the bowl'",
		Args: cobra.MatchAll(exactly(1, "one of "+strings.Join(mqtt.Verbs, ", ")), func(_ *cobra.Command, args []string) error {
			if !slices.Contains(mqtt.Verbs, args[0]) {
				return usageError{fmt.Errorf("order: %q is none of %s", args[0], strings.Join(mqtt.Verbs, ", "))}
			}
			return nil
		}),
		RunE: func(cmd *cobra.Command, args []string) error {
			if rig == "" || client == "" {
				return usageError{errors.New("order wants --rig FILE and --client NAME")}
			}
			cfg, err := configs.LoadRig(rig)
			if err != nil {
				return usageError{err}
			}
			var with []byte
			if args[0] == "label" {
				if v.Trial == "" || v.Reason == "" {
					return usageError{errors.New("order label wants --trial and --reason")}
				}
				if with, err = json.Marshal(v); err != nil {
					return err
				}
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), orderPatience)
			defer cancel()
			said, err := mqtt.Give(ctx, &cfg.MQTT, cfg.Name, client, args[0], string(with))
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), said)
			return err
		},
	}
	c.Flags().StringVar(&rig, "rig", "", "the rig file")
	c.Flags().StringVar(&client, "client", "", "who commands, one of the file's mqtt.commands")
	c.Flags().StringVar(&v.Trial, "trial", "", "label: the trial's id")
	c.Flags().BoolVar(&v.Success, "success", false, "label: the trial was a success")
	c.Flags().BoolVar(&v.Partial, "partial", false, "label: the object was grasped and lifted")
	c.Flags().StringSliceVar(&v.Labels, "label", nil, "label: an error of a failure, such as missed_grasp")
	c.Flags().StringVar(&v.Reason, "reason", "", "label: why")
	return c
}
