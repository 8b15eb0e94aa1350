package agent

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
)

// at is a report of tick n at 200 Hz with what the guard did.
func at(n int, did twinrig.Intervention) *twinrig.Report {
	return &twinrig.Report{Now: time.Duration(n) * 5 * ms, State: twinrig.State{Stamp: time.Duration(n) * 5 * ms}, Guard: did}
}

func TestIncidentsBeginAndEnd(t *testing.T) {
	n := NewIncidents(DefaultGuard(), bench{})
	var got []string
	put := func(e twinrig.Event) {
		got = append(got, fmt.Sprintf("%d %s %s", e.Stamp.Milliseconds(), e.Kind, e.Detail))
	}
	r := at(0, 0)
	for k := range 1000 {
		did := twinrig.Intervention(0)
		if k >= 10 && k < 20 || k == 100 { // 0.4 s apart: one incident
			did = twinrig.RefusedNaN
		}
		if k == 15 || k == 500 { // 2.4 s apart: two
			did |= twinrig.StalePolicy
		}
		*r = *at(k, did)
		n.Put(r)
		if k%40 == 0 {
			n.Drain(put)
		}
	}
	*r = *at(1000, twinrig.StaleCamera)
	n.Put(r)
	n.Finish(put)
	require.Equal(t, []string{
		"50 guard refused_nan: goal or torque is not a number",
		"75 guard stale_policy: the policy has no goal for this control step",
		"75 guard_over stale_policy: 1 ticks within 0.00 s",
		"500 guard_over refused_nan: 11 ticks within 0.45 s",
		"2500 guard stale_policy: the policy has no goal for this control step",
		"2500 guard_over stale_policy: 1 ticks within 0.00 s",
		"5000 guard stale_camera: the camera's picture is too old to ask the policy",
		"5000 guard_over stale_camera: 1 ticks within 0.00 s",
	}, got)
	got = nil
	n.Finish(put)
	require.Empty(t, got)
}

// Where nobody drains, the oldest stay, and the loss is told.
func TestIncidentsTellTheirLoss(t *testing.T) {
	n := NewIncidents(DefaultGuard(), bench{})
	r := at(0, 0)
	tick := 0
	require.Zero(t, testing.AllocsPerRun(100, func() {
		*r = twinrig.Report{Now: time.Duration(tick) * time.Second, Guard: twinrig.RefusedNaN}
		n.Put(r)
		*r = twinrig.Report{Now: time.Duration(tick)*time.Second + 600*ms}
		n.Put(r)
		tick++
	}))
	count := 0
	n.Drain(func(twinrig.Event) { count++ })
	require.Equal(t, incidentRoom, count)
	n.Put(at(1e6, twinrig.RefusedNaN))
	n.Drain(func(e twinrig.Event) {
		require.Contains(t, e.Detail, fmt.Sprintf("(%d events before it were lost)", 2*tick-incidentRoom))
		count++
	})
	require.Equal(t, incidentRoom+1, count)
}

// Each reason says what was asked and what is allowed.
func TestIncidentsSayWhy(t *testing.T) {
	joint := func(i int, v float64) (q twinrig.Joints) { q[i] = v; return q }
	for _, c := range []struct {
		did    twinrig.Intervention
		change func(r *twinrig.Report)
		want   string
	}{
		{twinrig.ClippedPosition, func(r *twinrig.Report) { r.Asked.Joints = joint(2, 1.8) }, "elbow was asked to 1.800 rad, its limit is 1.606"},
		{twinrig.ClippedVelocity, func(r *twinrig.Report) { r.Asked.Velocity = joint(3, -2.7) }, "forearm_roll was asked for -2.70 rad/s, must be at most 2.50"},
		{twinrig.ClippedVelocity, func(r *twinrig.Report) { r.Asked.Joints, r.Sent.Joints = joint(0, 0.3), joint(0, 0.2) }, "waist is 0.100 rad behind its goal, at most 2.50 rad/s"},
		{twinrig.ClippedEffort, func(r *twinrig.Report) { r.Sent.Effort, r.Asked.Joints = twinrig.Joints{3, 7}, joint(1, 0.07) }, "shoulder is driven with its limit of 7.0 Nm, 0.070 rad from its goal"},
		{twinrig.ClippedWorkspace, func(r *twinrig.Report) { r.Asked.Joints = joint(1, 0.6) }, "the hand would be 100.0 mm outside the workspace"},
		{twinrig.RefusedNaN, func(r *twinrig.Report) { r.Asked.Joints = joint(1, math.NaN()) }, "goal or torque is not a number"},
		{twinrig.RefusedStale, func(r *twinrig.Report) { r.State.Age[twinrig.GripAxis] = 70 * ms }, "gripper was read 70ms ago, must be at most 50ms"},
		{twinrig.RefusedJump, func(r *twinrig.Report) { r.Asked.Joints = joint(5, -0.9) }, "wrist_rotate was asked to -0.90 rad from where it is, must be at most 0.60"},
		{twinrig.RefusedContact, func(r *twinrig.Report) {
			r.Contact = twinrig.Contact{Bodies: [2]string{"hand", "table"}, Depth: 0.012}
		}, "hand would be 12 mm in table"},
		{twinrig.RefusedDuty, func(r *twinrig.Report) { r.State.Effort = twinrig.Joints{1, 6.5, 0, 0, 0, math.NaN()} }, "shoulder is driven with 6.5 Nm of 7.0 for too long, more than 85 % in the mean over 5s; the arm holds where it is"},
		{twinrig.StalePolicy, func(*twinrig.Report) {}, "the policy has no goal for this control step"},
		{twinrig.StaleCamera, func(*twinrig.Report) {}, "the camera's picture is too old to ask the policy"},
	} {
		n := NewIncidents(DefaultGuard(), bench{})
		r := at(1, c.did)
		c.change(r)
		n.Put(r)
		seen := 0
		n.Drain(func(e twinrig.Event) {
			seen++
			require.Equal(t, c.did.Names()[0]+": "+c.want, e.Detail)
			require.Equal(t, EventGuard, e.Kind)
			require.Equal(t, 5*ms, e.Stamp)
		})
		require.Equal(t, 1, seen)
	}
}
