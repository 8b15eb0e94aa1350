package agent

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
)

// duties drives a guard for d at a torque, and returns when it first refused.
func duties(t *testing.T, g *Guard, s *twinrig.State, asked twinrig.Goal, d time.Duration) (refused time.Duration) {
	t.Helper()
	refused = -1
	for begin := s.Stamp; s.Stamp-begin < d; {
		s.Stamp += 5 * ms
		if _, done := g.Admit(s.Stamp, s, asked); done&twinrig.RefusedDuty != 0 && refused < 0 {
			refused = s.Stamp - begin
		}
	}
	return refused
}

// A joint that pushes at its limit is let go after some seconds, where it is; rested,
// it may go on. What it can hold it may hold for ever.
func TestDutyLetsGo(t *testing.T) {
	cfg := DefaultGuard()
	g := NewGuard(cfg, bench{}, nil)
	s := twinrig.State{Stamp: time.Hour, Measured: twinrig.Joints{0.01, 0.02}}
	g.Reset(s.Stamp, &s)
	asked := twinrig.Goal{Joints: twinrig.Joints{0.05, 0.1}}

	s.Effort = twinrig.Joints{0, 0.8 * 7, 0, 0, 0, math.NaN()}
	require.Negative(t, duties(t, g, &s, asked, 10*time.Minute))
	require.InDelta(t, 0.8, g.Duty()[1], 1e-9)
	require.InDelta(t, 0.1, g.Last().Joints[1], 1e-9)

	s.Effort[1] = -7
	at := duties(t, g, &s, asked, 4*time.Second)
	want := 5 * math.Log((1-0.8)/(1-0.85)) // of the exponential mean
	require.InDelta(t, want, at.Seconds(), 0.01)
	require.Equal(t, s.Measured, g.Last().Joints, "it holds where it is")
	require.Zero(t, g.Last().Velocity)

	// Where it then is does not drag the goal along: an arm that sinks is still held.
	s.Measured[1] = -0.05
	duties(t, g, &s, asked, time.Second)
	require.InDelta(t, 0.02, g.Last().Joints[1], 1e-12)

	s.Effort[1] = 2
	duties(t, g, &s, asked, 10*time.Second)
	require.InDelta(t, 0.1, g.Last().Joints[1], 1e-9, "rested")
}

func TestDutyHasASwitch(t *testing.T) {
	cfg := DefaultGuard()
	cfg.Duty.Max = 0
	g := NewGuard(cfg, bench{}, nil)
	s := twinrig.State{Effort: cfg.MaxEffort}
	g.Reset(0, &s)
	require.Negative(t, duties(t, g, &s, twinrig.Goal{}, time.Minute))
}
