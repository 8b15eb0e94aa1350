package main

import (
	"context"
	"fmt"
	"math"
	"strings"

	"twinrig"
	"twinrig/cmd/twinrig/doctor"
	"twinrig/policy"
	"twinrig/policy/remote"
	"twinrig/sim"
)

// probeTolerance is how exactly a probe must turn what it names and nothing else, in
// m and rad: what the inverse kinematics leaves.
const probeTolerance = 1e-6

// probes asks for each of the six motions alone, and follows them as far as the pose
// that the arm would be sent to: a swapped axis, a wrong sign, unit or order of
// rotations shows here.
func (e *examiner) probes(ctx context.Context) error {
	if e.policy.Contract().ProbeKey == "" {
		e.add("probes", doctor.OK, "", "the server cannot be asked for known actions; what dx, roll and the others mean is its word")
		return nil
	}
	start, names := testSight(), e.policy.Spec().Space.Names()
	for axis := range twinrig.GripAxis {
		name := names[axis]
		within, cancel := context.WithTimeout(ctx, e.cfg.Policy.Timeout)
		chunk, err := e.policy.Probe(within, &start.observation, name)
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			_, err = policy.Check(chunk, e.policy.Spec(), &e.cfg.Policy)
		}
		if err == nil {
			err = e.follow(axis, chunk[0], &start)
		}
		if err != nil {
			e.add("probes", doctor.Fail, "correct the server, or the contract's space", "%s alone: %v", name, err)
			return nil
		}
	}
	e.add("probes", doctor.OK, "", "%s each move what they name and nothing else, to %g m and rad", strings.Join(names[:twinrig.GripAxis], ", "), probeTolerance)
	return nil
}

// follow composes a probe from the start pose and looks at how the goal's pose
// differs.
func (e *examiner) follow(axis int, a twinrig.Action, start *sight) error {
	kin := sim.NewKinematics()
	from := kin.Forward(start.observation.State.Measured)
	c := e.composer(start)
	goal, err := c.Compose(a)
	if err != nil {
		return err
	}
	to := kin.Forward(goal.Joints)
	moved := policy.ActionBetween(from, to, 0)
	if e.policy.Spec().Space == policy.JointDelta {
		d := goal.Joints.Sub(start.observation.State.Measured)
		copy(moved[:], d[:])
	}
	names := e.policy.Spec().Space.Names()
	for k, v := range moved[:twinrig.GripAxis] {
		want := 0.0
		if k == axis {
			want = remote.ProbeStep
		}
		if math.Abs(v-want) > probeTolerance {
			return fmt.Errorf("%s changes by %.6f, not %.6f", names[k], v, want)
		}
	}
	return nil
}
