package agent

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
)

// mendable is a fakeArm that can be repaired and recovered.
type mendable struct {
	*fakeArm
	alarm   uint8 // of the elbow
	lost    error // Write says so
	gone    bool  // no reading comes
	repairs int   // calls of Repair until it is done
	calls   int
	failing int // repairs that fail before one succeeds
	wakes   int // Recovers that fail before one succeeds
	revived int
}

func newMendable() *mendable {
	a := &mendable{fakeArm: newArm(twinrig.ModePosition), repairs: 5}
	a.spoil = func(_ int, s *twinrig.State) error {
		s.HardwareError[twinrig.Elbow] = a.alarm
		if a.gone {
			return errBus
		}
		return nil
	}
	return a
}

func (a *mendable) Write(now time.Duration, c twinrig.Command) (twinrig.Command, error) {
	sent, err := a.fakeArm.Write(now, c)
	if err == nil {
		err = a.lost
	}
	return sent, err
}

func (a *mendable) Repair(time.Duration) (bool, error) {
	if a.calls++; a.calls < a.repairs {
		return false, nil
	}
	a.calls = 0
	if a.failing > 0 {
		a.failing--
		return false, errors.New("still overheating")
	}
	a.alarm, a.lost = 0, nil
	return true, nil
}

func (a *mendable) Recover() error {
	if a.wakes > 0 {
		a.wakes--
		return errors.New("id 1: no answer")
	}
	a.gone, a.lost = false, nil
	a.revived++
	return nil
}

func recoverable(t *testing.T, a *mendable) (*Runner, *Loop) {
	l := newLoop(t, a, twinrig.ModePosition)
	return NewLockstepRunner(l, lockstep(&clock{})), l
}

func TestRecoverRepairsWhileTheArmHolds(t *testing.T) {
	a := newMendable()
	r, l := recoverable(t, a)
	require.NoError(t, r.Recover(context.Background(), nil), "nothing to do")
	a.alarm, a.failing = 0x20, 1
	writes := a.writes
	var said []string
	began := r.now()
	require.NoError(t, r.Recover(context.Background(), func(s string) { said = append(said, s) }))
	require.Nil(t, l.Fault())
	require.Equal(t, []string{
		"agent: elbow reports hardware error 0x20, overload; the arm holds, restarting it in 10s (attempt 1 of 3)",
		"still overheating",
		"agent: elbow reports hardware error 0x20, overload; the arm holds, restarting it in 10s (attempt 2 of 3)",
		"the arm is repaired",
	}, said)
	require.GreaterOrEqual(t, r.now()-began, 20*time.Second, "it cooled down before each")
	require.Greater(t, a.writes-writes, 5900, "and held all the while")
	require.Zero(t, a.halts.Load())
	require.Zero(t, a.enables, "torque was never off")
}

func TestRecoverGivesUpAfterItsAttempts(t *testing.T) {
	a := newMendable()
	r, l := recoverable(t, a)
	a.alarm, a.failing = 0x04, 99
	err := r.Recover(context.Background(), nil)
	require.ErrorContains(t, err, "elbow reports hardware error 0x04, overheating")
	require.ErrorContains(t, err, "still overheating")
	require.Equal(t, 96, a.failing)
	require.False(t, l.Fault().Halted, "it holds, and can be parked")
	require.Zero(t, a.revived, "what holds is not let go for another try")
}

func TestRecoverWaitsForAnArmOutOfReach(t *testing.T) {
	a := newMendable()
	r, l := recoverable(t, a)
	a.gone, a.wakes = true, 7
	for range 20 {
		r.step()
	}
	require.True(t, l.Fault().Lost)
	began := r.now()
	require.NoError(t, r.Recover(context.Background(), nil))
	require.Equal(t, 7*recoverPause, (r.now() - began).Round(recoverPause))
	require.Equal(t, 1, a.enables)
	require.Nil(t, l.Fault())

	a.gone, a.wakes = true, 1<<30
	for range 20 {
		r.step()
	}
	err := r.Recover(context.Background(), nil)
	require.ErrorContains(t, err, "10 cycles missed in a row")
	require.ErrorContains(t, err, "id 1: no answer")
}

// A servo that lost its torque, as after a power cut, and cannot be repaired in
// place, is recovered from the start.
func TestRecoverAfterLostTorque(t *testing.T) {
	a := newMendable()
	r, l := recoverable(t, a)
	a.lost, a.failing = fmt.Errorf("elbow has no torque: %w", twinrig.ErrHold), 99
	r.step()
	require.False(t, l.Fault().Lost)
	require.NoError(t, r.Recover(context.Background(), nil))
	require.Equal(t, 1, a.revived)
	require.Nil(t, l.Fault())
}

func TestRecoverLeavesAHaltedArmAlone(t *testing.T) {
	a := newMendable()
	r, _ := recoverable(t, a)
	r.step()
	require.NoError(t, a.Halt())
	require.ErrorIs(t, r.Recover(context.Background(), nil), twinrig.ErrHalted)
	require.Zero(t, a.enables)
}

// Live, recovery is asked for while the loop ticks, and ends with the loop.
func TestRecoverLive(t *testing.T) {
	a := newMendable()
	cfg := func(c *Config) { c.Recovery.CoolDown = 0 }
	l := newLoop(t, a, twinrig.ModePosition, cfg)
	r := NewRunner(l, lockstep(&clock{}))
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	a.alarm = 0x20
	go func() { served <- r.Serve(ctx) }()
	require.NoError(t, r.Recover(ctx, nil))
	stop()
	require.NoError(t, <-served)
	require.Error(t, r.Recover(context.Background(), nil), "nobody ticks any more")
	require.Zero(t, a.enables, "and nothing is done to a resting arm")
}
