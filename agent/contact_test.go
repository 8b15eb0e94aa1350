package agent

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
)

// wall is touched where joint 0 is beyond 0.1 rad: 1 m a rad deep, the more the wider
// the gripper.
type wall struct{}

func (wall) Deepest(q twinrig.Joints, grip twinrig.Grip) twinrig.Contact {
	d := q[0] - 0.1 + 0.01*float64(grip)
	if d <= 0 {
		return twinrig.Contact{}
	}
	return twinrig.Contact{Bodies: [2]string{"hand", "wall"}, Depth: d, Over: d}
}

// walled is a guard before the wall, with a hand on its clock.
type walled struct {
	*Guard
	s twinrig.State
}

func newWalled(at float64) *walled {
	w := &walled{Guard: NewGuard(DefaultGuard(), bench{}, wall{})}
	w.s.Measured[0] = at
	w.Reset(0, &w.s)
	return w
}

// step asks for joint 0 at q at a speed, 5 ms later, the arm being where it was sent.
func (w *walled) step(q, speed float64) twinrig.Intervention {
	w.s.Stamp += 5 * ms
	w.s.Measured = w.last.Joints
	_, done := w.Admit(w.s.Stamp, &w.s, twinrig.Goal{Joints: twinrig.Joints{q}, Velocity: twinrig.Joints{speed}})
	return done
}

// However fast the goal runs at the wall, and whether it says so or not, it is held
// while there is room to brake in; the way back is open.
func TestGuardLeavesRoomToBrake(t *testing.T) {
	for _, speed := range []float64{0.1, 0.5, 1, 2, 2.4} {
		for _, told := range []float64{0, 1} {
			w := newWalled(-0.3)
			q := -0.3
			done := twinrig.Intervention(0)
			for done == 0 {
				q += speed * 0.005
				done = w.step(q, told*speed)
				require.Less(t, q, 0.11, "%g rad/s", speed)
			}
			require.Equal(t, twinrig.RefusedContact, done)
			require.Equal(t, [2]string{"hand", "wall"}, w.Contact().Bodies)
			room := 0.1 - w.last.Joints[0]
			braking := speed * speed / (2 * 25)
			require.Greater(t, room, braking-1e-9)
			require.Less(t, room, braking+2*speed*0.005, "no sooner than it must")
			require.Zero(t, w.last.Velocity)
			// The goal goes on and on, and the arm stays.
			for range 20 {
				q += speed * 0.005
				require.NotZero(t, w.step(q, told*speed)&twinrig.RefusedContact)
			}
			require.InDelta(t, room, 0.1-w.last.Joints[0], 1e-12)
			require.Zero(t, w.step(w.last.Joints[0]-0.002, 0))
			require.Equal(t, uint64(21), w.Counts()[7])
		}
	}
}

// An arm that begins in contact may come out, also after it was held on the way, and
// may not go deeper.
func TestGuardOpensTheWayOutOfContact(t *testing.T) {
	w := newWalled(0.2)
	require.Equal(t, twinrig.RefusedContact, w.step(0.2002, 0))
	require.Zero(t, w.step(0.2, 0), "it may stay")
	for q := 0.199; q > 0.15; q -= 0.001 {
		require.Zero(t, w.step(q, -0.2), "%g", q)
	}
	q := w.last.Joints[0]
	require.Equal(t, twinrig.RefusedNaN, w.step(math.NaN(), 0))
	require.Zero(t, w.step(q, 0), "from rest as before")
	require.Zero(t, w.step(q-0.001, -0.2))
	require.Equal(t, twinrig.RefusedContact, w.step(q, 0.2))
	for ; q > 0; q -= 0.002 {
		require.Zero(t, w.step(q-0.002, -0.4))
	}
	require.Zero(t, w.step(q+0.001, 0.2))
}

// fence is a thin wall: an arm that brakes from full speed would stop behind it.
type fence struct{}

func (fence) Deepest(q twinrig.Joints, _ twinrig.Grip) twinrig.Contact {
	d := 0.02 - math.Abs(q[0]-0.1)
	if d <= 0 {
		return twinrig.Contact{}
	}
	return twinrig.Contact{Bodies: [2]string{"hand", "fence"}, Depth: d, Over: d}
}

// No speed, and no way of asking, gets through what is thin.
func TestGuardIsNotRunPast(t *testing.T) {
	for _, speed := range []float64{0.2, 1, 2.4} {
		for _, lead := range []float64{0, 0.3} { // how far the goal is ahead
			w := &walled{Guard: NewGuard(DefaultGuard(), bench{}, fence{})}
			w.s.Measured[0] = -0.3
			w.Reset(0, &w.s)
			refused := false
			for q := -0.3; q < 0.5; q += speed * 0.005 {
				for _, told := range []float64{speed, 0} {
					refused = w.step(q+lead, told)&twinrig.RefusedContact != 0 || refused
					require.LessOrEqual(t, w.last.Joints[0], 0.08)
				}
			}
			require.True(t, refused)
		}
	}
}

// The gripper, too, can make contact.
func TestGuardHoldsTheGripper(t *testing.T) {
	w := newWalled(0.095)
	w.s.Stamp += 5 * ms
	_, done := w.Admit(w.s.Stamp, &w.s, twinrig.Goal{Joints: w.last.Joints, Grip: 0.4})
	require.Zero(t, done)
	_, done = w.Admit(w.s.Stamp, &w.s, twinrig.Goal{Joints: w.last.Joints, Grip: 0.6})
	require.Equal(t, twinrig.RefusedContact, done)
	require.InDelta(t, 0.4, float64(w.last.Grip), 0)
}

// An arm that moves towards the wall, whatever its goal says, is held; one that only
// stands a little off its goal is not.
func TestGuardSeesTheArmsOwnMotion(t *testing.T) {
	for _, c := range []struct {
		at, speed float64
		want      twinrig.Intervention
	}{
		{0.06, 0.5, 0},
		{0.06, 2, twinrig.RefusedContact},
		{0.06, -2, 0},
		{0.105, 0.02, 0},
		{0.105, 1, twinrig.RefusedContact},
		{0.105, -1, 0},
	} {
		w := newWalled(0.06)
		w.s.Stamp += 5 * ms
		w.s.Measured[0], w.s.Velocity[0] = c.at, c.speed
		_, done := w.Admit(w.s.Stamp, &w.s, twinrig.Goal{Joints: w.last.Joints})
		require.Equal(t, c.want, done, "%+v", c)
	}
}

func TestContactPredictionHasASwitch(t *testing.T) {
	cfg := DefaultGuard()
	cfg.Contact.Predict = false
	g := NewGuard(cfg, bench{}, wall{})
	s := twinrig.State{Measured: twinrig.Joints{0.2}}
	g.Reset(0, &s)
	s.Stamp = 5 * ms
	_, done := g.Admit(s.Stamp, &s, twinrig.Goal{Joints: twinrig.Joints{0.21}})
	require.Zero(t, done)
}

func TestAllowNamesTheContact(t *testing.T) {
	cfg := DefaultGuard()
	allow := cfg.Allow(wall{})
	at := func(q float64) error {
		g := twinrig.Goal{Joints: twinrig.Joints{q}}
		return allow(g, bench{}.Forward(g.Joints))
	}
	require.NoError(t, at(0.1))
	require.EqualError(t, at(0.15), "hand would be 50 mm in wall")
	require.ErrorContains(t, at(0.5), "outside the workspace")
}

// The report says which contact a goal was refused for, and only then.
func TestReportHasTheContact(t *testing.T) {
	cfg := DefaultConfig()
	l, err := NewLoop(cfg, Deps{Arm: newArm(twinrig.ModePosition), Kin: bench{}, Gravity: bench{}, Contacts: wall{}})
	require.NoError(t, err)
	ticks(l, 3)
	l.SetSource(NewMove(twinrig.Joints{0.3}, 0.9, cfg.Motion.Move))
	var r *twinrig.Report
	for range 300 {
		r = l.Tick(l.Due())
		require.Equal(t, r.Guard&twinrig.RefusedContact != 0, r.Contact.Over > 0)
	}
	require.Equal(t, [2]string{"hand", "wall"}, r.Contact.Bodies)
	require.Less(t, r.State.Measured[0], 0.1)
	l.SetSource(NewMove(twinrig.Joints{}, 0.9, cfg.Motion.Move))
	r = ticks(l, 600)
	require.InDelta(t, 0, r.State.Measured[0], 1e-6)
	require.Zero(t, r.Contact)
	require.Zero(t, testing.AllocsPerRun(100, func() { l.Tick(l.Due()) }))
}

// stepper is a policy's source: a new target each 200 ms.
type stepper struct {
	Hold
	targets []Target
	next    time.Duration
}

func (p *stepper) Next(now time.Duration, _ *twinrig.Goal, _ *twinrig.State) (Target, bool) {
	if len(p.targets) == 0 || now < p.next {
		return Target{}, false
	}
	t := p.targets[0]
	p.targets, p.next = p.targets[1:], now+200*ms
	return t, true
}

// Held before the wall while the policy went on, the arm does not run after the
// policy's next target that is on this side: it moves there as from rest.
func TestMotionStartsAnewWhereItWasHeld(t *testing.T) {
	cfg := DefaultConfig()
	l, err := NewLoop(cfg, Deps{Arm: newArm(twinrig.ModePosition), Kin: bench{}, Gravity: bench{}, Contacts: wall{}})
	require.NoError(t, err)
	ticks(l, 3)
	p := &stepper{}
	to := func(q float64) {
		p.targets = append(p.targets, Target{Joints: twinrig.Joints{q, 0.02, 0.03, 0.04, 0.05, 0.06}, Grip: 0.9, Horizon: 300 * ms, Speed: cfg.Motion.Policy})
	}
	for _, q := range []float64{0.05, 0.09, 0.15, 0.2, 0.25, 0.3} {
		to(q)
	}
	for range 6 {
		to(0.05)
	}
	l.SetSource(p)
	refused, fastest := 0, 0.0
	before := l.Guard().Last().Joints
	for range 750 { // 2.5 s
		r := l.Tick(l.Due())
		if r.Guard != 0 {
			require.Equal(t, twinrig.RefusedContact, r.Guard&^twinrig.ClippedVelocity)
			refused++
		}
		require.Less(t, r.Sent.Joints[0], 0.1)
		if r.Now > 1000*ms {
			fastest = max(fastest, r.Sent.Joints.Sub(before).MaxAbs()/l.period.Seconds())
		}
		before = r.Sent.Joints
	}
	require.Greater(t, refused, 100)
	require.InDelta(t, 0.05, l.report.Sent.Joints[0], 1e-3)
	require.Less(t, fastest, 0.6, "rad/s: less than 0.05 rad in 300 ms need")
}
