package sim

import (
	"errors"
	"fmt"

	"twinrig"
	"twinrig/sim/mujoco"
)

// Clearance tells whether the arm can stand in a pose without being in the table
// or in itself, from the model's shapes. It belongs to one goroutine at a time.
type Clearance struct {
	world    *World
	depth    float64
	contacts []mujoco.Contact
}

// ErrContact is wrapped by what Clear returns.
var ErrContact = errors.New("the arm would be in contact")

// NewClearance makes a Clearance of the arm over its table, which overlooks
// overlaps of up to depth in m: what the shapes are simplified by, and what a
// calibration may be off. Close it after use.
func NewClearance(p Params, depth float64) (*Clearance, error) {
	w, err := NewWorld(Spec{Params: p, SelfContact: true})
	if err != nil {
		return nil, err
	}
	return &Clearance{world: w, depth: depth}, nil
}

// Close frees the model.
func (c *Clearance) Close() { c.world.Close() }

// Clear returns nil if joints q in rad and grip are clear, or an ErrContact that
// names the two bodies that overlap most and by how much.
func (c *Clearance) Clear(q twinrig.Joints, grip twinrig.Grip) error {
	w := c.world
	w.SetArm(q, grip.Finger())
	if err := w.data.Forward(); err != nil {
		return fmt.Errorf("sim: clearance: %w", err)
	}
	c.contacts = w.data.Contacts(c.contacts)
	worst, deepest := -1, c.depth
	for i := range c.contacts {
		if d := -c.contacts[i].Dist; d > deepest && !c.fingers(&c.contacts[i]) {
			worst, deepest = i, d
		}
	}
	if worst < 0 {
		return nil
	}
	g := c.contacts[worst].Geom
	return fmt.Errorf("%w: %s would be %.0f mm in %s", ErrContact, c.body(g[0]), 1000*deepest, c.body(g[1]))
}

// fingers tells whether a contact is the fingers' with each other: they are made
// to meet.
func (c *Clearance) fingers(k *mujoco.Contact) bool {
	a, b := c.body(k.Geom[0]), c.body(k.Geom[1])
	return a == LeftFingerName && b == RightFingerName || a == RightFingerName && b == LeftFingerName
}

func (c *Clearance) body(geom int) string {
	name := c.world.model.Name(mujoco.Body, c.world.model.GeomBody[geom])
	if name == "world" {
		return "floor"
	}
	return name
}
