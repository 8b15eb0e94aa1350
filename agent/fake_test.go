package agent

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/policy"
)

// fakeArm has no gravity. In torque mode its joints are double integrators whose
// torque acts a delay after it was written, but for wrist_rotate; in position
// mode they follow at once.
type fakeArm struct {
	mode    twinrig.Mode
	inertia twinrig.Joints
	delay   time.Duration

	q, dq   twinrig.Joints
	tau     twinrig.Joints
	pending []sent
	grip    twinrig.Grip
	at      time.Duration
	off     atomic.Bool
	halts   atomic.Int32
	writes  int
	enables int

	// spoil, if set, may change or refuse what tick n reads.
	spoil    func(n int, s *twinrig.State) error
	refuse   func(n int) error
	reads    int
	enabling error
}

type sent struct {
	at  time.Duration
	tau twinrig.Joints
}

func newArm(mode twinrig.Mode) *fakeArm {
	return &fakeArm{
		mode: mode, inertia: twinrig.Joints{0.05, 0.15, 0.08, 0.022, 0.023, 0.011},
		pending: make([]sent, 0, 8), grip: 0.9,
		q: twinrig.Joints{0.01, 0.02, 0.03, 0.04, 0.05, 0.06},
	}
}

func (a *fakeArm) Enable() error {
	a.enables++
	if a.enabling == nil {
		a.off.Store(false)
	}
	return a.enabling
}

func (a *fakeArm) Halt() error {
	a.off.Store(true)
	a.halts.Add(1)
	return nil
}

func (a *fakeArm) Read(now time.Duration, s *twinrig.State) error {
	const dt = 500 * time.Microsecond
	for ; a.at+dt <= now; a.at += dt {
		for len(a.pending) > 0 && a.pending[0].at <= a.at {
			a.tau = a.pending[0].tau
			a.pending = a.pending[:copy(a.pending, a.pending[1:])]
		}
		if a.mode == twinrig.ModeTorque {
			for i := range twinrig.WristRotate {
				a.dq[i] += a.tau[i] / a.inertia[i] * dt.Seconds()
				a.q[i] += a.dq[i] * dt.Seconds()
			}
		}
	}
	*s = twinrig.State{Stamp: now, Measured: a.q, Velocity: a.dq, Grip: a.grip}
	a.reads++
	if a.spoil != nil {
		return a.spoil(a.reads-1, s)
	}
	return nil
}

func (a *fakeArm) Write(now time.Duration, c twinrig.Command) (twinrig.Command, error) {
	if a.off.Load() {
		return twinrig.Command{}, twinrig.ErrHalted
	}
	if a.refuse != nil {
		if err := a.refuse(a.writes); err != nil {
			a.writes++
			return twinrig.Command{}, err
		}
	}
	a.writes++
	a.grip = c.Grip
	if a.mode == twinrig.ModePosition {
		a.q, a.dq = c.Joints, c.Velocity
	} else {
		a.q[twinrig.WristRotate] = c.Joints[twinrig.WristRotate]
		a.pending = append(a.pending, sent{now + a.delay, c.Effort})
	}
	return c, nil
}

// bench is a kinematics whose joints are x y z (m, offset so that zero joints
// are a good place) and Bridge's roll pitch yaw; it has no gravity.
type bench struct{}

func (bench) Forward(q twinrig.Joints) twinrig.Pose {
	x, _ := policy.PoseFromState(policy.BridgeState{0.3 + q[0], q[1], 0.2 + q[2], q[3], q[4], q[5]})
	return x
}

func (bench) Inverse(x twinrig.Pose, _ twinrig.Joints) (twinrig.Joints, error) {
	if x.P[0] > 0.6 {
		return twinrig.Joints{}, errors.New("too far")
	}
	s := policy.StateFromPose(x, 0)
	return twinrig.Joints{s[0] - 0.3, s[1], s[2] - 0.2, s[3], s[4], s[5]}, nil
}

func (bench) Gravity(twinrig.Joints) twinrig.Joints { return twinrig.Joints{} }

// clock is a virtual clock.
type clock struct{ now time.Duration }

func (c *clock) Now() time.Duration              { return c.now }
func (c *clock) AdvanceTo(t time.Duration)       { c.now = max(c.now, t) }
func (c *clock) skip(d time.Duration)            { c.now += d }
func lockstep(c *clock) Lockstep                 { return Lockstep{Clock: c} }
func joints(v float64) (q twinrig.Joints)        { return q.Add(twinrig.Joints{v, v, v, v, v, v}) }
func never(*twinrig.Report) bool                 { return false }
func after(d time.Duration) func() time.Duration { return func() time.Duration { return d } }

func newLoop(t require.TestingT, arm twinrig.Arm, mode twinrig.Mode, change ...func(*Config)) *Loop {
	cfg := DefaultConfig()
	for _, c := range change {
		c(&cfg)
	}
	l, err := NewLoop(cfg, Deps{Arm: arm, Mode: mode, Kin: bench{}, Gravity: bench{}})
	require.NoError(t, err)
	return l
}

// ticks runs n ticks at their due times.
func ticks(l *Loop, n int) (r *twinrig.Report) {
	for range n {
		r = l.Tick(l.Due())
	}
	return r
}
