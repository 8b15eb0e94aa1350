package agent

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
)

var errBus = errors.New("id 5: checksum mismatch")

func TestFirstTickHoldsWhereTheArmIs(t *testing.T) {
	for _, mode := range []twinrig.Mode{twinrig.ModePosition, twinrig.ModeTorque} {
		arm := newArm(mode)
		start := arm.q
		l := newLoop(t, arm, mode)
		r := ticks(l, 300)
		require.Equal(t, start, r.Sent.Joints, mode)
		require.InDelta(t, 0.9, float64(r.Sent.Grip), 0)
		require.Zero(t, r.Sent.Effort.MaxAbs())
		require.Equal(t, uint64(299), r.Tick)
		require.Zero(t, r.Guard)
	}
}

func TestMoveArrivesInBothModes(t *testing.T) {
	goal := twinrig.Joints{0.1, -0.2, 0.15, 0.3, -0.4, 0.5}
	for _, mode := range []twinrig.Mode{twinrig.ModePosition, twinrig.ModeTorque} {
		arm := newArm(mode)
		arm.delay = 4 * ms
		l := newLoop(t, arm, mode)
		ticks(l, 10)
		l.SetSource(NewMove(goal, 0.2, l.cfg.Motion.Move))
		r := ticks(l, 900)
		require.InDeltaSlice(t, goal[:], r.State.Measured[:], 1e-3, mode)
		require.InDelta(t, 0.2, float64(r.Sent.Grip), 0)
		require.True(t, Arrived(goal, 0.01)(r))
	}
}

// gravityBench has a torque of its own for each joint.
type gravityBench struct{ bench }

func (gravityBench) Gravity(q twinrig.Joints) twinrig.Joints {
	return twinrig.Joints{1, 2, 3, 0.4, 0.5, 0.6}.Add(q)
}

func TestLawByMode(t *testing.T) {
	deps := Deps{Kin: bench{}, Gravity: gravityBench{}, Stiffness: twinrig.Joints{0, 20, 30, 40, 50, 60}}
	q := newArm(0).q

	deps.Mode, deps.Arm = twinrig.ModeTorque, newArm(twinrig.ModeTorque)
	l, err := NewLoop(DefaultConfig(), deps)
	require.NoError(t, err)
	r := l.Tick(0)
	require.Equal(t, twinrig.Joints{1, 2, 3, 0.4, 0.5, 0.6}.Add(q), r.Sent.Effort)
	require.Equal(t, q, r.Sent.Joints)

	deps.Mode, deps.Arm = twinrig.ModePosition, newArm(twinrig.ModePosition)
	l, err = NewLoop(DefaultConfig(), deps)
	require.NoError(t, err)
	r = l.Tick(0)
	want := q.Add(twinrig.Joints{0, 2.02 / 20, 3.03 / 30, 0.44 / 40, 0.55 / 50, 0.66 / 60})
	require.InDeltaSlice(t, want[:], r.Sent.Joints[:], 1e-12)
	require.Equal(t, q, r.Asked.Joints, "the goal itself is not offset")
}

// Friction is for torque mode, by its switch and its share.
func TestFrictionByModeAndSwitch(t *testing.T) {
	coulomb, damping := twinrig.Joints{1, 0, 2}, twinrig.Joints{0, 3}
	for _, c := range []struct {
		mode  twinrig.Mode
		on    bool
		share float64 // that must be there
	}{{twinrig.ModeTorque, true, 0.5}, {twinrig.ModeTorque, false, 0}, {twinrig.ModePosition, true, 0}} {
		cfg := DefaultConfig()
		cfg.Friction = FrictionConfig{On: c.on, Share: 0.5, Smooth: 0.01}
		l, err := NewLoop(cfg, Deps{
			Arm: newArm(c.mode), Mode: c.mode, Kin: bench{}, Gravity: bench{}, Friction: coulomb, Damping: damping,
		})
		require.NoError(t, err)
		ticks(l, 3)
		l.SetSource(NewMove(joints(0.2), 0.9, cfg.Motion.Move))
		for range 50 {
			r := l.Tick(l.Due())
			require.Zero(t, r.Guard)
			v := r.Asked.Velocity
			for i, sent := range r.Sent.Effort {
				want := c.share * (coulomb[i]*math.Tanh(v[i]/0.01) + damping[i]*v[i])
				if c.mode == twinrig.ModeTorque {
					want += cfg.Kp[i]*(r.Asked.Joints[i]-r.State.Measured[i]) + cfg.Kd[i]*(v[i]-r.State.Velocity[i])
				}
				require.InDelta(t, want, sent, 1e-12)
			}
		}
		require.Greater(t, l.report.Asked.Velocity[2], 0.05, "it moves")
	}
}

// A change of source never makes the goal jump, in place or in speed.
func TestSwitchingSourcesIsSmooth(t *testing.T) {
	l := newLoop(t, newArm(twinrig.ModePosition), twinrig.ModePosition)
	ticks(l, 5)
	last := l.Tick(l.Due()).Asked
	sources := []Source{
		NewMove(joints(0.25), 1, l.cfg.Motion.Move), NewMove(joints(-0.1), 0, l.cfg.Motion.Policy),
		Hold{},
		NewMove(joints(0.1), 1, l.cfg.Motion.Move),
	}
	moved := 0.0
	for _, src := range sources {
		l.SetSource(src)
		for range 70 {
			a := l.Tick(l.Due()).Asked
			require.LessOrEqual(t, a.Velocity.Sub(last.Velocity).MaxAbs(), 30*l.period.Seconds())
			require.LessOrEqual(t, a.Joints.Sub(last.Joints).MaxAbs(), 2.5*l.period.Seconds())
			moved += a.Joints.Sub(last.Joints).MaxAbs()
			last = a
		}
	}
	require.Greater(t, moved, 0.3)
}

func TestLateTickIsCountedNotDoubled(t *testing.T) {
	l := newLoop(t, newArm(twinrig.ModePosition), twinrig.ModePosition)
	p := l.period
	for _, c := range []struct{ now, late, due time.Duration }{
		{5 * p, 0, 6 * p}, // the first tick is on time whenever it is
		{6 * p, 0, 7 * p},
		{7*p + 100, 100, 8 * p},
		{10 * p, 2 * p, 10 * p}, // overrun: the next is due at once, once
		{10 * p, 0, 11 * p},
		{11 * p, 0, 12 * p},
	} {
		r := l.Tick(c.now)
		require.Equal(t, c.late, r.Late)
		require.Equal(t, c.due, l.Due())
	}
}

func TestMissesHoldAndThenFault(t *testing.T) {
	for _, c := range []struct {
		name  string
		setup func(a *fakeArm, bad func(int) bool)
		cause string
		lost  bool
	}{
		{"read", func(a *fakeArm, bad func(int) bool) {
			a.spoil = func(n int, s *twinrig.State) error {
				if bad(n) {
					s.Measured = joints(9) // what came with an error is not used
					return errBus
				}
				return nil
			}
		}, "agent: 10 cycles missed in a row: read: id 5: checksum mismatch", true},
		{"nan", func(a *fakeArm, bad func(int) bool) {
			a.spoil = func(n int, s *twinrig.State) error {
				if bad(n) {
					s.Measured[3] = math.NaN()
				}
				return nil
			}
		}, "reading is not a number", true},
		{"stale", func(a *fakeArm, bad func(int) bool) {
			a.spoil = func(n int, s *twinrig.State) error {
				if bad(n) {
					s.Age[twinrig.Elbow] = time.Second
				}
				return nil
			}
		}, "reading is too old", false},
		{"write", func(a *fakeArm, bad func(int) bool) {
			a.refuse = func(n int) error {
				if bad(n) {
					return errBus
				}
				return nil
			}
		}, "write: id 5", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			arm := newArm(twinrig.ModePosition)
			// Nine in a row are forgiven, ten are not.
			c.setup(arm, func(n int) bool { return n >= 5 && n < 14 || n >= 20 })
			l := newLoop(t, arm, twinrig.ModePosition)
			start := arm.q
			r := ticks(l, 20)
			require.Nil(t, l.Fault())
			require.Equal(t, uint64(9), r.Misses)
			require.Equal(t, start, r.State.Measured)
			ticks(l, 9)
			require.Nil(t, l.Fault())
			require.Zero(t, arm.halts.Load())
			ticks(l, 1)
			require.ErrorContains(t, l.Fault(), c.cause)
			require.Equal(t, c.lost, l.Fault().Lost)
			require.False(t, l.Fault().Halted)

			// Latched: it reads on, and an arm out of reach is not written to.
			writes := arm.writes
			r = ticks(l, 50)
			if c.lost && c.name != "write" {
				require.Equal(t, writes, arm.writes)
			}
			require.Equal(t, uint64(79), r.Tick)
			require.Zero(t, arm.halts.Load(), "torque stays: an arm that lets go falls")

			// When it reads again the arm holds where it is, and the fault stays.
			arm.q = joints(0.4)
			arm.spoil, arm.refuse = nil, nil
			r = ticks(l, 3)
			require.False(t, l.Fault().Lost)
			if c.lost {
				require.Equal(t, joints(0.4), r.Sent.Joints)
			}
			l.SetSource(NewMove(joints(0.1), 1, l.cfg.Motion.Move))
			require.NoError(t, l.Rearm())
			require.Nil(t, l.Fault())
		})
	}
}

// A servo whose readings are too old is carried, and not driven by what it was.
func TestBlindJointsAreCarried(t *testing.T) {
	arm := newArm(twinrig.ModeTorque)
	arm.spoil = func(n int, s *twinrig.State) error {
		if n > 3 {
			s.Age[twinrig.Elbow] = time.Second
			s.Measured[twinrig.Elbow] += 0.05
			s.Measured[twinrig.Waist] += 0.05
		}
		return nil
	}
	l := newLoop(t, arm, twinrig.ModeTorque)
	r := ticks(l, 6)
	require.Zero(t, r.Sent.Effort[twinrig.Elbow], "this arm has no gravity")
	require.NotZero(t, r.Sent.Effort[twinrig.Waist])
}

func TestHaltedArmIsAFaultAtOnce(t *testing.T) {
	arm := newArm(twinrig.ModePosition)
	l := newLoop(t, arm, twinrig.ModePosition)
	ticks(l, 3)
	require.NoError(t, arm.Halt())
	ticks(l, 1)
	require.ErrorIs(t, l.Fault(), twinrig.ErrHalted)
	require.True(t, l.Fault().Halted)
}

func TestHardwareErrorHoldsWithinOneCycle(t *testing.T) {
	arm := newArm(twinrig.ModePosition)
	broken := false
	arm.spoil = func(_ int, s *twinrig.State) error {
		if broken {
			s.HardwareError[twinrig.Elbow] = 0x24
		}
		return nil
	}
	l := newLoop(t, arm, twinrig.ModePosition)
	l.SetSource(NewMove(joints(0.5), 1, l.cfg.Motion.Move))
	ticks(l, 100)
	broken = true
	ticks(l, 1)
	var hw *HardwareError
	require.ErrorAs(t, l.Fault(), &hw)
	require.Equal(t, twinrig.Elbow, hw.Axis)
	require.EqualError(t, l.Fault(), "agent: elbow reports hardware error 0x24, overheating, overload")
	require.False(t, l.Fault().Halted)
	at := ticks(l, 100).Sent.Joints
	require.Equal(t, at, ticks(l, 100).Sent.Joints, "it holds")
	require.Zero(t, arm.halts.Load())
}

func TestRearmStartsFromWhereTheArmIs(t *testing.T) {
	arm := newArm(twinrig.ModePosition)
	l := newLoop(t, arm, twinrig.ModePosition)
	ticks(l, 3)
	require.NoError(t, arm.Halt())
	ticks(l, 1)
	arm.q = joints(0.4) // moved by hand meanwhile
	arm.enabling = errors.New("elbow is too hot")
	require.EqualError(t, l.Rearm(), "agent: rearm: elbow is too hot")
	require.NotNil(t, l.Fault())
	arm.enabling = nil
	require.NoError(t, l.Rearm())
	r := ticks(l, 2)
	require.Nil(t, l.Fault())
	require.Equal(t, joints(0.4), r.Sent.Joints)
}

// countSink keeps the ticks it was shown.
type countSink struct{ seen []uint64 }

func (s *countSink) Put(r *twinrig.Report) {
	if len(s.seen) < cap(s.seen) {
		s.seen = append(s.seen, r.Tick)
	}
}

func TestEverySinkSeesEveryTick(t *testing.T) {
	arm := newArm(twinrig.ModePosition)
	arm.spoil = func(n int, _ *twinrig.State) error {
		if n == 2 {
			return errBus
		}
		return nil
	}
	a, b := &countSink{make([]uint64, 0, 8)}, &countSink{make([]uint64, 0, 8)}
	l, err := NewLoop(DefaultConfig(), Deps{Arm: arm, Kin: bench{}, Gravity: bench{}, Sinks: []Sink{a, b}})
	require.NoError(t, err)
	ticks(l, 4)
	require.Equal(t, []uint64{0, 1, 2, 3}, a.seen)
	require.Equal(t, a.seen, b.seen)
}

// newLoopWithSink is what the allocation test and the benchmark tick: a move
// that never ends, in torque mode.
func newLoopWithSink(t require.TestingT) *Loop {
	l, err := NewLoop(DefaultConfig(), Deps{
		Arm: newArm(twinrig.ModeTorque), Mode: twinrig.ModeTorque, Kin: bench{}, Gravity: bench{},
		Sinks: []Sink{&countSink{}},
	})
	require.NoError(t, err)
	return l
}

func TestTickDoesNotAllocate(t *testing.T) {
	l := newLoopWithSink(t)
	l.Tick(0)
	to := 0.1
	src := NewMove(joints(to), 1, l.cfg.Motion.Policy)
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		if l.report.Tick%60 == 0 { // a new goal at 5 Hz
			to = -to
			src.Joints, src.begun = joints(to), false
			l.SetSource(src)
		}
		l.Tick(l.Due())
	}))
	require.Greater(t, l.report.Tick, uint64(900))
	require.Nil(t, l.Fault())
}

func BenchmarkTick(b *testing.B) {
	l := newLoopWithSink(b)
	b.ReportAllocs()
	for b.Loop() {
		l.Tick(l.Due())
	}
}

func TestConfigValidateNamesTheKey(t *testing.T) {
	ok := DefaultConfig()
	require.NoError(t, ok.Validate())
	for key, spoil := range map[string]func(*Config){
		"rate_hz":                       func(c *Config) { c.RateHz = 0 },
		"kp_nm_per_rad of elbow":        func(c *Config) { c.Kp[2] = -1 },
		"kd_nm_s_per_rad of wrist_rot":  func(c *Config) { c.Kd[5] = math.NaN() },
		"max_misses":                    func(c *Config) { c.MaxMisses = 0 },
		"guard.max_age":                 func(c *Config) { c.Guard.MaxAge = 5 * ms },
		"guard.max_jump_rad":            func(c *Config) { c.Guard.MaxJump = 4 },
		"guard.max_velocity_rad_s of w": func(c *Config) { c.Guard.MaxVelocity[0] = 10 },
		"guard.max_effort_nm of fore":   func(c *Config) { c.Guard.MaxEffort[3] = 3 },
		"guard.workspace.min_m y":       func(c *Config) { c.Guard.Workspace.Min[1] = 0.6 },
		"motion.step_horizon":           func(c *Config) { c.Motion.StepHorizon = 0.5 },
		"motion.move.velocity_rad_s":    func(c *Config) { c.Motion.Move.Velocity = 0 },
		"stop.limit":                    func(c *Config) { c.Stop.Limit = 0 },
		"stop.park_rad":                 func(c *Config) { c.Stop.Park[1] = 5 },
		"stop.via_rad 0":                func(c *Config) { c.Stop.Via = []twinrig.Joints{{1: 5}} },
	} {
		c := DefaultConfig()
		spoil(&c)
		require.ErrorContains(t, c.Validate(), "agent: "+key)
	}
}

func TestLatenessQuantiles(t *testing.T) {
	var l Lateness
	for us := range 1000 {
		l.Add(time.Duration(us) * time.Microsecond)
	}
	require.Equal(t, uint64(1000), l.N())
	require.Equal(t, 999*time.Microsecond, l.Max())
	require.InEpsilon(t, 500, l.Quantile(0.5).Microseconds(), 0.13)
	require.InEpsilon(t, 990, l.Quantile(0.99).Microseconds(), 0.13)
	require.Equal(t, 999*time.Microsecond, l.Quantile(1))
	l.Add(-time.Second)
	l.Add(100 * time.Hour)
	require.Equal(t, 100*time.Hour, l.Max())
	for i := range 32*subBuckets - 1 {
		require.Equal(t, i+1, bucket(upper(i)), "buckets meet")
	}
	require.Zero(t, (&Lateness{}).Quantile(0.5))
}
