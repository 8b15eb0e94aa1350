package mirror

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
)

// perfectTwin stands at the last goal.
type perfectTwin struct{ fakeTwin }

func (p *perfectTwin) Read(now time.Duration, s *twinrig.State) error {
	p.s.Measured, p.s.Velocity, p.s.Grip, p.s.Stamp = p.goal.Joints, p.goal.Velocity, p.goal.Grip, now
	*s = p.s
	return nil
}

// fakeInverter inverts fakeKin, up to half a metre from the base.
type fakeInverter struct{ fakeKin }

func (fakeInverter) Inverse(xBE twinrig.Pose, _ twinrig.Joints) (twinrig.Joints, error) {
	if xBE.P.Norm() > 0.5 {
		return twinrig.Joints{}, errors.New("too far")
	}
	return twinrig.Joints{xBE.P[0], xBE.P[1], xBE.P[2], xBE.R.RotVec()[0]}, nil
}

func runReplay(t *testing.T, cfg ReplayConfig, seg Segment) Replayed {
	t.Helper()
	require.NoError(t, cfg.Validate())
	r := replay{cfg: cfg, twin: &perfectTwin{}, kin: fakeInverter{}, seg: &seg}
	out, err := r.run()
	require.NoError(t, err)
	return out
}

// course is eight steps along a curve; the recorded arm never moves and the
// gripper is told to close at step 5.
func course() Segment {
	s := Segment{ID: "course", Hz: 5}
	for t := range 8 {
		u := float64(t + 1)
		grip := twinrig.Grip(0.9)
		if t >= 5 {
			grip = 0
		}
		s.States = append(s.States, Waypoint{EE: fakeKin{}.Forward(twinrig.Joints{0.2}), Grip: 0.9})
		s.Targets = append(s.Targets, Waypoint{
			EE:   fakeKin{}.Forward(twinrig.Joints{0.2 + 0.01*u, 0.003 * u * u, 0, 0.02 * u}),
			Grip: grip,
		})
	}
	return s
}

func TestReplayOfAnArmThatStoodStill(t *testing.T) {
	out := runReplay(t, ReplayConfig{Tick: 5 * time.Millisecond, Move: 200 * time.Millisecond, MaxStep: 1}, course())
	require.Equal(t, 7, out.Steps)
	require.Zero(t, out.Unreachable)
	// A move that takes one control step has arrived at the next, but for a tick.
	require.InDelta(t, math.Hypot(0.07, 0.003*49), out.Position.Max, 2e-4)
	require.InDelta(t, 0.14, out.Rotation.Max, 2e-4)
	require.InDelta(t, 0.9, out.Grip.Max, 1e-9)
	require.Equal(t, 5, out.Free)
	require.InDelta(t, 0, out.GripFree.Max, 1e-9)
	require.Zero(t, out.Hold.Max)
	require.Equal(t, 200*time.Millisecond, out.Gaps[0].Stamp)
}

func TestReplayFindsTheLag(t *testing.T) {
	cfg := DefaultReplayConfig()
	late := cfg
	late.Delay = 100 * time.Millisecond
	// What the late arm does becomes the recording.
	seg := course()
	still := seg.States[0].EE
	r := replay{cfg: late, twin: &perfectTwin{}, kin: fakeInverter{}, seg: &seg}
	_, err := r.run()
	require.NoError(t, err)
	recorded := course()
	for i := range recorded.States {
		recorded.States[i].EE.P = r.trace[40*i]
		recorded.States[i].EE.R = still.R
	}

	out := runReplay(t, late, recorded)
	require.InDelta(t, 0, out.Position.Max, 1e-12)
	out = runReplay(t, cfg, recorded)
	require.Greater(t, out.Position.RMS, 0.005, "the lag is part of the gap")
	pooled, err := Pool([]Replayed{out, out})
	require.NoError(t, err)
	require.Equal(t, 100*time.Millisecond, pooled.Lag.Delay)
	require.InDelta(t, 0, pooled.Lag.RMS, 1e-12)
	require.InDelta(t, out.Position.RMS, pooled.Position.RMS, 1e-12)
	require.InDelta(t, out.Hold.RMS, pooled.Hold, 1e-12)
	require.Equal(t, 14, pooled.Steps)
	require.Equal(t, 10, pooled.Free)
}

func TestReplayHoldsUnreachableTargets(t *testing.T) {
	seg := course()
	seg.Targets[3].EE.P = twinrig.Vec3{0.9, 0, 0}
	seg.Targets[4].EE.R = twinrig.QuatFromRPY(2, 0, 0) // a jump of the fourth joint
	out := runReplay(t, DefaultReplayConfig(), seg)
	require.Equal(t, 2, out.Unreachable)
	require.Less(t, out.Position.Max, 0.2)
}

func TestReplayRefuses(t *testing.T) {
	far := course()
	far.States[0].EE.P = twinrig.Vec3{0.9, 0, 0}
	short := course()
	short.Targets = short.Targets[:3]
	for want, seg := range map[string]Segment{
		"course: first state: too far":        far,
		"course: 8 states, 3 targets, 5 Hz":   short,
		"mirror: : 0 states, 0 targets, 0 Hz": {},
	} {
		r := replay{cfg: DefaultReplayConfig(), twin: &perfectTwin{}, kin: fakeInverter{}, seg: &seg}
		_, err := r.run()
		require.ErrorContains(t, err, want)
	}
	_, err := Pool(nil)
	require.Error(t, err)
}

func TestReplayConfigValidate(t *testing.T) {
	for key, change := range map[string]func(*ReplayConfig){
		"tick":         func(c *ReplayConfig) { c.Tick = 0 },
		"move":         func(c *ReplayConfig) { c.Move = 0 },
		"delay":        func(c *ReplayConfig) { c.Delay = -1 },
		"max_step_rad": func(c *ReplayConfig) { c.MaxStep = 4 },
	} {
		c := DefaultReplayConfig()
		require.NoError(t, c.Validate())
		change(&c)
		require.ErrorContains(t, c.Validate(), key)
	}
}

// A move goes on where the one before it is, in position and in speed.
func TestMoveIsSmooth(t *testing.T) {
	goals := []twinrig.Joints{{0.1, -0.2, 0.3, -0.4, 0.5, -0.6}, {0.3, 0.2, 0.1, 0, -0.1, -0.2}, {}}
	m := still(twinrig.Joints{})
	const tick = time.Millisecond
	q, dq := m.at(0)
	for now := time.Duration(0); now < 800*time.Millisecond; now += tick {
		if i := now / (200 * time.Millisecond); now%(200*time.Millisecond) == 0 && int(i) < len(goals) {
			m = newMove(&m, now, 250*time.Millisecond, goals[i])
		}
		nextQ, nextDQ := m.at(now)
		for k := range q {
			require.InDelta(t, q[k]+dq[k]*tick.Seconds(), nextQ[k], 1e-4)
			require.InDelta(t, dq[k], nextDQ[k], 0.15)
		}
		q, dq = nextQ, nextDQ
	}
	require.Equal(t, twinrig.Joints{}, dq)
	require.InDelta(t, 0, q.MaxAbs(), 1e-12)
}
