package agent

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/policy"
)

// newRunner is a runner on a fake arm in virtual time, live or lockstep. A live
// one is served until the test ends; its clock runs as fast as it can.
func newRunner(t *testing.T, arm *fakeArm, live bool) *Runner {
	t.Helper()
	l, c := newLoop(t, arm, arm.mode), &clock{}
	if !live {
		return NewLockstepRunner(l, lockstep(c))
	}
	r := NewRunner(l, polite{lockstep(c)})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := r.Serve(ctx); err != nil {
			t.Log(err) // a fault that the test made
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-done
		require.True(t, arm.off.Load(), "torque is off in the end")
	})
	return r
}

// polite lets those who watch the loop have a look after each tick: the tests' clock
// flies, where a real one leaves milliseconds.
type polite struct{ Lockstep }

// WaitUntil implements Pacer.
func (p polite) WaitUntil(due time.Duration) time.Duration {
	runtime.Gosched()
	return p.Lockstep.WaitUntil(due)
}

// both runs a test live and in lockstep.
func both(t *testing.T, f func(t *testing.T, live bool)) {
	t.Run("lockstep", func(t *testing.T) { f(t, false) })
	t.Run("live", func(t *testing.T) { f(t, true) })
}

func TestMoveTo(t *testing.T) {
	both(t, func(t *testing.T, live bool) {
		arm := newArm(twinrig.ModePosition)
		r := newRunner(t, arm, live)
		want := twinrig.Joints{0.1, -0.2, 0.1, 0.2, -0.3, 0.4}
		require.NoError(t, r.MoveTo(context.Background(), want, 0.3, 0.01))
		var rep twinrig.Report
		r.Latest(&rep)
		require.InDeltaSlice(t, want[:], rep.State.Measured[:], 1e-6)
		// Again, from there to there.
		require.NoError(t, r.MoveTo(context.Background(), want, 1, 0.01))
	})
}

func TestMoveToSaysWhatIsOff(t *testing.T) {
	both(t, func(t *testing.T, live bool) {
		arm := newArm(twinrig.ModePosition)
		arm.spoil = func(_ int, s *twinrig.State) error {
			s.Measured[twinrig.WristAngle] = 0.2
			return nil
		}
		r := newRunner(t, arm, live)
		err := r.MoveTo(context.Background(), twinrig.Joints{}, 1, 0.02)
		require.ErrorIs(t, err, ErrNotThere)
		require.ErrorContains(t, err, "agent: move: arm did not get there: wrist_angle is +11.46 deg off")
	})
}

func TestRunEnds(t *testing.T) {
	both(t, func(t *testing.T, live bool) {
		ctx, cancel := context.WithCancel(context.Background())
		arm := newArm(twinrig.ModePosition)
		r := newRunner(t, arm, live)

		end, err := r.Run(ctx, Hold{}, never, time.Second)
		require.NoError(t, err)
		require.Equal(t, EndTimeout, end)

		n := 0
		end, err = r.Run(ctx, Hold{}, func(*twinrig.Report) bool { n++; return n == 5 }, time.Hour)
		require.NoError(t, err)
		require.Equal(t, EndDone, end)
		require.Equal(t, 5, n)

		_, err = r.Run(ctx, Hold{}, func(*twinrig.Report) bool { cancel(); return false }, time.Hour)
		require.ErrorIs(t, err, context.Canceled)
	})
}

func TestRunReturnsTheFault(t *testing.T) {
	both(t, func(t *testing.T, live bool) {
		arm := newArm(twinrig.ModePosition)
		arm.spoil = func(n int, s *twinrig.State) error {
			if n >= 100 {
				s.HardwareError[twinrig.GripAxis] = 0x20
			}
			return nil
		}
		r := newRunner(t, arm, live)
		_, err := r.Run(context.Background(), Hold{}, never, time.Hour)
		var hw *HardwareError
		require.ErrorAs(t, err, &hw)
		require.ErrorContains(t, err, "gripper reports hardware error 0x20, overload")
		// It lasts until somebody looked after it.
		_, err = r.Run(context.Background(), Hold{}, never, time.Hour)
		require.ErrorAs(t, err, &hw)
	})
}

func TestRunnerRearm(t *testing.T) {
	both(t, func(t *testing.T, live bool) {
		arm := newArm(twinrig.ModePosition)
		r := newRunner(t, arm, live)
		require.NoError(t, r.HaltNow())
		_, err := r.Run(context.Background(), Hold{}, never, time.Hour)
		require.ErrorIs(t, err, twinrig.ErrHalted)
		require.NoError(t, r.Rearm(context.Background()))
		end, err := r.Run(context.Background(), Hold{}, never, time.Second)
		require.NoError(t, err)
		require.Equal(t, EndTimeout, end)
	})
}

// pusher is a policy that moves dx each step.
type pusher struct {
	dx     float64
	resets int
	err    error
}

func (p *pusher) Spec() policy.Spec {
	return policy.Spec{Space: policy.BridgeDelta, RateHz: 5, Horizon: 4, Execute: 4}
}

func (p *pusher) Reset(context.Context) error {
	p.resets++
	return nil
}

func (p *pusher) Act(context.Context, *twinrig.Observation) (policy.Chunk, error) {
	a := twinrig.Action{p.dx, 0, 0, 0, 0, 0, 0}
	return policy.Chunk{a, a, a, a}, p.err
}

func trial(p policy.Policy, live bool) Trial {
	t := Trial{
		StartTol: 0.01, Limit: 3 * time.Second, Broker: policy.DefaultConfig(),
		Deps:  policy.Deps{Policy: p, Kin: bench{}, Executor: policy.NewInline(after(50 * ms))},
		Judge: never,
	}
	if live {
		t.Deps.Executor = policy.NewAsync()
	}
	return t
}

func TestRunTrial(t *testing.T) {
	arm := newArm(twinrig.ModePosition)
	r := newRunner(t, arm, false)
	p := &pusher{dx: 0.01}
	tr := trial(p, false)
	var at []time.Duration
	var steps []int
	ready := false
	tr.Ready = func(rep *twinrig.Report) error {
		ready = true
		require.Less(t, rep.State.Measured.MaxAbs(), 1e-6, "the arm stands at the start pose")
		return nil
	}
	tr.Judge = func(rep *twinrig.Report) bool {
		at, steps = append(at, rep.Now), append(steps, rep.Step)
		return len(at) == 10
	}
	end, err := r.RunTrial(context.Background(), tr)
	require.NoError(t, err)
	require.True(t, ready)
	require.Equal(t, EndDone, end.End)
	require.Equal(t, 10, end.Steps)
	require.Equal(t, 1, p.resets)
	require.Equal(t, 1800*ms, (end.Ended - end.Began).Round(10*ms))
	for i := range at {
		require.Equal(t, time.Duration(i)*200*ms, (at[i] - at[0]).Round(10*ms))
	}
	// The judge's first look is at the first tick, the policy's first goal
	// comes when it has thought; from then on they go in step.
	require.Equal(t, []int{0, 0, 1, 2, 3, 4, 5, 6, 7, 8}, steps)
	require.Equal(t, 3, end.Policy.Asked)
	require.Zero(t, end.Policy.Idle)
	require.Zero(t, end.Guard)
	var rep twinrig.Report
	r.Latest(&rep)
	require.InDelta(t, 0.075, rep.State.Measured[0], 0.02)
	require.Zero(t, rep.State.Grip, "the policy closed it")
}

func TestRunTrialLive(t *testing.T) {
	r := newRunner(t, newArm(twinrig.ModePosition), true)
	tr := trial(&pusher{dx: 0}, true)
	// The tests' clock flies while the policy's goroutine waits for its turn.
	tr.Broker.Timeout, tr.Broker.MaxRefused, tr.Limit = time.Minute, 100, time.Hour
	n := 0
	tr.Judge = func(*twinrig.Report) bool { n++; return n == 3 }
	end, err := r.RunTrial(context.Background(), tr)
	require.NoError(t, err)
	require.Equal(t, EndDone, end.End)
	require.Equal(t, 3, end.Steps)
}

func TestRunTrialCloses(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Trial, *pusher)
		want   string
	}{
		{"policy's fault", func(_ *Trial, p *pusher) { p.err = errors.New("out of memory") }, "5 chunks refused in a row: policy: act: out of memory"},
		{"unreachable", func(tr *Trial, p *pusher) { p.dx, tr.Limit = 0.05, time.Minute }, "10 control steps in a row did not advance"},
		{"start gate", func(tr *Trial, _ *pusher) {
			tr.Ready = func(*twinrig.Report) error { return errors.New("cube is on the plate already") }
		}, "agent: start gate: cube is on the plate"},
		{"start pose", func(tr *Trial, _ *pusher) { tr.Start[1] = 0.9 }, "agent: start pose: agent: move: arm did not get there"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRunner(t, newArm(twinrig.ModePosition), false)
			p := &pusher{}
			tr := trial(p, false)
			c.change(&tr, p)
			_, err := r.RunTrial(context.Background(), tr)
			require.ErrorContains(t, err, c.want)
			// The arm goes on holding, and the next trial can run.
			end, err := r.RunTrial(context.Background(), trial(&pusher{}, false))
			require.NoError(t, err)
			require.Equal(t, EndTimeout, end.End)
		})
	}
}

// The same trial twice gives the same reports, tick for tick.
func TestLockstepIsDeterministic(t *testing.T) {
	run := func() (log []twinrig.Report) {
		arm := newArm(twinrig.ModeTorque)
		arm.delay = 3 * ms
		r := newRunner(t, arm, false)
		r.loop.deps.Sinks = []Sink{sinkFunc(func(rep *twinrig.Report) { log = append(log, *rep) })}
		_, err := r.RunTrial(context.Background(), trial(&pusher{dx: 0.01}, false))
		require.NoError(t, err)
		return log
	}
	a, b := run(), run()
	require.Greater(t, len(a), 900)
	require.Equal(t, a, b)
}

type sinkFunc func(*twinrig.Report)

func (f sinkFunc) Put(r *twinrig.Report) { f(r) }

func TestStopParksAndThenTakesTorqueOff(t *testing.T) {
	both(t, func(t *testing.T, live bool) {
		arm := newArm(twinrig.ModePosition)
		arm.q = twinrig.Joints{0.2, -1.2, 1.0, 0.1, 0.3, 0.4}
		l, c := newRoomyLoop(t, arm), &clock{}
		var waist, shoulder []float64
		l.deps.Sinks = []Sink{sinkFunc(func(rep *twinrig.Report) {
			require.Zero(t, arm.halts.Load(), "torque is on until the end")
			waist, shoulder = append(waist, rep.Sent.Joints[0]), append(shoulder, rep.Sent.Joints[1])
		})}
		if live {
			ctx, cancel := context.WithCancel(context.Background())
			r := NewRunner(l, lockstep(c))
			done := make(chan error, 1)
			go func() { done <- r.Serve(ctx) }()
			_, err := r.Run(ctx, Hold{}, func(*twinrig.Report) bool { cancel(); return false }, time.Hour)
			require.Error(t, err)
			require.NoError(t, <-done)
			_, err = r.Run(context.Background(), Hold{}, never, time.Hour)
			require.ErrorIs(t, err, ErrStopped)
		} else {
			r := NewLockstepRunner(l, lockstep(c))
			_, err := r.Run(context.Background(), Hold{}, never, 100*ms)
			require.NoError(t, err)
			require.NoError(t, r.Stop())
			require.NoError(t, r.Stop(), "it happens once")
		}
		require.EqualValues(t, 1, arm.halts.Load())
		require.InDeltaSlice(t, twinrig.SleepPose[:], arm.q[:], 1e-6)
		// It folded before it turned.
		for i, w := range waist {
			if math.Abs(w-0.2) > 1e-6 {
				require.InDelta(t, -1.8, shoulder[i], 1e-6)
				break
			}
		}
	})
}

// post stands in the way of joint 2 between -1.5 and -1.4 rad, unless joint 3 is beyond
// 1.2 rad.
type post struct{}

func (post) Deepest(q twinrig.Joints, _ twinrig.Grip) twinrig.Contact {
	d := min(0.05-math.Abs(q[1]+1.45), 1.2-q[2])
	if d <= 0 {
		return twinrig.Contact{}
	}
	return twinrig.Contact{Bodies: [2]string{"arm", "post"}, Depth: d, Over: d}
}

// Where the guard is against folding directly, the arm folds by the first way that it
// is not against; without any it stays where it was held.
func TestStopTakesAnotherWay(t *testing.T) {
	free, blocked := twinrig.Joints{1: -1.0, 2: 1.4}, twinrig.Joints{1: -1.7, 2: 1.0}
	park := twinrig.Joints{1: -1.8, 2: 1.3}
	for _, c := range []struct {
		name   string
		via    []twinrig.Joints
		parked bool
	}{
		{"no other way", nil, false},
		{"one", []twinrig.Joints{free}, true},
		{"the second", []twinrig.Joints{blocked, free}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			arm := newArm(twinrig.ModePosition)
			arm.q = twinrig.Joints{0.2, -1.0, 0.4}
			l := newRoomyLoop(t, arm)
			l.guard.contacts = post{}
			l.cfg.Stop.Park, l.cfg.Stop.Via = park, c.via
			waist := 0.0
			l.deps.Sinks = []Sink{sinkFunc(func(rep *twinrig.Report) {
				require.Zero(t, post{}.Deepest(rep.Sent.Joints, 0))
				if rep.Sent.Joints[1] > -1.5 {
					waist = max(waist, math.Abs(rep.Sent.Joints[0]-0.2))
				}
			})}
			r := NewLockstepRunner(l, lockstep(&clock{}))
			_, err := r.Run(context.Background(), Hold{}, never, 100*ms)
			require.NoError(t, err)
			require.NoError(t, r.Stop())
			require.EqualValues(t, 1, arm.halts.Load())
			if !c.parked {
				require.Greater(t, arm.q[1], -1.4)
				return
			}
			require.InDeltaSlice(t, park[:], arm.q[:], 1e-6)
			require.Zero(t, waist, "it turns when it is folded")
		})
	}
}

// newRoomyLoop has a workspace that even the bench does not leave when it parks.
func newRoomyLoop(t *testing.T, arm *fakeArm) *Loop {
	t.Helper()
	l := newLoop(t, arm, arm.mode)
	l.guard.cfg.Workspace = Workspace{Min: twinrig.Vec3{-9, -9, -9}, Max: twinrig.Vec3{9, 9, 9}, TipFloor: -9}
	return l
}

func TestStopIsBoundedAndAlwaysEndsInHalt(t *testing.T) {
	for _, c := range []struct {
		name  string
		setup func(*fakeArm, *Loop)
		want  string
		ends  string
	}{
		{"arm that never comes to rest", func(a *fakeArm, _ *Loop) {
			a.spoil = func(_ int, s *twinrig.State) error { s.Velocity[2] = 1; return nil }
		}, "", "at its limit"},
		{"dead bus", func(a *fakeArm, _ *Loop) {
			a.spoil = func(int, *twinrig.State) error { return errBus }
		}, "10 cycles missed in a row", "at once"},
		{"alarm", func(a *fakeArm, _ *Loop) {
			a.spoil = func(_ int, s *twinrig.State) error { s.HardwareError[1] = 1; return nil }
		}, "shoulder reports hardware error 0x01, input voltage", "parked"},
		{"panic in the tick", func(_ *fakeArm, l *Loop) {
			l.deps.Sinks = []Sink{sinkFunc(func(rep *twinrig.Report) {
				if rep.Tick == 40 {
					panic("index out of range")
				}
			})}
		}, "agent: panic in the loop: index out of range", "parked"},
		{"panic in every tick", func(_ *fakeArm, l *Loop) {
			l.deps.Sinks = []Sink{sinkFunc(func(*twinrig.Report) { panic("broken for good") })}
		}, "broken for good", "at once"},
	} {
		t.Run(c.name, func(t *testing.T) {
			arm := newArm(twinrig.ModePosition)
			l, clk := newRoomyLoop(t, arm), &clock{}
			c.setup(arm, l)
			r := NewRunner(l, lockstep(clk))
			ctx, cancel := context.WithCancel(context.Background())
			if !strings.HasPrefix(c.name, "panic") {
				cancel()
			}
			err := r.Serve(ctx)
			cancel()
			if c.want == "" {
				require.NoError(t, err)
			} else {
				require.ErrorContains(t, err, c.want)
			}
			require.True(t, arm.off.Load())
			require.LessOrEqual(t, clk.now, l.cfg.Stop.Limit+time.Second)
			switch c.ends {
			case "at once":
				require.Less(t, clk.now, time.Second)
			case "at its limit":
				require.Greater(t, clk.now, l.cfg.Stop.Limit-time.Second)
			case "parked":
				require.InDeltaSlice(t, twinrig.SleepPose[:], arm.q[:], 1e-6)
			}
		})
	}
}

// A second signal: torque off at once, in the midst of parking.
func TestHaltNowCutsParkingShort(t *testing.T) {
	arm := newArm(twinrig.ModePosition)
	l, clk := newRoomyLoop(t, arm), &clock{}
	r := NewRunner(l, lockstep(clk))
	l.deps.Sinks = []Sink{sinkFunc(func(rep *twinrig.Report) {
		if rep.Now > time.Second && !arm.off.Load() {
			require.NoError(t, r.HaltNow())
		}
	})}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.NoError(t, r.Serve(ctx))
	require.Less(t, clk.now, 1100*ms)
	require.NotEqual(t, twinrig.SleepPose, arm.q)
}

func TestLatenessIsCounted(t *testing.T) {
	arm := newArm(twinrig.ModePosition)
	c := &clock{}
	l := newLoop(t, arm, arm.mode)
	l.deps.Sinks = []Sink{sinkFunc(func(rep *twinrig.Report) {
		if rep.Tick == 50 {
			c.skip(20 * ms)
		}
	})}
	r := NewLockstepRunner(l, lockstep(c))
	_, err := r.Run(context.Background(), Hold{}, never, time.Second)
	require.NoError(t, err)
	late := r.Lateness()
	require.InDelta(t, 20-1000/300., late.Max().Seconds()*1000, 0.01)
	require.Zero(t, late.Quantile(0.5).Truncate(10*time.Microsecond))
}

// The real pacer and thread, without asserting how good this machine is at it.
func TestRealtimeServes(t *testing.T) {
	clk, err := OpenClock()
	require.NoError(t, err)
	l := newLoop(t, newArm(twinrig.ModePosition), twinrig.ModePosition, func(c *Config) {
		c.Stop.Hold, c.Stop.Limit = 0, time.Second
	})
	r := NewRunner(l, Realtime{Clock: clk})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	var g Grants
	go func() {
		g = LockThread(10)
		done <- r.Serve(ctx)
	}()
	var last time.Duration
	_, err = r.Run(ctx, Hold{}, func(rep *twinrig.Report) bool {
		require.Greater(t, rep.Now, last)
		last = rep.Now
		return rep.Tick > 30
	}, time.Minute)
	require.NoError(t, err)
	require.GreaterOrEqual(t, last, 30*l.period, "no tick comes early")
	cancel()
	require.NoError(t, <-done)
	late := r.Lateness()
	t.Logf("%s; lateness p50 %v, p99 %v, max %v", g, late.Quantile(0.5), late.Quantile(0.99), late.Max())
	require.Contains(t, g.String(), "SCHED_FIFO")
}
