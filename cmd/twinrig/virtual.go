package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"twinrig/agent"
	"twinrig/configs"
	"twinrig/drivers/dynamixel/servotest"
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
	var faults, board string
	c := &cobra.Command{
		Use:   "virtual",
		Short: "Serve a virtual WidowX 250S: servos on a pseudo-terminal, a webcam behind a URL",
		Long: `virtual serves the whole virtual rig until it is stopped: nine emulated
Dynamixel servos that speak Protocol 2.0 at their true rates on a pseudo-terminal,
turning the joints of a simulated arm, and the camera that sees it as MJPEG over
HTTP. Any Dynamixel software and any video player can use it.

--faults names a file of what is to go wrong, and when, counted from the start:

  faults:
    - {kind: silent, ids: [4], at: 5s, for: 2s}
    - {kind: corrupted, rate: 0.01, at: 10s, for: 30s}
    - {kind: unplugged, at: 60s, for: 3s}

Kinds of the line: lost, corrupted, truncated, junk (rate per byte or answer),
late (delay), echo, unplugged. Kinds of servos: silent, overload, hot
(temperature_c), sagging (voltage_v), stuck, slipped (angle_rad), unpowered,
rebooted, model (model_number), renamed (new_id). Without for it is for good.`,
		Example: "  twinrig virtual\n  twinrig virtual --seed 7 --baud 4000000 --json\n  twinrig virtual --faults faults.yaml",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if faults != "" {
				var err error
				if cfg.Faults, err = configs.LoadFaults(faults); err != nil {
					return usageError{err}
				}
			}
			if err := cfg.Validate(); err != nil {
				return usageError{err}
			}
			where, ok := map[string]virtual.BoardPlace{"": virtual.BoardAway, "hand": virtual.BoardInHand, "table": virtual.BoardOnTable}[board]
			if !ok {
				return usageError{fmt.Errorf("--board: %q is neither hand nor table", board)}
			}
			clock, err := agent.OpenClock()
			if err != nil {
				return err
			}
			rig, err := virtual.Serve(cfg, clock.Now, func() { agent.LockThread(fifoPriority + 1) })
			if err != nil {
				return err
			}
			if where != virtual.BoardAway {
				if err := rig.World().PutBoard(where); err != nil {
					return errors.Join(err, rig.Close())
				}
			}
			ready := virtualReady{Serial: rig.PortPath(), Camera: rig.CameraURL(), PID: os.Getpid()}
			if asJSON {
				err = json.NewEncoder(cmd.OutOrStdout()).Encode(ready)
			} else {
				_, err = fmt.Fprintf(cmd.OutOrStdout(), "servos on %s, camera on %s; Ctrl-C stops\n", ready.Serial, ready.Camera)
				tellFaults(rig.Chain(), cmd.OutOrStdout())
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
	c.Flags().StringVar(&board, "board", "", "where the calibration board (7x6 inner corners, 14 mm) is: hand or table")
	c.Flags().StringVar(&faults, "faults", "", "file of what is to go wrong")
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON line once it serves")
	return c
}

// tellFaults prints each fault as it begins and ends. The servos' thread does not
// wait for it.
func tellFaults(c *servotest.Chain, w io.Writer) {
	lines := make(chan string, 64)
	c.OnFault(func(now time.Duration, f servotest.Fault, over bool) {
		what := "begins"
		if over {
			what = "is over"
		}
		select {
		case lines <- fmt.Sprintf("%8.3f s  %s %s", now.Seconds(), f.String(), what):
		default: // a person who cannot read that fast misses nothing
		}
	})
	go func() {
		for line := range lines {
			fmt.Fprintln(w, line)
		}
	}()
}
