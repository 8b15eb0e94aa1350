package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
	"twinrig/eval"
)

// A study survives what befalls its arm: each trial that a fault cuts short is a
// robot's fault, never a task's, and is run again with the same placement until
// it counts.
func TestStudySurvivesFaults(t *testing.T) {
	for _, c := range []struct {
		name   string
		mode   string
		faults []servotest.Fault
		note   string
	}{
		{
			"a servo shuts down", "torque",
			[]servotest.Fault{{Kind: servotest.Overload, IDs: []int{4}, At: 6 * time.Second}},
			"elbow reports hardware error 0x20, overload",
		},
		{
			"a servo shuts down in position mode", "position",
			[]servotest.Fault{{Kind: servotest.Overload, IDs: []int{6}, At: 6 * time.Second}},
			"forearm_roll reports hardware error 0x20, overload",
		},
		{
			"a shadow reboots", "torque",
			[]servotest.Fault{{Kind: servotest.Rebooted, IDs: []int{3}, At: 6 * time.Second}},
			"reading is too old", // it is deaf while it boots
		},
		{
			"the cable is pulled", "position",
			[]servotest.Fault{{Kind: servotest.Unplugged, At: 6 * time.Second, For: 3 * time.Second}},
			"unplugged",
		},
		{
			"the cable is pulled in torque mode", "torque",
			[]servotest.Fault{{Kind: servotest.Unplugged, At: 6 * time.Second, For: 3 * time.Second}},
			"unplugged",
		},
		{
			"the power switch is the emergency stop", "position",
			[]servotest.Fault{{Kind: servotest.Unpowered, At: 6 * time.Second, For: 5 * time.Second}},
			"no servo answers",
		},
		{
			"one servo is mute for a while", "torque",
			[]servotest.Fault{{Kind: servotest.Silent, IDs: []int{8}, At: 6 * time.Second, For: 2 * time.Second}},
			"reading is too old",
		},
		{
			"a bad line", "torque",
			[]servotest.Fault{{Kind: servotest.Corrupted, Rate: 0.002, At: 5 * time.Second}},
			"", // no fault at all
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := small(t, "hold", "expert")
			d.Rig.Arm.Mode = c.mode
			d.Rig.Loop.Recovery.CoolDown = time.Second
			d.Study.Timeout, d.Study.Placements = 12*time.Second, 1
			d.Virtual.Faults = c.faults
			// In virtual time nothing is late; the line is a real one's.
			d.Rig.Bus.Allowance, d.Rig.Bus.Retries = dynamixel.Default().Allowance, dynamixel.Default().Retries
			dir, _ := runDemo(t, d, true)
			faulted, counted := outcomes(t, dir)
			require.Equal(t, 2, counted)
			if c.note == "" {
				require.Empty(t, faulted)
				return
			}
			require.NotEmpty(t, faulted)
			for _, r := range faulted {
				require.Equal(t, eval.HardwareFault, r.Termination)
				require.Nil(t, r.Verdict, "no failure of the task")
			}
			require.Contains(t, faulted[0].Note, c.note)
			t.Logf("virtual: %d attempts faulted: %s", len(faulted), faulted[0].Note)
		})
	}
}

// outcomes reads a study's ledger: the attempts that a fault cut short, and how
// many trials count.
func outcomes(t *testing.T, dir string) (faulted []eval.Result, counted int) {
	t.Helper()
	l, err := eval.OpenLedger(dir)
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	results, err := l.Results()
	require.NoError(t, err)
	for _, r := range results {
		if r.Termination.Counted() {
			counted++
			continue
		}
		faulted = append(faulted, r)
	}
	return faulted, counted
}
