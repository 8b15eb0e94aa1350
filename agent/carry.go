package agent

import (
	"context"
	"errors"
	"fmt"
	"math"

	"twinrig"
)

// ErrCarry is returned when a joint does not bear the weight that the model has.
var ErrCarry = errors.New("arm is not the model's")

// Carry is the torque, Nm per joint, that held the arm up at the home pose: as
// measured, and the model's. Friction is against the motion and cancels in the mean
// of both ways.
type Carry struct{ Measured, Model twinrig.Joints }

// carriers are the joints that lift at the home pose. The axes of the others are
// upright there, or go through the weight: it tells nothing of their signs.
var carriers = []int{twinrig.Shoulder, twinrig.Elbow, twinrig.WristAngle}

const (
	// carrySweep is how far, rad, the carriers go to either side.
	carrySweep = 0.08
	// carryNear is how near, rad, a joint must get to where it is weighed: nothing
	// else is known to hold it there.
	carryNear = 0.1
	// carryShare is the least part of the model's weight that must be borne, and
	// carryExcess, Nm, by how much it may be missed: a gripper of another make,
	// a hose, torque constants that are not measured yet.
	carryShare  = 0.3
	carryExcess = 1.5
)

// carrySpeed is slow enough that weight and friction are all there is.
var carrySpeed = Speed{Velocity: 0.15, Acceleration: 1, Jerk: 20}

// Weigh moves to the home pose, with the gripper open, sweeps the joints that carry
// weight to either side, and returns what they bore. At home all joints are at zero,
// so that a joint whose sign is wrong gets there too, but its weight is on the other
// side. Afterwards the arm holds at home.
func (r *Runner) Weigh(ctx context.Context) (Carry, error) {
	if err := r.MoveTo(ctx, twinrig.HomePose, 1, carryNear); err != nil {
		return Carry{}, fmt.Errorf("weigh at home: %w", err)
	}
	var sum [2]twinrig.Joints // upwards and downwards
	var n [2]float64
	for _, side := range []float64{1, -1, 0} {
		q := twinrig.HomePose
		for _, i := range carriers {
			q[i] += side * carrySweep
		}
		arrived := Arrived(q, carryNear)
		end, err := r.Run(ctx, NewMove(q, 1, carrySpeed), func(rep *twinrig.Report) bool {
			if v := rep.Asked.Velocity[carriers[0]]; v != 0 {
				way := 0
				if v < 0 {
					way = 1
				}
				sum[way] = sum[way].Add(rep.State.Effort)
				n[way]++
			}
			return arrived(rep)
		}, moveLimit(carrySpeed))
		if err != nil {
			return Carry{}, err
		}
		if end != EndDone {
			return Carry{}, fmt.Errorf("agent: weigh: %w", ErrNotThere)
		}
	}
	if n[0] == 0 || n[1] == 0 {
		return Carry{}, errors.New("agent: weigh: nothing was read while the arm moved")
	}
	c := Carry{Measured: sum[0].Scale(0.5 / n[0]).Add(sum[1].Scale(0.5 / n[1]))}
	err := r.do(ctx, func(l *Loop) error {
		c.Model = l.deps.Gravity.Gravity(twinrig.HomePose)
		return nil
	})
	return c, err
}

// Check names the first joint that bears its weight the wrong way round, or too
// little or too much of it. It says nothing about joints that carry none.
func (c *Carry) Check() error {
	for _, i := range carriers {
		got, want := c.Measured[i], c.Model[i]
		name := twinrig.AxisNames[i]
		switch {
		case !(got*want >= carryShare*want*want): // also what is not a number
			return fmt.Errorf("agent: %w: %s bears %+.2f Nm where the model has %+.2f: is its sign, zero or torque constant wrong, or does something hold the arm?",
				ErrCarry, name, got, want)
		case math.Abs(got-want) > carryExcess:
			return fmt.Errorf("agent: %w: %s bears %+.2f Nm where the model has %+.2f, limit %.1f Nm off: does it carry or touch something?",
				ErrCarry, name, got, want, carryExcess)
		}
	}
	return nil
}
