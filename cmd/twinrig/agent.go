package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"twinrig"
	"twinrig/agent"
	"twinrig/agent/telemetry/metrics"
	"twinrig/calib"
	"twinrig/configs"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/widowx"
)

// agentFlags are the command's.
type agentFlags struct {
	rig, listen         string
	foxglove            string
	writeEEPROM, asJSON bool
}

func agentCommand() *cobra.Command {
	var f agentFlags
	c := &cobra.Command{
		Use:   "agent --rig FILE",
		Short: "Bring the arm up, hold it, and look after it until it is stopped",
		Long: `agent brings the arm up step by step and holds it where it stands: it compares
everything on the bus with the rig file and its calibration, shows permanent
servo settings that differ (and changes them only with --write-eeprom), looks at
the pose, takes torque on in steps, and then runs the control loop and publishes
telemetry. It recovers from what can be recovered from: a servo that shut itself
down, a pulled cable, the arm's power switch.

--listen serves /metrics (Prometheus) and /healthz on this machine's own addresses,
and POST /api/halt, which takes torque off at once, to those who show the token.

--foxglove lets Foxglove look on, with the topics of the logs.

Ctrl-C holds the arm, parks it, and takes torque off; a second one takes torque
off at once. If this program is killed, the arm holds by itself.`,
		Example: "  twinrig doctor --rig rig.yaml && twinrig agent --rig rig.yaml --listen 127.0.0.1:8080",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.rig == "" {
				return usageError{errors.New("agent wants a rig file: --rig configs/widowx250s.yaml")}
			}
			if f.listen != "" {
				if err := checkLoopback(f.listen); err != nil {
					return usageError{err}
				}
			}
			cfg, err := configs.LoadRig(f.rig)
			if err != nil {
				return usageError{err}
			}
			cfg.Arm.WriteEEPROM = cfg.Arm.WriteEEPROM || f.writeEEPROM
			return runAgent(cmd.Context(), cfg, f, cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	c.Flags().StringVar(&f.rig, "rig", "", "the rig file")
	c.Flags().StringVar(&f.listen, "listen", "", "serve metrics and health here: 127.0.0.1:PORT, 0 is any free port")
	c.Flags().StringVar(&f.foxglove, "foxglove", "", "let Foxglove look on here: 127.0.0.1:8765")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print one line of JSON when ready: url, token_file, mqtt")
	c.Flags().BoolVar(&f.writeEEPROM, "write-eeprom", false, "change permanent servo settings that differ")
	return c
}

// runAgent holds the arm until ctx is done or it cannot be recovered.
func runAgent(ctx context.Context, cfg configs.Rig, f agentFlags, stdout, stderr io.Writer) (err error) {
	w := stdout
	if f.asJSON {
		w = stderr // the one line on stdout is for a program
	}
	say := func(line string) { fmt.Fprintln(w, line) }
	ctx, end := context.WithCancel(ctx)
	defer end()
	var closing closers
	var c *cell
	defer func() {
		interrupted, last := ctx.Err() != nil, "arm parked, torque off"
		if c != nil && halted(c.runner.Fault()) {
			last = "torque was off already"
		}
		if closeErr := closing.close(); closeErr != nil {
			err = errors.Join(err, closeErr)
		} else if interrupted {
			say(last)
		}
	}()
	late := metrics.NewLoop()
	c, tell, err := bringUp(ctx, cfg, f.rig, false, &closing, say, late)
	if err != nil {
		return err
	}
	say = logged(say, tell)
	put := tell.PutEvent
	if f.foxglove != "" {
		live, err := showFoxglove(f.foxglove, cfg.Name, c.camera, &closing, say)
		if err != nil {
			return err
		}
		c.always = append(c.always, live)
		c.watch()
		put = shown{tell, live}.PutEvent
	}
	ready := agentReady{MQTT: cfg.MQTT.Broker}
	if f.listen != "" {
		s, err := (&watch{cell: c, loop: late, tell: tell, say: say}).serve(f.listen, &closing)
		if err != nil {
			return err
		}
		ready.URL, ready.TokenFile = s.url, s.tokenFile
		say(fmt.Sprintf("metrics and health on %s, token in %s", s.url, s.tokenFile))
	}
	say("taking torque on, in steps")
	if err := c.start(ctx, false, &closing, say); err != nil {
		return err
	}
	// It holds once it has ticked.
	if err := c.runner.Recover(ctx, say); err != nil {
		return err
	}
	say(fmt.Sprintf("holding at %.0f Hz in %s mode (the wire allows %.0f Hz); Ctrl-C parks the arm", cfg.Loop.RateHz, c.arm.Mode(), c.wireHz))
	for _, note := range c.arm.Status().Notes {
		say("note: " + note)
	}
	orders := newOrders(c, tell, say, end)
	tell.Obey(orders)
	if f.asJSON {
		if err := json.NewEncoder(stdout).Encode(ready); err != nil {
			return err
		}
	}
	err = c.lookAfter(ctx, orders.again, func(kind, what string) {
		say(what)
		put(&twinrig.Event{Stamp: c.clock(), Kind: kind, Detail: what})
	})
	if orders.stopped() && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// agentReady is the line that says that the agent holds the arm, and where it is
// to be reached.
type agentReady struct {
	URL       string `json:"url,omitempty"`
	TokenFile string `json:"token_file,omitempty"`
	MQTT      string `json:"mqtt"`
}

// parkHolding parks an arm that holds in position mode, as the guardian leaves
// it: to bring it up would let it fall.
func parkHolding(ctx context.Context, cfg configs.Rig, cal *calib.Record, port dynamixel.Port) error {
	cfg.Arm.Mode = twinrig.ModePosition.String()
	c, err := newCell(cfg, cal, port, (*widowx.Arm).Recover)
	if err != nil {
		return err
	}
	clock, err := agent.OpenClock()
	if err != nil {
		return err
	}
	c.clock, c.runner = clock.Now, agent.NewRunner(c.loop, agent.Realtime{Clock: clock})
	var closing closers
	if err := c.start(ctx, false, &closing, func(string) {}); err != nil {
		return err
	}
	return closing.close()
}

// inspectArm tells what is on the bus, and refuses what is not the arm. It tells
// whether all servos hold in position mode.
func inspectArm(bus widowx.Surveyor, cfg *configs.Rig, cal *calib.Record, say func(string)) (holds bool, err error) {
	s, err := widowx.Look(bus, cal.Arm)
	if err != nil {
		return false, err
	}
	if err := s.Misfits(&cfg.Arm); err != nil {
		return false, err
	}
	holds = true
	least, most := s.Servos[0].VoltageV, s.Servos[0].TemperatureC
	for i := range s.Servos {
		holds = holds && s.Servos[i].TorqueOn && s.Servos[i].OperatingMode == dynamixel.ModePosition
		least, most = min(least, s.Servos[i].VoltageV), max(most, s.Servos[i].TemperatureC)
	}
	say(fmt.Sprintf("%d servos as configured, %.1f V, at most %.0f C", len(s.Servos), least, most))
	if alarms := s.Alarms(); len(alarms) > 0 {
		return false, fmt.Errorf("servos with a hardware error, find the cause, then `twinrig bus write` or cut their power: %s", strings.Join(alarms, "; "))
	}
	diff := s.Diff()
	for _, line := range diff {
		say("permanent setting: " + line)
	}
	if len(diff) > 0 && !cfg.Arm.WriteEEPROM {
		return false, errors.New("permanent servo settings differ; --write-eeprom changes them as shown above")
	}
	return holds, nil
}

// halted tells whether a fault is that torque is off by somebody's wish.
func halted(fault error) bool {
	var f *agent.Fault
	return errors.As(fault, &f) && f.Halted
}

// lookAfter recovers from faults until ctx is done or it cannot. An arm that
// somebody halted is left alone until again says that it has torque.
func (c *cell) lookAfter(ctx context.Context, again <-chan struct{}, tell func(kind, what string)) error {
	for {
		fault, err := c.runner.AwaitFault(ctx)
		if err != nil {
			return err
		}
		if halted(fault) {
			tell("halted", "torque is off, as somebody wished; a client's order to start takes it on again, Ctrl-C ends the program")
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-again:
			}
			// The newest tick may still be of before, or the arm halted anew.
			err := c.runner.Recover(ctx, func(what string) { tell("recovery", what) })
			switch {
			case err == nil:
				tell("recovery", "holding again")
			case !halted(err):
				return err
			}
			continue
		}
		tell("robot_fault", fault.Error())
		if err := c.runner.Recover(ctx, func(what string) { tell("recovery", what) }); err != nil {
			return err
		}
		tell("recovery", "holding again")
	}
}
