package armtest

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
)

// Suite runs the contract; make returns a fresh fixture for each test and
// cleans up through t.
func Suite(t *testing.T, make func(t *testing.T) Fixture) {
	for _, c := range []struct {
		name string
		test func(*rig)
	}{
		{"read fills everything", readFillsEverything},
		{"stamps follow the clock", stampsFollowTheClock},
		{"enable holds the pose", enableHoldsThePose},
		{"each joint moves alone", eachJointMovesAlone},
		{"all joints move together", allJointsMoveTogether},
		{"gripper opens and closes", gripperOpensAndCloses},
		{"effort has the joint's sign", effortHasTheJointsSign},
		{"limits clip and are returned", limitsClip},
		{"what is not finite is refused whole", notFiniteIsRefused},
		{"no torque, no command", noTorqueNoCommand},
		{"halt comes from anywhere", haltComesFromAnywhere},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(&rig{Fixture: make(t), t: t}) })
	}
}

func readFillsEverything(r *rig) {
	nan := math.NaN()
	bad := twinrig.Joints{nan, nan, nan, nan, nan, nan}
	s := twinrig.State{
		Stamp: -1, Measured: bad, Velocity: bad, Load: [2]float64{nan, nan}, Grip: twinrig.Grip(nan),
		Effort: twinrig.Joints{nan, nan, nan, nan, nan, 7},
	}
	for i := range s.Age {
		s.Age[i], s.HardwareError[i] = -1, 0xFF
	}
	now := r.Now()
	require.NoError(r.t, r.Arm.Read(now, &s))
	require.Equal(r.t, now, s.Stamp)
	r.requireSane(&s)
	require.Zero(r.t, s.Age)
}

// requireSane holds for every reading of a healthy arm.
func (r *rig) requireSane(s *twinrig.State) {
	r.t.Helper()
	require.True(r.t, s.Measured.Finite(), "measured %v", s.Measured)
	require.NoError(r.t, r.Limits.Check(s.Measured))
	require.True(r.t, s.Velocity.Finite(), "velocity %v", s.Velocity)
	for i, v := range s.Effort {
		require.Equal(r.t, i == twinrig.WristRotate, math.IsNaN(v), "effort of %s is %v", twinrig.AxisNames[i], v)
		require.False(r.t, math.IsInf(v, 0))
	}
	for _, v := range s.Load {
		require.True(r.t, v >= -1 && v <= 1, "load %v", s.Load)
	}
	require.InDelta(r.t, 0.5, float64(s.Grip), 0.7, "grip")
	require.Zero(r.t, s.HardwareError)
}

func stampsFollowTheClock(r *rig) {
	first := r.enable()
	last := first.Stamp
	r.Advance(r.Period)
	r.follow(hold(&first), 50*r.Period, func(s *twinrig.State) {
		require.Greater(r.t, s.Stamp, last)
		last = s.Stamp
		r.requireSane(s)
	})
}

func enableHoldsThePose(r *rig) {
	before := r.read()
	after := r.enable()
	r.requireAt(before.Measured, &after)
	r.follow(hold(&before), Settle, func(s *twinrig.State) {
		r.requireAt(before.Measured, s)
		require.InDelta(r.t, float64(before.Grip), float64(s.Grip), 0.05)
	})
}

// steps has a distinct value per joint, so that swaps and signs show.
var steps = twinrig.Joints{0.20, -0.16, 0.12, -0.18, 0.14, 0.10}

func eachJointMovesAlone(r *rig) {
	s := r.enable()
	start := hold(&s)
	for i := range steps {
		goal := start
		goal.Joints[i] += steps[i]
		end := r.follow(goal, Settle, nil)
		r.requireAt(goal.Joints, &end)
		require.Greater(r.t, (end.Measured[i]-start.Joints[i])*math.Copysign(1, steps[i]), 0.05,
			"%s moves the way it is told", twinrig.AxisNames[i])
		r.follow(start, Settle, nil)
	}
}

func allJointsMoveTogether(r *rig) {
	s := r.enable()
	goal := hold(&s)
	goal.Joints = goal.Joints.Add(steps)
	end := r.follow(goal, Settle, nil)
	r.requireAt(goal.Joints, &end)
	back := goal
	back.Joints = s.Measured.Sub(steps)
	end = r.follow(back, 2*Settle, nil)
	r.requireAt(back.Joints, &end)
}

func gripperOpensAndCloses(r *rig) {
	s := r.enable()
	goal := hold(&s)
	for _, g := range []twinrig.Grip{0.9, 0.2, 0.6} {
		goal.Grip = g
		end := r.follow(goal, Settle, nil)
		require.InDelta(r.t, float64(g), float64(end.Grip), 0.05)
		r.requireAt(s.Measured, &end)
	}
}

func effortHasTheJointsSign(r *rig) {
	s := r.enable()
	start := hold(&s)
	for i := range twinrig.WristRotate { // the joints that sense current
		goal := start
		goal.Joints[i] += steps[i]
		rest := r.tick(start)
		most := 0.0
		r.follow(goal, 60*time.Millisecond, func(s *twinrig.State) {
			if d := s.Effort[i] - rest.Effort[i]; math.Abs(d) > math.Abs(most) {
				most = d
			}
		})
		require.Greater(r.t, most*math.Copysign(1, steps[i]), 0.0, "%s pushes towards its goal", twinrig.AxisNames[i])
		r.follow(start, Settle, nil)
	}
}

func limitsClip(r *rig) {
	s := r.enable()
	at := hold(&s)
	write := func(change func(*twinrig.Command)) twinrig.Command {
		r.t.Helper()
		c := r.command(at, &s)
		change(&c)
		sent, err := r.Arm.Write(r.Now(), c)
		require.NoError(r.t, err)
		return sent
	}
	write(func(*twinrig.Command) {}) // an arm may refuse a first command elsewhere
	// The last value is sent only, never let act: no time passes here.
	const tick = 2 * math.Pi / 4096
	for i := range steps {
		if r.Mode == twinrig.ModePosition || i == twinrig.WristRotate {
			// A limit half a turn away may be refused instead.
			if r.Limits.Upper[i]-at.Joints[i] < math.Pi {
				up := write(func(c *twinrig.Command) { c.Joints[i] = r.Limits.Upper[i] + 1 })
				require.InDelta(r.t, r.Limits.Upper[i], up.Joints[i], 2*tick, twinrig.AxisNames[i])
			}
			if at.Joints[i]-r.Limits.Lower[i] < math.Pi {
				down := write(func(c *twinrig.Command) { c.Joints[i] = r.Limits.Lower[i] - 1 })
				require.InDelta(r.t, r.Limits.Lower[i], down.Joints[i], 2*tick, twinrig.AxisNames[i])
			}
			continue
		}
		limit := r.EffortLimit[i]
		up := write(func(c *twinrig.Command) { c.Effort[i] = 2 * limit })
		require.InEpsilon(r.t, limit, up.Effort[i], 0.01, twinrig.AxisNames[i])
		down := write(func(c *twinrig.Command) { c.Effort[i] = -2 * limit })
		require.InEpsilon(r.t, -limit, down.Effort[i], 0.01, twinrig.AxisNames[i])
	}
	require.InDelta(r.t, 1, float64(write(func(c *twinrig.Command) { c.Grip = 3 }).Grip), 0.02)
	require.InDelta(r.t, 0, float64(write(func(c *twinrig.Command) { c.Grip = -3 }).Grip), 0.02)

	// Within the limits, what is sent is what was asked for, but for the
	// servos' resolution.
	mid := write(func(c *twinrig.Command) {
		c.Joints, c.Effort, c.Grip = s.Measured.Add(steps), steps, 0.4
	})
	for i := range steps {
		if r.Mode == twinrig.ModePosition || i == twinrig.WristRotate {
			require.InDelta(r.t, s.Measured[i]+steps[i], mid.Joints[i], tick, twinrig.AxisNames[i])
		} else {
			require.InDelta(r.t, steps[i], mid.Effort[i], 0.011, twinrig.AxisNames[i])
		}
	}
	require.InDelta(r.t, 0.4, float64(mid.Grip), 0.01)
	write(func(*twinrig.Command) {})
}

func notFiniteIsRefused(r *rig) {
	s := r.enable()
	at := hold(&s)
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for field, spoil := range []func(*twinrig.Command){
			func(c *twinrig.Command) { c.Joints[twinrig.WristRotate] = v },
			func(c *twinrig.Command) { c.Velocity[twinrig.Elbow] = v },
			func(c *twinrig.Command) { c.Effort[twinrig.Waist] = v },
			func(c *twinrig.Command) { c.Grip = twinrig.Grip(v) },
		} {
			c := r.command(at, &s)
			c.Joints[twinrig.ForearmRoll] += 0.2 // refused with the rest
			c.Effort[twinrig.ForearmRoll] += 1
			spoil(&c)
			_, err := r.Arm.Write(r.Now(), c)
			require.Error(r.t, err, "field %d is %v", field, v)
			require.NotErrorIs(r.t, err, twinrig.ErrHalted)
			s = r.tick(at)
			r.requireAt(at.Joints, &s)
		}
	}
}

func noTorqueNoCommand(r *rig) {
	s := r.read()
	at := hold(&s)
	_, err := r.Arm.Write(r.Now(), r.command(at, &s))
	require.ErrorIs(r.t, err, twinrig.ErrHalted, "before Enable")

	s = r.enable()
	r.follow(at, 10*r.Period, nil)
	for range 2 {
		require.NoError(r.t, r.Arm.Halt(), "idempotent")
		_, err = r.Arm.Write(r.Now(), r.command(at, &s))
		require.ErrorIs(r.t, err, twinrig.ErrHalted, "after Halt")
	}
	r.Advance(r.Period)
	r.read() // a halted arm can still be read

	s = r.enable()
	at = hold(&s)
	s = r.follow(at, 10*r.Period, nil)
	r.requireAt(at.Joints, &s)
}

func haltComesFromAnywhere(r *rig) {
	s := r.enable()
	at := hold(&s)
	halted := make(chan error, 3)
	for i := range 100_000 {
		if i == 10 { // the loop is running
			for range cap(halted) {
				go func() { halted <- r.Arm.Halt() }()
			}
		}
		s = r.read()
		if _, err := r.Arm.Write(r.Now(), r.command(at, &s)); err != nil {
			require.ErrorIs(r.t, err, twinrig.ErrHalted)
			break
		}
		r.Advance(r.Period)
	}
	for range cap(halted) {
		require.NoError(r.t, <-halted)
	}
	_, err := r.Arm.Write(r.Now(), r.command(at, &s))
	require.ErrorIs(r.t, err, twinrig.ErrHalted)
}
