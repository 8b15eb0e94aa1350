package sim

import (
	"fmt"
	"time"

	"twinrig"
	"twinrig/sim/mujoco"
)

// World is a running simulation of a Spec. It belongs to one goroutine at a
// time.
type World struct {
	spec  Spec
	model *mujoco.Model
	data  *mujoco.Data
	kin   *Kinematics

	joints  [twinrig.NumJoints]mujoco.JointAddress
	fingers [2]mujoco.JointAddress // left, right
	bodies  map[string]body
	touch   touch
	start   Snapshot
	time    time.Duration
}

// body is where an object's state lies; a fixed body has none.
type body struct {
	mujoco.JointAddress
	free bool
	pose twinrig.Pose // of a fixed body
}

// NewWorld builds the world of a spec, the arm standing still in its home pose
// with the gripper open. Close it after use.
func NewWorld(spec Spec) (*World, error) {
	xml, err := MJCF(spec)
	if err != nil {
		return nil, err
	}
	w := &World{spec: spec, kin: NewKinematics(), bodies: map[string]body{}}
	if w.model, err = mujoco.Load(xml); err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	if err := w.init(); err != nil {
		w.Close()
		return nil, fmt.Errorf("sim: %w", err)
	}
	return w, nil
}

// init finds everything by name and settles the start state.
func (w *World) init() (err error) {
	if w.data, err = mujoco.NewData(w.model); err != nil {
		return err
	}
	for i := range w.joints {
		if w.joints[i], err = w.model.Joint(twinrig.AxisNames[i]); err != nil {
			return err
		}
	}
	for i, name := range [2]string{LeftFingerName, RightFingerName} {
		if w.fingers[i], err = w.model.Joint(name); err != nil {
			return err
		}
	}
	for _, b := range w.spec.Bodies {
		x := body{pose: b.Pose, free: b.Free}
		if b.Free {
			if x.JointAddress, err = w.model.Joint(objectPrefix + b.Name); err != nil {
				return err
			}
		}
		w.bodies[b.Name] = x
	}
	w.initTouch()
	w.SetArm(twinrig.HomePose, twinrig.FingerOpen)
	if err := w.data.Forward(); err != nil {
		return err
	}
	return w.Snapshot(&w.start)
}

// Close frees the world.
func (w *World) Close() {
	if w.data != nil {
		w.data.Close()
	}
	w.model.Close()
}

// Spec returns what the world was built from. It must not be changed.
func (w *World) Spec() Spec { return w.spec }

// Timestep is the physics step.
func (w *World) Timestep() time.Duration { return w.spec.Params.Timestep }

// Time is the simulated time since Reset.
func (w *World) Time() time.Duration { return w.time }

// Reset goes back to the start: time 0, everything where NewWorld put it.
func (w *World) Reset() error {
	if err := w.data.Reset(); err != nil {
		return fmt.Errorf("sim: %w", err)
	}
	return w.Restore(&w.start)
}

// Step advances by one timestep with the given torques in Nm at the joints, as
// the motors supply them, and a force in N on each finger, positive opening.
// After an error the world must be Reset.
func (w *World) Step(effort twinrig.Joints, fingerForce float64) error {
	if !effort.Finite() || !finite(fingerForce) {
		return fmt.Errorf("sim: step: effort %v Nm, finger force %v N: not finite", effort, fingerForce)
	}
	f := w.data.QfrcApplied()
	for i, j := range w.joints {
		f[j.DOF] = effort[i]
	}
	f[w.fingers[0].DOF], f[w.fingers[1].DOF] = fingerForce, -fingerForce
	w.touch.fresh = false
	if err := w.data.Step(1); err != nil {
		return fmt.Errorf("sim: at %v: %w", w.Time(), err)
	}
	w.time += w.Timestep()
	return nil
}

// SetArm puts the arm and the fingers somewhere, at rest. finger is one
// finger's position in m, FingerClosed to FingerOpen.
func (w *World) SetArm(q twinrig.Joints, finger float64) {
	pos, vel := w.data.QPos(), w.data.QVel()
	for i, j := range w.joints {
		pos[j.QPos], vel[j.DOF] = q[i], 0
	}
	for i, j := range w.fingers {
		pos[j.QPos], vel[j.DOF] = finger*float64(1-2*i), 0
	}
}

// Arm returns the joints in rad and rad/s, and one finger's position and
// velocity in m and m/s, positive opening.
func (w *World) Arm() (q, dq twinrig.Joints, finger, fingerVel float64) {
	pos, vel := w.data.QPos(), w.data.QVel()
	for i, j := range w.joints {
		q[i], dq[i] = pos[j.QPos], vel[j.DOF]
	}
	left, right := w.fingers[0], w.fingers[1]
	return q, dq, (pos[left.QPos] - pos[right.QPos]) / 2, (vel[left.DOF] - vel[right.DOF]) / 2
}

// jam is the friction, in Nm or N, that no servo overcomes.
const jam = 200

// Jam blocks an axis (an index into twinrig.AxisNames), or frees it.
func (w *World) Jam(axis int, jammed bool) {
	friction := w.model.DOFFriction()
	set := func(dof int, free float64) {
		if jammed {
			free = jam
		}
		friction[dof] = free
	}
	if axis == twinrig.GripAxis {
		for _, f := range w.fingers {
			set(f.DOF, w.spec.Params.FingerFriction)
		}
		return
	}
	set(w.joints[axis].DOF, w.spec.Params.Friction[axis])
}

// EE is xBE, the pose of the pinch point.
func (w *World) EE() twinrig.Pose {
	q, _, _, _ := w.Arm()
	return w.kin.Forward(q)
}

func (w *World) body(name string) (body, error) {
	b, ok := w.bodies[name]
	if !ok {
		return b, fmt.Errorf("sim: the world has no body named %q", name)
	}
	return b, nil
}

// SetBody puts a free body somewhere in B, at rest.
func (w *World) SetBody(name string, xBO twinrig.Pose) error {
	b, err := w.body(name)
	switch {
	case err != nil:
		return err
	case !b.free:
		return fmt.Errorf("sim: body %s is fixed to the table", name)
	case !validPose(xBO):
		return fmt.Errorf("sim: body %s: no pose: %v", name, xBO)
	}
	r := xBO.R.Normalized()
	copy(w.data.QPos()[b.QPos:], []float64{xBO.P[0], xBO.P[1], xBO.P[2], r[0], r[1], r[2], r[3]})
	clear(w.data.QVel()[b.DOF : b.DOF+6])
	return nil
}

// BodyPose is xBO, where a body is now.
func (w *World) BodyPose(name string) (twinrig.Pose, error) {
	b, err := w.body(name)
	if err != nil || !b.free {
		return b.pose, err
	}
	p := w.data.QPos()[b.QPos:]
	return twinrig.Pose{R: twinrig.Quat(p[3:7]).Normalized(), P: twinrig.Vec3(p[:3])}, nil
}

// BodySpeed is how fast a body moves: m/s of its origin, and rad/s.
func (w *World) BodySpeed(name string) (linear, angular float64, err error) {
	b, err := w.body(name)
	if err != nil || !b.free {
		return 0, 0, err
	}
	v := w.data.QVel()[b.DOF:]
	return twinrig.Vec3(v[:3]).Norm(), twinrig.Vec3(v[3:6]).Norm(), nil
}
