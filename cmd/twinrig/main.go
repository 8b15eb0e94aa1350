// Command twinrig runs a policy on a WidowX 250S, mirrors every trial in MuJoCo,
// and tells how well the policy did and how far the simulator is from the arm.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	exitFailed      = 1   // something went wrong; the message says what
	exitUsage       = 2   // the command line or a file is wrong
	exitInterrupted = 130 // stopped by a signal; the arm was parked first
)

// usageError marks a mistake of the caller: nothing was started.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func main() { os.Exit(run()) }

// run keeps main's defers out of os.Exit's way. The first signal cancels the
// context, on which the arm is held, parked and made limp; a second one ends
// the parking at once.
func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := root().ExecuteContext(ctx)
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "twinrig: interrupted:", err)
		return exitInterrupted
	case errors.As(err, &usage), strings.HasPrefix(err.Error(), "unknown command"):
		fmt.Fprintln(os.Stderr, "twinrig:", err)
		return exitUsage
	default:
		fmt.Fprintln(os.Stderr, "twinrig:", err)
		return exitFailed
	}
}

func root() *cobra.Command {
	c := &cobra.Command{
		Use:   "twinrig",
		Short: "Real-robot evaluation on a WidowX 250S, mirrored live in MuJoCo",
		Long: `twinrig runs a policy on a WidowX 250S, mirrors every trial in MuJoCo while it
happens, and tells you, with honest intervals, how well the policy did and how
far the simulator is from the arm. No ROS is needed.`,
		Example:       "  twinrig demo\n  twinrig replay segments.jsonl",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	c.AddCommand(demoCommand(), replayCommand(), virtualCommand(), busCommand(), doctorCommand(), agentCommand(), orderCommand(), guardianCommand(), calibCommand(), evalCommand(), exportCommand(), policyCommand())
	return c
}
