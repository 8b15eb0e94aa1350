package mujoco

// #include <stdlib.h>
// #include "shim.h"
import "C"

import (
	"fmt"
	"time"
	"unsafe"
)

// Kind is a kind of named object in a model.
type Kind int

// The kinds that can be looked up.
const (
	Body   Kind = C.mjOBJ_BODY
	Joint  Kind = C.mjOBJ_JOINT
	Geom   Kind = C.mjOBJ_GEOM
	Site   Kind = C.mjOBJ_SITE
	Camera Kind = C.mjOBJ_CAMERA
)

var kindNames = map[Kind]string{Body: "body", Joint: "joint", Geom: "geom", Site: "site", Camera: "camera"}

// String returns the word used in error messages.
func (k Kind) String() string { return kindNames[k] }

// Model is a compiled model. It is constant: goroutines may share it.
type Model struct {
	m *C.mjModel
	// GeomBody is the body id of each geom.
	GeomBody []int
}

// Load compiles MJCF text. It opens the library when that has not been done.
func Load(xml []byte) (*Model, error) {
	if err := Open(); err != nil {
		return nil, err
	}
	text := C.CString(string(xml))
	defer C.free(unsafe.Pointer(text))
	msg := newMessage()
	defer msg.free()
	m := C.tr_load(text, msg.c)
	if m == nil {
		return nil, fmt.Errorf("mujoco: model: %s", msg)
	}
	model := &Model{m: m, GeomBody: make([]int, m.ngeom)}
	for i, b := range unsafe.Slice(m.geom_bodyid, m.ngeom) {
		model.GeomBody[i] = int(b)
	}
	return model, nil
}

// Close frees the model. Its Data and Renderers must be closed before.
func (m *Model) Close() {
	if m.m != nil {
		C.tr_delete_model(m.m)
		m.m = nil
	}
}

// ID returns the index of a named object.
func (m *Model) ID(k Kind, name string) (int, error) {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	id := C.tr_name2id(m.m, C.int(k), c)
	if id < 0 {
		return 0, fmt.Errorf("mujoco: the model has no %s named %q", k, name)
	}
	return int(id), nil
}

// Name returns an object's name, "" when it has none or does not exist.
func (m *Model) Name(k Kind, id int) string {
	if s := C.tr_id2name(m.m, C.int(k), C.int(id)); s != nil {
		return C.GoString(s)
	}
	return ""
}

// JointAddress is where a joint lies in QPos (QPos) and QVel (DOF).
type JointAddress struct{ QPos, DOF int }

// Joint returns a named joint's addresses.
func (m *Model) Joint(name string) (JointAddress, error) {
	id, err := m.ID(Joint, name)
	if err != nil {
		return JointAddress{}, err
	}
	return JointAddress{
		QPos: int(unsafe.Slice(m.m.jnt_qposadr, m.m.njnt)[id]),
		DOF:  int(unsafe.Slice(m.m.jnt_dofadr, m.m.njnt)[id]),
	}, nil
}

// NQ is the length of QPos, NV that of QVel.
func (m *Model) NQ() int { return int(m.m.nq) }

// NV is the number of degrees of freedom.
func (m *Model) NV() int { return int(m.m.nv) }

// DOFFriction is each degree of freedom's friction loss, Nm or N: a view that may
// be written to between steps.
func (m *Model) DOFFriction() []float64 {
	return unsafe.Slice((*float64)(m.m.dof_frictionloss), m.NV())
}

// StateSize is the length of the slice that Data.State fills.
func (m *Model) StateSize() int { return int(C.tr_state_size(m.m)) }

// Timestep is the model's step.
func (m *Model) Timestep() time.Duration {
	return time.Duration(float64(m.m.opt.timestep)*float64(time.Second) + 0.5)
}
