package sim

import (
	"math"
	"slices"
	"strings"

	"twinrig/sim/mujoco"
)

// touch answers who touches whom, from the contacts of the last step.
type touch struct {
	names    []string
	geoms    [][]bool // geoms[n][g]: geom g belongs to names[n]
	contacts []mujoco.Contact
	fresh    bool
}

// initTouch sorts the model's geoms under the names of ContactForce.
func (w *World) initTouch() {
	t := &w.touch
	member := func(name string, geom int) {
		n := slices.Index(t.names, name)
		if n < 0 {
			n = len(t.names)
			t.names = append(t.names, name)
			t.geoms = append(t.geoms, make([]bool, len(w.model.GeomBody)))
		}
		t.geoms[n][geom] = true
	}
	for g, b := range w.model.GeomBody {
		name := w.model.Name(mujoco.Body, b)
		object, isObject := strings.CutPrefix(name, objectPrefix)
		switch {
		case isObject:
			member(object, g)
		case name == TableName:
			member(name, g)
		case name == LeftFingerName || name == RightFingerName:
			member(name, g)
			member(RobotName, g)
		case b != 0: // the world itself is the floor
			member(RobotName, g)
		}
	}
}

// ContactForce is the sum of the normal forces in N between two bodies, as of
// the last Step. TableName, RobotName, LeftFingerName and RightFingerName are
// names too. It is NaN for a name that the world does not have.
func (w *World) ContactForce(a, b string) float64 {
	t := &w.touch
	i, j := slices.Index(t.names, a), slices.Index(t.names, b)
	if i < 0 || j < 0 {
		return math.NaN()
	}
	if !t.fresh {
		t.contacts = w.data.Contacts(t.contacts)
		t.fresh = true
	}
	sum := 0.0
	for k := range t.contacts {
		c := &t.contacts[k]
		g, h := c.Geom[0], c.Geom[1]
		if t.geoms[i][g] && t.geoms[j][h] || t.geoms[i][h] && t.geoms[j][g] {
			sum += c.Force
		}
	}
	return sum
}
