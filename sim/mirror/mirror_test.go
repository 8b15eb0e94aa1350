package mirror

import (
	"errors"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/sim"
)

// fakeTwin turns each joint at the speed of the last goal's Velocity and notes
// what it was told.
type fakeTwin struct {
	now      time.Duration
	s        twinrig.State
	goal     twinrig.Goal
	efforts  []twinrig.Joints
	watched  []time.Duration
	objects  map[string]twinrig.Pose
	gate     chan struct{} // when set, Read waits for it
	failAt   time.Duration
	failWith error
}

func (f *fakeTwin) Start(s *twinrig.State, objects map[string]twinrig.Pose) error {
	f.now, f.s, f.goal, f.objects = s.Stamp, *s, twinrig.Goal{Joints: s.Measured, Grip: s.Grip}, objects
	f.efforts, f.watched = nil, nil
	return f.failWith
}

func (f *fakeTwin) Read(now time.Duration, s *twinrig.State) error {
	if f.gate != nil {
		<-f.gate
	}
	if f.failAt > 0 && now >= f.failAt {
		return errors.New("diverged")
	}
	f.s.Measured = f.s.Measured.Add(f.goal.Velocity.Scale((now - f.now).Seconds()))
	f.s.Velocity, f.s.Grip, f.now, f.s.Stamp = f.goal.Velocity, f.goal.Grip, now, now
	*s = f.s
	return nil
}

func (f *fakeTwin) Write(_ time.Duration, c twinrig.Command) (twinrig.Command, error) {
	f.goal = c.Goal
	f.efforts = append(f.efforts, c.Effort)
	return c, nil
}

func (f *fakeTwin) Watch(now time.Duration, _ *twinrig.State, _ twinrig.Grip) error {
	f.watched = append(f.watched, now)
	return nil
}

// fakeKin puts E at the first three joints, in m, turned about x by the fourth.
type fakeKin struct{}

func (fakeKin) Forward(q twinrig.Joints) twinrig.Pose {
	return twinrig.Pose{R: twinrig.QuatFromRPY(q[3], 0, 0), P: twinrig.Vec3{q[0], q[1], q[2]}}
}

func (fakeKin) Gravity(q twinrig.Joints) twinrig.Joints {
	return twinrig.Joints{1, 2, 3, 4, 5, 6}.Add(q)
}

const period = 5 * time.Millisecond

// report is tick i of a trial that began at start: goals move at a different
// speed on each joint, the arm lags behind by a different share on each.
func report(start time.Duration, i int) *twinrig.Report {
	t := time.Duration(i) * period
	v := twinrig.Joints{0.1, 0.2, 0.3, 0.4, 0.5, 0.6}
	lag := twinrig.Joints{0.9, 0.8, 0.7, 0.6, 0.5, 0.4}
	r := &twinrig.Report{Tick: uint64(i), Now: start + t, Step: i / 40}
	r.State.Stamp = start + t
	for k := range v {
		r.State.Measured[k] = v[k] * lag[k] * t.Seconds()
		r.State.Velocity[k] = v[k] * lag[k]
	}
	r.State.Grip = 0.25
	r.Sent.Goal = twinrig.Goal{Joints: v.Scale(t.Seconds()), Velocity: v, Grip: 0.5}
	return r
}

func follow(t *testing.T, cfg Config, l law) (*follower, *fakeTwin) {
	t.Helper()
	require.NoError(t, cfg.Validate())
	tw := &fakeTwin{}
	return &follower{cfg: cfg, law: l, twin: tw, kin: fakeKin{}}, tw
}

func TestFollowerGap(t *testing.T) {
	const start = 3 * time.Second
	f, tw := follow(t, DefaultConfig(), law{})
	objects := map[string]twinrig.Pose{"cube": twinrig.IdentityPose}
	require.NoError(t, f.Start(&report(start, 0).State, objects))
	require.Equal(t, objects, tw.objects)
	for i := range 201 {
		compared, err := f.Follow(report(start, i))
		require.NoError(t, err)
		require.Equal(t, i > 0 && i%40 == 0, compared, i)
	}
	require.Len(t, f.gaps, 5)
	require.Len(t, tw.watched, 5)

	g := f.gaps[4]
	require.Equal(t, start+time.Second, g.Stamp)
	require.Equal(t, 5, g.Step)
	for k, want := range []float64{0.01, 0.04, 0.09, 0.16, 0.25, 0.36} {
		require.InDelta(t, want, g.Joints[k], 1e-12, "simulated minus measured")
		require.InDelta(t, want, g.Velocity[k], 1e-12)
	}
	require.InDelta(t, math.Sqrt(0.01*0.01+0.04*0.04+0.09*0.09), g.Translation, 1e-12)
	require.InDelta(t, 0.16, g.Rotation, 1e-12)
	require.InDelta(t, 0.25, float64(g.Grip), 1e-12)

	s := f.summary()
	require.Equal(t, 5, s.Gaps)
	require.Equal(t, 201, s.Reports)
	require.Equal(t, 400*time.Millisecond, s.DivergedAt, "39.6 mm, after 19.8 mm at 200 ms")
	require.InDelta(t, 0.36*math.Sqrt((1+4+9+16+25)/125.0), s.JointRMS[5], 1e-12)
	require.InDelta(t, 0.16, s.VelocityRMS[3], 1e-12)
	require.InDelta(t, g.Translation, s.Translation.Max, 1e-12)
}

func TestFollowerEveryReport(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Every = 0
	f, tw := follow(t, cfg, law{})
	require.NoError(t, f.Start(&report(0, 0).State, nil))
	for i := range 81 {
		_, err := f.Follow(report(0, i))
		require.NoError(t, err)
	}
	require.Len(t, f.gaps, 81)
	require.Equal(t, []time.Duration{200 * time.Millisecond, 400 * time.Millisecond}, tw.watched)
}

// In torque mode the mirror's effort comes from its own state and gravity,
// never from what the real arm was sent.
func TestFollowerLaw(t *testing.T) {
	l, err := newLaw(&sim.ArmConfig{Mode: twinrig.ModeTorque}, twinrig.Gains{
		Kp: twinrig.Joints{10, 20, 30, 40, 50, 60}, Kd: twinrig.Joints{1, 2, 3, 4, 5, 6},
	})
	require.NoError(t, err)
	f, tw := follow(t, DefaultConfig(), l)
	require.NoError(t, f.Start(&report(0, 0).State, nil))
	for i := range 3 {
		r := report(0, i)
		r.Sent.Effort = twinrig.Joints{99, 99, 99, 99, 99, 99}
		_, err := f.Follow(r)
		require.NoError(t, err)
	}
	// The twin's goal speed is met and its position is on the goal, so what is
	// left is the gravity at its own joints.
	for k, v := range []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6} {
		require.InDelta(t, float64(k+1)+v*0.01, tw.efforts[2][k], 1e-9)
	}
	_, err = newLaw(&sim.ArmConfig{Mode: twinrig.ModeTorque}, twinrig.Gains{})
	require.ErrorContains(t, err, "without gains")
}

func TestFollowerStale(t *testing.T) {
	f, _ := follow(t, DefaultConfig(), law{})
	require.NoError(t, f.Start(&report(0, 0).State, nil))
	for i := range 201 {
		r := report(0, i)
		switch {
		case i%10 == 3: // the reading failed: the state is the last one
			r.State = report(0, i-1).State
		case i == 80: // one axis did not answer
			r.State.Age[4] = period
		}
		_, err := f.Follow(r)
		require.NoError(t, err)
	}
	require.Len(t, f.gaps, 5)
	require.Equal(t, 81*period, f.gaps[1].Stamp, "compared at the next whole reading")
	require.Equal(t, 120*period, f.gaps[2].Stamp, "and back on the grid")
	require.Equal(t, 20+1, f.summary().Stale)
}

func TestFollowerRefusesStart(t *testing.T) {
	f, tw := follow(t, DefaultConfig(), law{})
	s := report(0, 0).State
	s.Measured[2] = math.NaN()
	require.ErrorContains(t, f.Start(&s, nil), "not finite")
	tw.failWith = errors.New("no body")
	require.ErrorContains(t, f.Start(&report(0, 0).State, nil), "mirror: start: no body")
	require.False(t, f.begun)
}

func TestMirrorLockstepIsDeterministic(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Queue = 3
	var seen [2][]twinrig.Gap
	for run := range seen {
		f, _ := follow(t, cfg, law{})
		m := newMirror(f, Hooks{Gap: func(g twinrig.Gap) { seen[run] = append(seen[run], g) }}, nil)
		for trial := range 2 {
			start := time.Duration(trial) * time.Minute
			require.NoError(t, m.Start(report(start, 0).State, nil))
			for i := range 201 {
				require.NoError(t, m.Feed(report(start, i)))
			}
			s, err := m.Summary()
			require.NoError(t, err)
			require.True(t, s.Complete())
			require.Equal(t, 201, s.Reports)
			gaps, err := m.Gaps()
			require.NoError(t, err)
			require.Len(t, gaps, 5)
			require.Equal(t, seen[run][5*trial:], gaps)
		}
		m.Close()
	}
	require.Equal(t, seen[0], seen[1])
}

func TestMirrorStop(t *testing.T) {
	f, _ := follow(t, DefaultConfig(), law{})
	m := newMirror(f, Hooks{}, nil)
	defer m.Close()
	require.NoError(t, m.Start(report(0, 0).State, nil))
	for i := range 81 {
		Lockstep{m}.Put(report(0, i))
	}
	require.NoError(t, m.Stop())
	want, err := m.Summary()
	require.NoError(t, err)
	require.Equal(t, 2, want.Gaps)
	for i := range 81 {
		Lockstep{m}.Put(report(time.Minute, i))
	}
	got, err := m.Summary()
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// An arm whose first write failed was sent nothing, not a goal of zeros.
func TestFollowerHoldsUntilSomethingIsSent(t *testing.T) {
	f, tw := follow(t, DefaultConfig(), law{})
	s := report(0, 3).State
	require.NoError(t, f.Start(&s, nil))
	r := &twinrig.Report{State: s}
	_, err := f.Follow(r)
	require.NoError(t, err)
	require.Equal(t, s.Measured, tw.goal.Joints)
}

// A mirror that cannot keep up drops, never waits, and says so.
func TestMirrorSaysThatItFellBehind(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Queue, cfg.Every = 10, 0
	f, tw := follow(t, cfg, law{})
	tw.gate = make(chan struct{})
	now := time.Hour
	m := newMirror(f, Hooks{Clock: func() time.Duration { return now }}, nil)
	defer m.Close()
	require.NoError(t, m.Start(report(0, 0).State, nil))
	for i := range 50 {
		m.Put(report(0, i)) // the twin stands still: this must not block
	}
	require.LessOrEqual(t, m.Waiting(), 10)
	close(tw.gate)
	s, err := m.Summary()
	require.NoError(t, err)
	require.False(t, s.Complete())
	require.Equal(t, 50, s.Reports+s.Dropped)
	require.GreaterOrEqual(t, s.Dropped, 50-10-1)
	require.Equal(t, time.Hour, s.Behind)

	// The next trial starts with a clean record.
	require.NoError(t, m.Start(report(0, 0).State, nil))
	m.Put(report(0, 0))
	s, err = m.Summary()
	require.NoError(t, err)
	require.True(t, s.Complete())
	require.Equal(t, 1, s.Reports)
}

func TestMirrorPutAllocatesNothing(t *testing.T) {
	f, _ := follow(t, DefaultConfig(), law{})
	m := newMirror(f, Hooks{}, nil)
	defer m.Close()
	r := report(0, 0)
	require.NoError(t, m.Start(r.State, nil))
	require.NoError(t, m.Flush())
	// The twin stands still at its first reading, so that only Put is measured.
	require.Zero(t, testing.AllocsPerRun(100, func() { m.Put(r) }))
}

func TestMirrorErrors(t *testing.T) {
	f, tw := follow(t, DefaultConfig(), law{})
	m := newMirror(f, Hooks{}, nil)
	m.Put(report(0, 0)) // no trial yet: ignored
	require.NoError(t, m.Flush())
	require.Zero(t, f.reports)

	tw.failAt = 10 * period
	require.NoError(t, m.Start(report(0, 0).State, nil))
	for i := range 20 {
		m.Put(report(0, i))
	}
	s, err := m.Summary()
	require.ErrorContains(t, err, "mirror: step to 50ms: diverged")
	require.Equal(t, 11, s.Reports, "the rest of the trial is not followed")
	_, err = m.Gaps()
	require.ErrorContains(t, err, "diverged", "gaps that end too early are not passed off as all")

	var wg sync.WaitGroup
	for range 4 {
		wg.Go(m.Close)
	}
	wg.Wait()
	require.ErrorIs(t, m.Flush(), ErrClosed)
	require.ErrorIs(t, m.Start(report(0, 0).State, nil), ErrClosed)
	_, err = m.Summary()
	require.ErrorIs(t, err, ErrClosed)
	for range 2 * DefaultConfig().Queue {
		m.Put(report(0, 0))
	}
	require.ErrorIs(t, m.Feed(report(0, 0)), ErrClosed)
}

func TestConfigValidate(t *testing.T) {
	for key, change := range map[string]func(*Config){
		"every":      func(c *Config) { c.Every = -1 },
		"control":    func(c *Config) { c.Control = 0 },
		"queue":      func(c *Config) { c.Queue = 0 },
		"diverged_m": func(c *Config) { c.Diverged = math.NaN() },
	} {
		c := DefaultConfig()
		require.NoError(t, c.Validate())
		change(&c)
		require.ErrorContains(t, c.Validate(), key)
	}
}

func TestSpread(t *testing.T) {
	v := make([]float64, 100)
	for i := range v {
		v[i] = float64(100 - i)
	}
	s := spread(v)
	require.InDelta(t, math.Sqrt(338350.0/100), s.RMS, 1e-12)
	require.InDelta(t, 95.05, s.P95, 1e-12)
	require.InDelta(t, 100, s.Max, 0)
	require.Equal(t, Spread{RMS: 2, P95: 2, Max: 2}, spread([]float64{2}))
	require.Equal(t, Spread{}, spread(nil))
	require.Equal(t, Summary{DivergedAt: Never}, Summarize(nil, 0, 0.02))
}
