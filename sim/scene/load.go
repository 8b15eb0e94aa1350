package scene

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"go.yaml.in/yaml/v3"
)

// Load reads one scene from a yaml file. An unknown key, a value outside its
// limits, or a second document is an error that names the file.
func Load(path string) (Scene, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Scene{}, fmt.Errorf("scene: %w", err)
	}
	s, err := Parse(text)
	if err != nil {
		return Scene{}, fmt.Errorf("scene: %s: %w", path, err)
	}
	return s, nil
}

// Parse reads one scene from yaml text, as strictly as Load.
func Parse(text []byte) (Scene, error) {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	var s Scene
	if err := dec.Decode(&s); err != nil {
		if errors.Is(err, io.EOF) {
			return Scene{}, errors.New("the file is empty")
		}
		return Scene{}, err
	}
	if err := dec.Decode(new(Scene)); !errors.Is(err, io.EOF) {
		return Scene{}, errors.New("more than one yaml document")
	}
	return s, s.Validate()
}

// Limits of a scene file.
var (
	sizeLimits      = Range{0.002, 0.4}
	massLimits      = Range{0.001, 2}
	frictionLimits  = Range{0.05, 3}
	positionLimits  = Range{-0.7, 0.7}
	yawLimits       = Range{-2 * math.Pi, 2 * math.Pi}
	clearanceLimits = Range{0, 0.2}
)

// minInnerRadius is the narrowest hollow in m: a toy teacup's.
const minInnerRadius = 0.012

// MaxGraspWidth is the widest source in m: the fingers open to 52 mm, less
// 3 mm on each side.
const MaxGraspWidth = 0.046

// Validate names the first key whose value is impossible, and its limit.
func (s *Scene) Validate() error {
	if s.Name == "" {
		return errors.New("name: must not be empty")
	}
	if s.Instruction == "" {
		return errors.New("instruction: must not be empty")
	}
	if s.Relation != On && s.Relation != In {
		return fmt.Errorf("relation: %q is neither on nor in", s.Relation)
	}
	if !(s.Reach[0] > 0 && s.Reach[0] < s.Reach[1] && s.Reach[1] <= 0.6) {
		return fmt.Errorf("reach_m: %v must rise and lie in 0 to 0.6", s.Reach)
	}
	if err := within("clearance_m", s.Clearance, clearanceLimits); err != nil {
		return err
	}
	if err := within("grasp_clearance_m", s.GraspClearance, clearanceLimits); err != nil {
		return err
	}
	names, roles := map[string]bool{}, map[Role]int{}
	for i := range s.Objects {
		o := &s.Objects[i]
		if err := o.validate(); err != nil {
			return fmt.Errorf("objects[%d].%w", i, err)
		}
		if names[o.Name] {
			return fmt.Errorf("objects[%d].name: %q is there twice", i, o.Name)
		}
		names[o.Name] = true
		roles[o.Role]++
	}
	if roles[Source] != 1 || roles[Target] != 1 {
		return fmt.Errorf("objects: %d have role source and %d role target, must be one each",
			roles[Source], roles[Target])
	}
	return s.validateTask()
}

// validateTask relates source and target to each other and to the gripper.
func (s *Scene) validateTask() error {
	a, b := s.Source(), s.Target()
	if w := a.GraspWidth(); w > MaxGraspWidth {
		return fmt.Errorf("%s: size_m: %g m across, the gripper takes at most %g m", a.Name, w, MaxGraspWidth)
	}
	if s.Relation == In {
		if b.Shape != Bowl {
			return fmt.Errorf("%s: shape: %q cannot hold anything, relation in needs a bowl", b.Name, b.Shape)
		}
		if a.Radius() >= b.innerRadius() {
			return fmt.Errorf("%s: size_m: radius %.3f m does not fit into %s of inner radius %.3f m",
				a.Name, a.Radius(), b.Name, b.innerRadius())
		}
	}
	if b.Shape == Sphere {
		return fmt.Errorf("%s: shape: nothing rests on a sphere", b.Name)
	}
	return nil
}

// sizes is how many numbers each shape's size_m has.
var sizes = map[Shape]int{Box: 3, Napkin: 3, Cylinder: 2, Bowl: 2, Plate: 2, Sphere: 1}

// reserved are the names that the simulator's robot and table own.
var reserved = map[string]bool{"table": true, "robot": true, "left_finger": true, "right_finger": true, "world": true}

func (o *Object) validate() error {
	if o.Name == "" || reserved[o.Name] {
		return fmt.Errorf("name: %q is empty or the simulator's own", o.Name)
	}
	if o.Role != Source && o.Role != Target && o.Role != Distractor {
		return fmt.Errorf("role: %q is not one of source, target, distractor", o.Role)
	}
	n, ok := sizes[o.Shape]
	if !ok {
		return fmt.Errorf("shape: %q is not one of box, cylinder, sphere, bowl, plate, napkin", o.Shape)
	}
	if len(o.Size) != n {
		return fmt.Errorf("size_m: %d numbers, a %s has %d", len(o.Size), o.Shape, n)
	}
	for _, v := range o.Size {
		if err := within("size_m", v, sizeLimits); err != nil {
			return err
		}
	}
	if (o.Shape == Bowl || o.Shape == Plate) && (o.innerRadius() < minInnerRadius || o.Size[1] <= floorThickness) {
		return fmt.Errorf("size_m: %v leaves no room inside a wall of %g m and a floor of %g m",
			o.Size, wallThickness, floorThickness)
	}
	if err := within("mass_kg", o.Mass, massLimits); err != nil {
		return err
	}
	if err := within("friction", o.Friction, frictionLimits); err != nil {
		return err
	}
	for _, v := range o.RGBA {
		if err := within("rgba", v, Range{0, 1}); err != nil {
			return err
		}
	}
	for _, c := range []struct {
		key           string
		value, limits Range
	}{{"x_m", o.X, positionLimits}, {"y_m", o.Y, positionLimits}, {"yaw_rad", o.Yaw, yawLimits}} {
		if !(c.limits.Contains(c.value[0]) && c.limits.Contains(c.value[1]) && c.value[0] <= c.value[1]) {
			return fmt.Errorf("%s: %v must rise and lie in %.4g to %.4g", c.key, c.value, c.limits[0], c.limits[1])
		}
	}
	return nil
}

func within(key string, v float64, r Range) error {
	if !r.Contains(v) {
		return fmt.Errorf("%s: %g is outside %g to %g", key, v, r[0], r[1])
	}
	return nil
}
