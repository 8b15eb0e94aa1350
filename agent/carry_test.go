package agent

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
)

// weight is what the joints bear on the test's arm, the same everywhere.
var weight = twinrig.Joints{0, -1.88, -1.47, 0.01, -0.19, 0}

type weightBench struct{ bench }

func (weightBench) Gravity(twinrig.Joints) twinrig.Joints { return weight }

// weighed is what a sweep finds on an arm whose joints bear load, and rub.
func weighed(t *testing.T, live bool, load twinrig.Joints) Carry {
	arm := newArm(twinrig.ModePosition)
	var last twinrig.Joints
	arm.spoil = func(_ int, s *twinrig.State) error {
		for i, d := range s.Measured.Sub(last) {
			s.Effort[i] = load[i]
			if d != 0 {
				s.Effort[i] += math.Copysign(0.3+0.01*float64(i), d)
			}
		}
		last = s.Measured
		return nil
	}
	r := newRunner(t, arm, live)
	r.loop.deps.Gravity = weightBench{}
	c, err := r.Weigh(context.Background())
	require.NoError(t, err)
	return c
}

func TestWeigh(t *testing.T) {
	both(t, func(t *testing.T, live bool) {
		c := weighed(t, live, weight)
		require.Equal(t, weight, c.Model)
		tol := 0.01 // the first ticks of a move stand yet
		if live {
			tol = 0.1 // ticks are missed on a busy machine
		}
		require.InDeltaSlice(t, weight[:], c.Measured[:], tol)
	})
}

func TestCarryCheck(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*twinrig.Joints)
		says   string
	}{
		"as it should be": {func(*twinrig.Joints) {}, ""},
		"loose gear":      {func(q *twinrig.Joints) { q[twinrig.Shoulder] *= 0.8 }, ""},
		"shoulder turned": {func(q *twinrig.Joints) { q[twinrig.Shoulder] *= -1 }, "shoulder bears +1.88 Nm where the model has -1.88: is its sign"},
		"elbow turned":    {func(q *twinrig.Joints) { q[twinrig.Elbow] *= -1 }, "elbow bears +1.47 Nm where the model has -1.47: is its sign"},
		"wrist turned":    {func(q *twinrig.Joints) { q[twinrig.WristAngle] *= -1 }, "wrist_angle bears +0.19 Nm where the model has -0.19: is its sign"},
		"held up":         {func(q *twinrig.Joints) { q[twinrig.Elbow] = -0.2 }, "elbow bears -0.20 Nm"},
		"heavy hand":      {func(q *twinrig.Joints) { q[twinrig.Shoulder] -= 1.7 }, "shoulder bears -3.58 Nm where the model has -1.88, limit 1.5 Nm off"},
		"no number":       {func(q *twinrig.Joints) { q[twinrig.Elbow] = math.NaN() }, "elbow bears +NaN Nm"},
		"turned waist":    {func(q *twinrig.Joints) { q[twinrig.Waist] = 0.3 }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := Carry{Measured: weight, Model: weight}
			tc.change(&c.Measured)
			err := c.Check()
			if tc.says == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, ErrCarry)
			require.ErrorContains(t, err, tc.says)
		})
	}
}
