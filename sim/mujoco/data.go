package mujoco

/*
#include "shim.h"
#cgo noescape tr_step
#cgo nocallback tr_step
#cgo noescape tr_get_state
#cgo nocallback tr_get_state
#cgo noescape tr_set_state
#cgo nocallback tr_set_state
#cgo noescape tr_jac_site
#cgo nocallback tr_jac_site
#cgo noescape tr_contacts
#cgo nocallback tr_contacts
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// ErrUnstable is in the chain of Step's error when MuJoCo warned: a position,
// velocity or acceleration was not finite or too large (then MuJoCo has put
// the data back to its start), or contacts did not fit. Reset makes the Data
// usable again.
var ErrUnstable = errors.New("unstable simulation")

// Data is everything that changes while a model runs. It belongs to one
// goroutine at a time.
type Data struct {
	model *Model
	t     *C.tr_data
	dead  error // set when MuJoCo raised an error in this data

	qpos, qvel, applied, bias []float64
	bodyPos, bodyQuat         []float64
	sitePos, siteMat          []float64
	contacts                  []C.tr_contact
}

// NewData allocates data in the model's start configuration. Close it before
// the model.
func NewData(m *Model) (*Data, error) {
	msg := newMessage()
	defer msg.free()
	t := C.tr_new_data(m.m, msg.c)
	if t == nil {
		return nil, fmt.Errorf("mujoco: data: %s", msg)
	}
	d, nq, nv := t.d, int(m.m.nq), int(m.m.nv)
	return &Data{
		model:    m,
		t:        t,
		qpos:     view(d.qpos, nq),
		qvel:     view(d.qvel, nv),
		applied:  view(d.qfrc_applied, nv),
		bias:     view(d.qfrc_bias, nv),
		bodyPos:  view(d.xpos, 3*int(m.m.nbody)),
		bodyQuat: view(d.xquat, 4*int(m.m.nbody)),
		sitePos:  view(d.site_xpos, 3*int(m.m.nsite)),
		siteMat:  view(d.site_xmat, 9*int(m.m.nsite)),
		contacts: make([]C.tr_contact, 64),
	}, nil
}

// view is a Go slice over C memory, nil when there is none.
func view(p *C.mjtNum, n int) []float64 {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*float64)(unsafe.Pointer(p)), n)
}

// Close frees the data.
func (d *Data) Close() {
	if d.t != nil {
		C.tr_free_data(d.t)
		*d = Data{dead: errors.New("mujoco: data is closed")}
	}
}

// check turns a code of the C side into an error, and remembers a fatal one.
func (d *Data) check(what string, code C.int) error {
	switch code {
	case C.TR_OK:
		return nil
	case C.TR_WARNING:
		return fmt.Errorf("mujoco: %s: %w: %s", what, ErrUnstable, clean(C.GoString(&d.t.err[0])))
	}
	d.dead = fmt.Errorf("mujoco: %s: %s", what, clean(C.GoString(&d.t.err[0])))
	return d.dead
}

// Step advances by n timesteps. It stops at the first step that MuJoCo warns
// about and returns ErrUnstable in the error's chain.
func (d *Data) Step(n int) error {
	if d.dead != nil {
		return d.dead
	}
	return d.check("step", C.tr_step(d.t, C.int(n)))
}

// Forward computes everything that follows from positions, velocities and
// forces, without advancing.
func (d *Data) Forward() error {
	if d.dead != nil {
		return d.dead
	}
	return d.check("forward", C.tr_forward(d.t))
}

// Kinematics computes the poses of bodies, sites, cameras and lights only.
func (d *Data) Kinematics() error {
	if d.dead != nil {
		return d.dead
	}
	return d.check("kinematics", C.tr_kinematics(d.t))
}

// Reset goes back to the model's start configuration, time 0.
func (d *Data) Reset() error {
	if d.dead != nil {
		return d.dead
	}
	return d.check("reset", C.tr_reset(d.t))
}

// CopyFrom makes d equal to src, which must be of the same model.
func (d *Data) CopyFrom(src *Data) error {
	switch {
	case d.dead != nil:
		return d.dead
	case src.dead != nil:
		return src.dead
	case d.model != src.model:
		return errors.New("mujoco: copy: data of another model")
	}
	return d.check("copy", C.tr_copy(d.t, src.t))
}

// Time is the simulated time in seconds.
func (d *Data) Time() float64 { return float64(d.t.d.time) }

// QPos is the positions: a view of MuJoCo's own memory, valid until Close.
func (d *Data) QPos() []float64 { return d.qpos }

// QVel is the velocities, a view like QPos.
func (d *Data) QVel() []float64 { return d.qvel }

// QfrcApplied is the applied generalised forces, a view like QPos.
func (d *Data) QfrcApplied() []float64 { return d.applied }

// QfrcBias is the Coriolis, centrifugal and gravity forces of the last Forward
// or Step, a view like QPos.
func (d *Data) QfrcBias() []float64 { return d.bias }

// BodyPose returns a body's position and orientation in the world, as of the
// last Forward or Kinematics. After Step it is one step old.
func (d *Data) BodyPose(id int) (pos [3]float64, quat [4]float64) {
	return [3]float64(d.bodyPos[3*id:]), [4]float64(d.bodyQuat[4*id:])
}

// SitePose returns a site's position and rotation matrix in the world, as
// current as BodyPose.
func (d *Data) SitePose(id int) (pos [3]float64, mat [9]float64) {
	return [3]float64(d.sitePos[3*id:]), [9]float64(d.siteMat[9*id:])
}

// JacSite fills the 3 x NV Jacobians of a site's position and rotation, row
// after row, as current as BodyPose.
func (d *Data) JacSite(id int, jacp, jacr []float64) error {
	if n := 3 * d.model.NV(); len(jacp) != n || len(jacr) != n {
		return fmt.Errorf("mujoco: jacobian: slices of %d and %d values, want %d", len(jacp), len(jacr), n)
	}
	if d.dead != nil {
		return d.dead
	}
	C.tr_jac_site(d.t, (*C.double)(&jacp[0]), (*C.double)(&jacr[0]), C.int(id))
	return nil
}

// State copies everything the future depends on into dst, which must have
// StateSize elements.
func (d *Data) State(dst []float64) error {
	if err := d.checkState(dst); err != nil {
		return err
	}
	C.tr_get_state(d.t, (*C.double)(&dst[0]))
	return nil
}

// SetState is the inverse of State. What is derived from the state is stale
// until Forward, Kinematics or Step.
func (d *Data) SetState(src []float64) error {
	if err := d.checkState(src); err != nil {
		return err
	}
	C.tr_set_state(d.t, (*C.double)(&src[0]))
	return nil
}

func (d *Data) checkState(s []float64) error {
	if d.dead != nil {
		return d.dead
	}
	if n := d.model.StateSize(); len(s) != n {
		return fmt.Errorf("mujoco: state of %d values, want %d", len(s), n)
	}
	return nil
}

// Contact is one contact point between two geoms.
type Contact struct {
	Geom [2]int
	// Dist is the gap in m, negative where they overlap.
	Dist float64
	// Pos is in the world; Normal points from the first geom to the second.
	Pos, Normal [3]float64
	// Force is the normal force in N.
	Force float64
}

// Contacts appends the contacts of the last Forward or Step to dst[:0].
func (d *Data) Contacts(dst []Contact) []Contact {
	dst = dst[:0]
	if d.dead != nil {
		return dst
	}
	n := int(C.tr_contacts(d.t, &d.contacts[0], C.int(len(d.contacts))))
	if n > len(d.contacts) {
		d.contacts = make([]C.tr_contact, 2*n)
		n = int(C.tr_contacts(d.t, &d.contacts[0], C.int(len(d.contacts))))
	}
	for i := range d.contacts[:n] {
		c := &d.contacts[i]
		dst = append(dst, Contact{
			Geom:   [2]int{int(c.geom[0]), int(c.geom[1])},
			Dist:   float64(c.dist),
			Pos:    [3]float64{float64(c.pos[0]), float64(c.pos[1]), float64(c.pos[2])},
			Normal: [3]float64{float64(c.normal[0]), float64(c.normal[1]), float64(c.normal[2])},
			Force:  float64(c.force),
		})
	}
	return dst
}
