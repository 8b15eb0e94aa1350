package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"twinrig"
	"twinrig/agent"
	"twinrig/agent/telemetry/mqtt"
	"twinrig/calib"
	"twinrig/configs"
	"twinrig/drivers/camera"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/serial"
	"twinrig/drivers/widowx"
)

func agentCommand() *cobra.Command {
	var rig string
	var writeEEPROM bool
	c := &cobra.Command{
		Use:   "agent --rig FILE",
		Short: "Bring the arm up, hold it, and look after it until it is stopped",
		Long: `agent brings the arm up step by step and holds it where it stands: it compares
everything on the bus with the rig file and its calibration, shows permanent
servo settings that differ (and changes them only with --write-eeprom), looks at
the pose, takes torque on in steps, and then runs the control loop and publishes
telemetry. It recovers from what can be recovered from: a servo that shut itself
down, a pulled cable, the arm's power switch.

Ctrl-C holds the arm, parks it, and takes torque off; a second one takes torque
off at once. If this program is killed, the arm holds by itself.`,
		Example: "  twinrig doctor --rig rig.yaml && twinrig agent --rig rig.yaml",
		Args:    exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if rig == "" {
				return usageError{errors.New("agent wants a rig file: --rig configs/widowx250s.yaml")}
			}
			cfg, err := configs.LoadRig(rig)
			if err != nil {
				return usageError{err}
			}
			cfg.Arm.WriteEEPROM = cfg.Arm.WriteEEPROM || writeEEPROM
			return runAgent(cmd.Context(), cfg, rig, cmd.OutOrStdout())
		},
	}
	c.Flags().StringVar(&rig, "rig", "", "the rig file")
	c.Flags().BoolVar(&writeEEPROM, "write-eeprom", false, "change permanent servo settings that differ")
	return c
}

// runAgent holds the arm until ctx is done or it cannot be recovered.
func runAgent(ctx context.Context, cfg configs.Rig, path string, w io.Writer) (err error) {
	say := func(line string) { fmt.Fprintln(w, line) }
	var closing closers
	defer func() {
		interrupted := ctx.Err() != nil
		if closeErr := closing.close(); closeErr != nil {
			err = errors.Join(err, closeErr)
		} else if interrupted {
			say("arm parked, torque off")
		}
	}()
	cal, err := cfg.Calibration()
	if err != nil {
		return err
	}
	port, err := serial.Open(cfg.Serial)
	if err != nil {
		return err
	}
	closing.add(port.Close)
	holds, err := inspectArm(dynamixel.NewBus(port, cfg.Bus), &cfg, cal, say)
	if err != nil {
		return err
	}
	if holds {
		say("the arm holds by itself: parking it before it is brought up")
		if err := parkHolding(ctx, cfg, cal, port); err != nil {
			return err
		}
	}
	clock, err := agent.OpenClock()
	if err != nil {
		return err
	}
	tell, err := openPublisher(&cfg, clock.Now, &closing, say)
	if err != nil {
		return err
	}
	say = logged(say, tell)
	c, err := openArm(cfg, cal, port, tell)
	if err != nil {
		return err
	}
	c.clock, c.runner = clock.Now, agent.NewRunner(c.loop, agent.Realtime{Clock: clock})
	dismiss, err := startGuardian(path)
	if err != nil {
		return err
	}
	closing.add(dismiss)
	say("taking torque on, in steps")
	if err := c.start(ctx, false, &closing, say); err != nil {
		return err
	}
	say(fmt.Sprintf("holding at %.0f Hz in %s mode (the wire allows %.0f Hz); Ctrl-C parks the arm", cfg.Loop.RateHz, c.arm.Mode(), c.wireHz))
	for _, note := range c.arm.Status().Notes {
		say("note: " + note)
	}
	return c.lookAfter(ctx, func(kind, what string) {
		say(what)
		tell.PutEvent(&twinrig.Event{Stamp: c.clock(), Kind: kind, Detail: what})
	})
}

// openPublisher publishes the rig, and what its camera sees if it has one.
func openPublisher(cfg *configs.Rig, now func() time.Duration, closing *closers, say func(string)) (*mqtt.Publisher, error) {
	if cfg.MQTT.QueueFile == "" {
		dir, err := stateDir()
		if err != nil {
			return nil, err
		}
		cfg.MQTT.QueueFile = filepath.Join(dir, "mqtt-"+cfg.Name+".db")
	}
	warn := func(err error) { say("telemetry: " + err.Error()) }
	tell, err := mqtt.Open(cfg.MQTT, cfg.Name, warn)
	if err != nil {
		return nil, err
	}
	closing.add(tell.Close)
	if cfg.MQTT.CameraRate == 0 {
		return tell, nil
	}
	cam, err := camera.Open(cfg.Camera, now)
	if err != nil {
		say(fmt.Sprintf("telemetry: no pictures: %v", err))
		return tell, nil
	}
	closing.add(cam.Close)
	closing.add(film(cam, tell, cfg.MQTT.CameraRate, warn))
	return tell, nil
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

// lookAfter recovers from faults until ctx is done or it cannot.
func (c *cell) lookAfter(ctx context.Context, tell func(kind, what string)) error {
	for {
		fault, err := c.runner.AwaitFault(ctx)
		if err != nil {
			return err
		}
		tell("robot_fault", fault.Error())
		if err := c.runner.Recover(ctx, func(what string) { tell("recovery", what) }); err != nil {
			return err
		}
		tell("recovery", "holding again")
	}
}
