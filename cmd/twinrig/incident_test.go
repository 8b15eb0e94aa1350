package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/agent/record"
	"twinrig/configs"
	"twinrig/drivers/dynamixel/servotest"
)

// guardEvents runs a small study in lockstep and returns what the log of its trial says
// of the guard, by kind.
func guardEvents(t *testing.T, d configs.Demo) map[string][]string {
	t.Helper()
	dir, _ := runDemo(t, d, true)
	files := trialFiles(t, dir)
	require.Len(t, files, 1)
	events := map[string][]string{}
	began := false
	_, err := record.Read(files[0], record.Visitor{Event: func(e *twinrig.Event) error {
		if strings.HasPrefix(e.Kind, "guard") {
			require.True(t, began)
			require.NotEmpty(t, e.Trial)
			events[e.Kind] = append(events[e.Kind], e.Detail)
		}
		began = began || e.Kind == "trial_start"
		return nil
	}})
	require.NoError(t, err)
	return events
}

// Every time that the guard steps in or the policy is missed is in the trial's log,
// with its reason and how long it lasted. Where all is well there is nothing.
func TestTheLogTellsWhatTheGuardDid(t *testing.T) {
	one := func(policy string) configs.Demo {
		d := small(t, policy)
		d.Study.Timeout, d.Study.Placements = 12*time.Second, 1
		return d
	}
	require.Empty(t, guardEvents(t, one("expert")))

	slow := one("expert")
	slow.Study.Inference = 1500 * time.Millisecond
	events := guardEvents(t, slow)
	require.Greater(t, len(events["guard"]), 2)
	require.Equal(t, "stale_policy: the policy has no goal for this control step", events["guard"][0])
	require.Contains(t, events["guard_over"][0], "ticks within 1.40 s")

	stuck := one("expert")
	stuck.Virtual.Faults = []servotest.Fault{{Kind: servotest.Stuck, IDs: []int{2}, At: 9 * time.Second}}
	events = guardEvents(t, stuck)
	all := strings.Join(events["guard"], "\n")
	require.Contains(t, all, "clipped_effort: shoulder is driven with its limit of 7.0 Nm")
	require.Contains(t, all, "refused_duty: shoulder is driven with")
	require.Len(t, events["guard_over"], len(events["guard"]), "each has its end")
	t.Logf("virtual, a shoulder that is stuck:\n%s\n%s", all, strings.Join(events["guard_over"], "\n"))
}
