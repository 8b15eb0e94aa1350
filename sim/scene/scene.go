package scene

import "math"

// Role is what an object is in the task.
type Role string

// The roles: exactly one source and one target, any number of distractors.
const (
	Source     Role = "source"
	Target     Role = "target"
	Distractor Role = "distractor"
)

// Relation is what the task wants of source and target.
type Relation string

// The relations.
const (
	On Relation = "on"
	In Relation = "in"
)

// Shape names a shape. What Size means depends on it.
type Shape string

// The shapes. Box and Napkin have three sizes (x, y, z); Cylinder, Bowl and
// Plate have two (outer diameter, height); Sphere has one (diameter). A bowl is
// a ring of wall boxes on a floor, a plate the same with a low rim.
const (
	Box      Shape = "box"
	Cylinder Shape = "cylinder"
	Sphere   Shape = "sphere"
	Bowl     Shape = "bowl"
	Plate    Shape = "plate"
	Napkin   Shape = "napkin"
)

// Range is a closed interval: lower, upper.
type Range [2]float64

// Contains tells whether v lies in the range. NaN does not.
func (r Range) Contains(v float64) bool { return v >= r[0] && v <= r[1] }

// Object is one thing on the table.
type Object struct {
	// Name is unique in the scene and names the object's body in the simulator.
	Name  string `yaml:"name"`
	Role  Role   `yaml:"role"`
	Shape Shape  `yaml:"shape"`
	// Size is the full size in m; see Shape.
	Size []float64 `yaml:"size_m,flow"`
	// Mass is in kg, Friction the sliding friction coefficient.
	Mass     float64    `yaml:"mass_kg"`
	Friction float64    `yaml:"friction"`
	RGBA     [4]float64 `yaml:"rgba,flow"`
	// X, Y and Yaw are where Place may put the object's centre.
	X   Range `yaml:"x_m,flow"`
	Y   Range `yaml:"y_m,flow"`
	Yaw Range `yaml:"yaw_rad,flow"`
}

// Scene is a task on a table: what is there, and what shall become of it.
type Scene struct {
	Name        string   `yaml:"name"`
	Instruction string   `yaml:"instruction"`
	Relation    Relation `yaml:"relation"`
	// Reach is the annulus about the base's z axis, in m, in which the gripper
	// can take an object from above.
	Reach Range `yaml:"reach_m,flow"`
	// Clearance is the smallest distance in m between the outlines of two
	// placed objects.
	Clearance float64 `yaml:"clearance_m"`
	// GraspClearance is the same between the source and any other, if that is
	// more: the open fingers must fit between.
	GraspClearance float64  `yaml:"grasp_clearance_m,omitempty"`
	Objects        []Object `yaml:"objects"`
}

// Source is the object that the task moves. The scene must be valid.
func (s *Scene) Source() *Object { return s.byRole(Source) }

// Target is the object that the source shall end on or in. The scene must be
// valid.
func (s *Scene) Target() *Object { return s.byRole(Target) }

func (s *Scene) byRole(r Role) *Object {
	for i := range s.Objects {
		if s.Objects[i].Role == r {
			return &s.Objects[i]
		}
	}
	return nil
}

// Extent is the full size in m of the object's bounding box in its own frame.
func (o *Object) Extent() [3]float64 {
	switch o.Shape {
	case Box, Napkin:
		return [3]float64{o.Size[0], o.Size[1], o.Size[2]}
	case Sphere:
		return [3]float64{o.Size[0], o.Size[0], o.Size[0]}
	default:
		return [3]float64{o.Size[0], o.Size[0], o.Size[1]}
	}
}

// Radius is the radius in m of the circle about the object's outline.
func (o *Object) Radius() float64 {
	if e := o.Extent(); o.Shape == Box || o.Shape == Napkin {
		return math.Hypot(e[0], e[1]) / 2
	}
	return o.Size[0] / 2
}

// GraspWidth is the opening in m at which the fingers touch the object on both
// sides when they close about its narrower side from above.
func (o *Object) GraspWidth() float64 {
	e := o.Extent()
	return math.Min(e[0], e[1])
}
