package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"twinrig/agent"
	"twinrig/sim/virtual"
)

// virtualReady is the line that `twinrig virtual --json` prints when it serves.
type virtualReady struct {
	Serial string `json:"serial"`
	Camera string `json:"camera"`
	PID    int    `json:"pid"`
}

func virtualCommand() *cobra.Command {
	cfg := virtual.DefaultConfig()
	var asJSON bool
	c := &cobra.Command{
		Use:   "virtual",
		Short: "Serve a virtual WidowX 250S: servos on a pseudo-terminal, a webcam behind a URL",
		Long: `virtual serves the whole virtual rig until it is stopped: nine emulated
Dynamixel servos that speak Protocol 2.0 at their true rates on a pseudo-terminal,
turning the joints of a simulated arm, and the camera that sees it as MJPEG over
HTTP. Any Dynamixel software and any video player can use it.`,
		Example: "  twinrig virtual\n  twinrig virtual --seed 7 --baud 4000000 --json",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cfg.Validate(); err != nil {
				return usageError{err}
			}
			clock, err := agent.OpenClock()
			if err != nil {
				return err
			}
			rig, err := virtual.Serve(cfg, clock.Now, func() { agent.LockThread(fifoPriority + 1) })
			if err != nil {
				return err
			}
			ready := virtualReady{Serial: rig.PortPath(), Camera: rig.CameraURL(), PID: os.Getpid()}
			if asJSON {
				err = json.NewEncoder(cmd.OutOrStdout()).Encode(ready)
			} else {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "servos on %s, camera on %s; Ctrl-C stops\n", ready.Serial, ready.Camera)
			}
			if err == nil {
				<-cmd.Context().Done() // being stopped is how it ends well
			}
			if closeErr := rig.Close(); err == nil {
				err = closeErr
			}
			return err
		},
	}
	c.Flags().Uint64Var(&cfg.Seed, "seed", cfg.Seed, "seed of the hidden differences")
	c.Flags().IntVar(&cfg.Baud, "baud", cfg.Baud, "the line's rate in bit/s")
	c.Flags().DurationVar(&cfg.Latency, "latency", cfg.Latency, "the USB adapter's latency timer")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON line once it serves")
	return c
}
