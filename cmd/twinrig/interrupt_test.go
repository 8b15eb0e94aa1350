package main

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/eval"
	"twinrig/sim/scene"
)

// An interrupted study parks the arm and takes its torque off before it returns,
// and has no result for the trial that was cut short.
func TestInterruptParksTheArm(t *testing.T) {
	for _, lockstep := range []bool{true, false} {
		t.Run("lockstep "+strconv.FormatBool(lockstep), func(t *testing.T) {
			d := small(t, "hold", "expert")
			require.NoError(t, fitRate(&d.Rig, &d))
			study, scenes, err := plan(&d, "study")
			require.NoError(t, err)
			dir, err := eval.Create(t.TempDir(), study)
			require.NoError(t, err)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			r, closeAll, err := openDemo(ctx, &d, lockstep, dir, study, scenes, func(string) {})
			require.NoError(t, err)
			l, err := eval.OpenLedger(dir)
			require.NoError(t, err)
			defer l.Close()
			r.operator = &interrupting{operator: r.operator, left: 5, interrupt: cancel}
			require.ErrorIs(t, eval.Run(ctx, study, l, r, nil), context.Canceled)
			require.NoError(t, closeAll())

			_, err = r.cell.arm.Write(r.cell.clock(), twinrig.Command{})
			require.ErrorIs(t, err, twinrig.ErrHalted, "torque is off")
			var last twinrig.Report
			r.cell.runner.Latest(&last)
			off := last.State.Measured.Sub(twinrig.SleepPose).MaxAbs()
			require.Less(t, off, 0.06, "the arm is parked: %v", last.State.Measured)
			results, err := l.Results()
			require.NoError(t, err)
			require.Empty(t, results)
		})
	}
}

// interrupting is an operator who interrupts the study after some looks.
type interrupting struct {
	operator
	left      int
	interrupt func()
}

func (o *interrupting) See(look func(scene.View) error) error {
	if o.left--; o.left == 0 {
		o.interrupt()
	}
	return o.operator.See(look)
}
