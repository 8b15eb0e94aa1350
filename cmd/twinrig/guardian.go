package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"twinrig/configs"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/serial"
	"twinrig/drivers/widowx"
)

// A guardian is a second process that does nothing but wait for the first to die.
// What no process can do for itself, it does: after a SIGKILL in torque mode, when
// nobody closes the position loop any more, it makes the servos hold.

// guardianPipe is the guardian's end of the pipe that its ward holds open.
const guardianPipe = 3

// dismissed is what the ward says before it ends in good order.
const dismissed = 'k'

// guardianPatience is how long the guardian tries to reach the arm.
const guardianPatience = 10 * time.Second

// startGuardian starts the guardian of this process for the rig in a file. dismiss
// ends it.
func startGuardian(rig string) (dismiss func() error, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("guardian: %w", err)
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("guardian: %w", err)
	}
	c := exec.Command(self, "guardian", "--rig", rig)
	c.ExtraFiles = []*os.File{theirs}
	c.Stderr = os.Stderr
	// Ctrl-C is for the ward.
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err = c.Start()
	if closeErr := theirs.Close(); err != nil {
		return nil, fmt.Errorf("guardian: %w", errors.Join(err, closeErr, ours.Close()))
	}
	return func() error {
		_, err := ours.Write([]byte{dismissed})
		if err = errors.Join(err, ours.Close(), c.Wait()); err != nil {
			return fmt.Errorf("guardian: %w", err)
		}
		return nil
	}, nil
}

// guardianCommand is the guardian's side. It is nobody's to type.
func guardianCommand() *cobra.Command {
	var rig string
	c := &cobra.Command{
		Use: "guardian", Hidden: true, Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := configs.LoadRig(rig)
			if err != nil {
				return usageError{err}
			}
			return guard(context.WithoutCancel(cmd.Context()), cfg, os.NewFile(guardianPipe, "ward"), cmd.ErrOrStderr())
		},
	}
	c.Flags().StringVar(&rig, "rig", "", "the rig file")
	return c
}

// guard waits for the ward to end, and catches the arm unless it was dismissed.
func guard(ctx context.Context, cfg configs.Rig, ward io.Reader, stderr io.Writer) error {
	cal, err := cfg.Calibration()
	if err != nil {
		return err
	}
	var word [1]byte
	if n, err := ward.Read(word[:]); n == 1 && word[0] == dismissed {
		return nil
	} else if err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("guardian: %w", err)
	}
	for end := time.Now().Add(guardianPatience); ; {
		err := catch(cfg, func(bus widowx.Bus) error { return widowx.Catch(bus, cal.Arm) })
		if err == nil {
			fmt.Fprintln(stderr, "twinrig: the program died; its arm holds by itself, with torque on.",
				"`twinrig agent` takes it over and parks it.")
			return nil
		}
		if ctx.Err() != nil || time.Now().After(end) {
			return fmt.Errorf("guardian: the program died and its arm may not hold: %w", err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// catch opens the port, which the dead process may hold for another moment, and
// does what is to be done on it.
func catch(cfg configs.Rig, do func(widowx.Bus) error) error {
	port, err := serial.Open(cfg.Serial)
	if err != nil {
		return err
	}
	return errors.Join(do(dynamixel.NewBus(port, cfg.Bus)), port.Close())
}
