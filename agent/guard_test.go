package agent

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
)

func TestGuardAdmits(t *testing.T) {
	start := twinrig.Joints{0.01, 0.02, 0.03, 0.04, 0.05, 0.06}
	with := func(axis int, v float64) twinrig.Goal {
		g := twinrig.Goal{Joints: start, Grip: 0.5}
		g.Joints[axis] = v
		return g
	}
	held := twinrig.Goal{Joints: start, Grip: 0.9}
	fast := with(0, 0.02)
	fast.Velocity[3] = -7
	slowed := fast
	slowed.Velocity[3] = -2.5
	badGrip := with(0, 0.01)
	badGrip.Grip = twinrig.Grip(math.NaN())
	badSpeed := with(0, 0.01)
	badSpeed.Velocity[4] = math.Inf(1)

	for _, c := range []struct {
		name  string
		state func(*twinrig.State)
		asked twinrig.Goal
		want  twinrig.Goal
		done  twinrig.Intervention
	}{
		{"passes", nil, with(4, 0.06), with(4, 0.06), 0},
		{"nan joint", nil, with(2, math.NaN()), held, twinrig.RefusedNaN},
		{"inf joint", nil, with(2, math.Inf(-1)), held, twinrig.RefusedNaN},
		{"nan grip", nil, badGrip, held, twinrig.RefusedNaN},
		{"inf speed", nil, badSpeed, held, twinrig.RefusedNaN},
		{"too fast told", nil, fast, slowed, twinrig.ClippedVelocity},
		{"too fast stepped", nil, with(1, 0.3), with(1, 0.02+2.5*0.01), twinrig.ClippedVelocity},
		{"jump", nil, with(1, 0.7), held, twinrig.RefusedJump},
		{"past a limit, and a jump", nil, with(2, 9), held, twinrig.ClippedPosition | twinrig.RefusedJump},
		{"old reading", func(s *twinrig.State) { s.Stamp -= 51 * ms }, with(4, 0.06), held, twinrig.RefusedStale},
		{"one old axis", func(s *twinrig.State) { s.Age[twinrig.GripAxis] = 51 * ms }, with(4, 0.06), held, twinrig.RefusedStale},
		{"arm elsewhere", func(s *twinrig.State) { s.Measured[5] = 1 }, with(4, 0.06), held, twinrig.RefusedJump},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := NewGuard(DefaultGuard(), bench{}, nil)
			s := twinrig.State{Stamp: time.Second, Measured: start, Grip: 0.9}
			g.Reset(s.Stamp, &s)
			s.Stamp += 10 * ms
			now := s.Stamp
			if c.state != nil {
				c.state(&s)
			}
			got, done := g.Admit(now, &s, c.asked)
			require.Equal(t, c.done.Names(), done.Names())
			require.InDelta(t, float64(c.want.Grip), float64(got.Grip), 0)
			require.InDeltaSlice(t, c.want.Joints[:], got.Joints[:], 1e-12)
			require.Equal(t, c.want.Velocity, got.Velocity)
			require.Equal(t, got, *g.Last())
			for i, n := range g.Counts() {
				require.Equal(t, done&(1<<i) != 0, n == 1)
			}
		})
	}
}

// The workspace can be left by nobody and entered by everybody.
func TestWorkspaceOpensOnlyInwards(t *testing.T) {
	for _, c := range []struct {
		name string
		axis int
		sign float64
	}{{"far", 0, 1}, {"near", 0, -1}, {"left", 1, 1}, {"right", 1, -1}, {"up", 2, 1}, {"table", 2, -1}} {
		t.Run(c.name, func(t *testing.T) {
			cfg := DefaultGuard()
			cfg.Workspace = Workspace{Min: twinrig.Vec3{0.2, -0.1, 0.1}, Max: twinrig.Vec3{0.4, 0.1, 0.3}}
			g := NewGuard(cfg, bench{}, nil)
			s := twinrig.State{}
			g.Reset(0, &s)
			step := func(v float64) twinrig.Intervention {
				s.Stamp += 20 * ms
				s.Measured = g.Last().Joints
				q := s.Measured
				q[c.axis] += v * c.sign
				_, done := g.Admit(s.Stamp, &s, twinrig.Goal{Joints: q})
				return done
			}
			require.Zero(t, step(0.04))
			require.Zero(t, step(0.04))
			require.Equal(t, twinrig.ClippedWorkspace, step(0.04))
			require.InDelta(t, 0.08, c.sign*g.Last().Joints[c.axis], 1e-12)
			require.Zero(t, step(-0.02))

			// An arm that begins outside may come in, and not go out.
			s.Measured[c.axis] = 0.15 * c.sign
			g.Reset(s.Stamp, &s)
			require.Equal(t, twinrig.ClippedWorkspace, step(0.01))
			require.Zero(t, step(-0.02))
			require.Equal(t, twinrig.ClippedWorkspace, step(0.01))
		})
	}
}

func TestTipFloorCountsTheFingers(t *testing.T) {
	w := Workspace{Min: twinrig.Vec3{-1, -1, -1}, Max: twinrig.Vec3{1, 1, 1}, TipFloor: 0}
	down := bench{}.Forward(twinrig.Joints{2: -0.19}) // pinch point 10 mm over the table
	require.InDelta(t, 0.0044, w.Outside(down), 1e-9)
	level := bench{}.Forward(twinrig.Joints{2: -0.19, 4: -math.Pi / 2})
	require.Zero(t, w.Outside(level))
	allow := (&GuardConfig{Workspace: w}).Allow(nil)
	require.ErrorContains(t, allow(twinrig.Goal{}, down), "4.4 mm outside")
	require.NoError(t, allow(twinrig.Goal{}, level))
}

func TestGuardEffort(t *testing.T) {
	g := NewGuard(DefaultGuard(), bench{}, nil)
	tau, done := g.Effort(twinrig.Joints{-3, 9, 1, -2.5, 3, 0.5})
	require.Equal(t, twinrig.Joints{-3, 7, 1, -2, 3, 0.5}, tau)
	require.Equal(t, twinrig.ClippedEffort, done)
	tau, done = g.Effort(twinrig.Joints{1, math.NaN()})
	require.Zero(t, tau)
	require.Equal(t, twinrig.RefusedNaN, done)
}

// Whatever is asked, what passes is finite, inside the limits, and no faster
// than it may be.
func TestGuardPromises(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 0))
	g := NewGuard(DefaultGuard(), bench{}, nil)
	s := twinrig.State{}
	g.Reset(0, &s)
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300}
	for range 20000 {
		s.Stamp += time.Duration(r.IntN(8)) * ms
		before := g.Last().Joints
		var asked twinrig.Goal
		for i := range asked.Joints {
			asked.Joints[i] = before[i] + 0.05*r.NormFloat64()
			asked.Velocity[i] = 3 * r.NormFloat64()
			if r.IntN(60) == 0 {
				asked.Joints[i] = odd[r.IntN(len(odd))]
			}
		}
		s.Measured = before
		got, _ := g.Admit(s.Stamp, &s, asked)
		require.NoError(t, twinrig.PositionLimits.Check(got.Joints))
		require.True(t, got.Velocity.Finite())
		require.LessOrEqual(t, got.Velocity.MaxAbs(), 2.5)
		require.LessOrEqual(t, got.Joints.Sub(before).MaxAbs(), 2.5*0.008+1e-6)
		require.Zero(t, g.cfg.Workspace.Outside(bench{}.Forward(got.Joints)))
	}
	for _, name := range []twinrig.Intervention{
		twinrig.ClippedVelocity, twinrig.ClippedWorkspace, twinrig.RefusedNaN, twinrig.RefusedJump,
	} {
		require.Positive(t, g.Counts()[bits.TrailingZeros16(uint16(name))], name.Names())
	}
}
