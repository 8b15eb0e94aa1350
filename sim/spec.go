package sim

import (
	"fmt"
	"math"
	"slices"

	"twinrig"
)

// Shape is a primitive solid.
type Shape string

// The shapes. Cylinder and Capsule stand along z.
const (
	Box       Shape = "box"
	Sphere    Shape = "sphere"
	Cylinder  Shape = "cylinder"
	Capsule   Shape = "capsule"
	Ellipsoid Shape = "ellipsoid"
)

// Layer is what a geom is there for.
type Layer uint8

// The layers. A Felt geom collides and is not drawn; a Seen one is drawn, has
// no mass and touches nothing.
const (
	Solid Layer = iota
	Felt
	Seen
)

// Geom is one primitive of a body.
type Geom struct {
	Shape Shape
	// Size is the full extent along the geom's own axes in m, so that a box has
	// its edges and a sphere three times its diameter. A capsule's z extent
	// includes its caps.
	Size twinrig.Vec3
	// Pose is in the body. The zero Pose is the body's own frame.
	Pose twinrig.Pose
	// RGBA is the colour, 0 to 1 each.
	RGBA [4]float64
	// Friction is the sliding friction coefficient against everything but the
	// finger pads, which bring their own. Between two bodies the larger counts.
	Friction float64
	Layer    Layer
}

// Body is an object on the table.
type Body struct {
	// Name must be unique and none of "table", "robot", "left_finger",
	// "right_finger".
	Name string
	// Mass in kg is spread over the geoms that can be felt by their volume. It
	// counts only for a free body.
	Mass  float64
	Geoms []Geom
	// Free bodies move; others are fixed to the table.
	Free bool
	// Pose is where the body starts, in B.
	Pose twinrig.Pose
}

// CameraSpec is a pinhole camera, or one with a lens that bends.
type CameraSpec struct {
	Name string
	// BaseFromCamera is the pose of the optical frame (x right, y down, z
	// forward) in B.
	BaseFromCamera twinrig.Pose
	// Focal lengths and principal point; pixel (0, 0) is the centre of the top
	// left one.
	FxPx, FyPx, CxPx, CyPx float64
	// Distortion is k1, k2, p1, p2, k3 as in calib.Camera. With any of them the
	// picture is drawn larger and looked at through the lens, which takes some
	// five times as long and smooths edges.
	Distortion [5]float64
	// W and H are the picture's size in pixels.
	W, H int
}

// Spec is a whole world. It is data: the same Spec makes the same world.
type Spec struct {
	Params  Params
	Bodies  []Body
	Cameras []CameraSpec
	// Carried is what the hand holds, in the frame of the pinch point E. It
	// must be Seen: the arm's dynamics know nothing of it.
	Carried []Geom
	// Silhouette draws the arm white and all else black.
	Silhouette bool
	// Shadows makes pictures better and rendering slower.
	Shadows bool
	// SelfContact lets the arm touch itself. A link never touches the one that
	// carries it.
	SelfContact bool
}

// Names of the bodies that every world has, for ContactForce. RobotName means
// any part of the arm, the fingers included.
const (
	TableName       = "table"
	RobotName       = "robot"
	LeftFingerName  = "left_finger"
	RightFingerName = "right_finger"
)

// Validate names the first thing that cannot be simulated.
func (s *Spec) Validate() error {
	if err := s.Params.Validate(); err != nil {
		return err
	}
	seen := []string{TableName, RobotName, LeftFingerName, RightFingerName}
	for i := range s.Bodies {
		b := &s.Bodies[i]
		if b.Name == "" || slices.Contains(seen, b.Name) {
			return fmt.Errorf("sim: body %d: name %q is empty or taken", i, b.Name)
		}
		seen = append(seen, b.Name)
		if err := b.validate(); err != nil {
			return fmt.Errorf("sim: body %s: %w", b.Name, err)
		}
	}
	for i := range s.Carried {
		if s.Carried[i].Layer != Seen {
			return fmt.Errorf("sim: carried geom %d: is felt; only what is seen can be carried", i)
		}
		if err := s.Carried[i].validate(); err != nil {
			return fmt.Errorf("sim: carried geom %d: %w", i, err)
		}
	}
	var cameras []string
	for i := range s.Cameras {
		c := &s.Cameras[i]
		if c.Name == "" || slices.Contains(cameras, c.Name) {
			return fmt.Errorf("sim: camera %d: name %q is empty or taken", i, c.Name)
		}
		cameras = append(cameras, c.Name)
		if err := c.validate(); err != nil {
			return fmt.Errorf("sim: camera %s: %w", c.Name, err)
		}
	}
	return nil
}

func (b *Body) validate() error {
	if !validPose(b.Pose) {
		return fmt.Errorf("pose: quaternion %v is not of unit length, or position %v is not finite", b.Pose.R, b.Pose.P)
	}
	volume := 0.0
	for i := range b.Geoms {
		g := &b.Geoms[i]
		if err := g.validate(); err != nil {
			return fmt.Errorf("geom %d: %w", i, err)
		}
		volume += g.mass(1)
	}
	switch {
	case len(b.Geoms) == 0:
		return fmt.Errorf("geoms: none")
	case b.Free && !(b.Mass > 0 && b.Mass <= 100):
		return fmt.Errorf("mass: %g kg is outside 0 to 100", b.Mass)
	case b.Free && volume == 0:
		return fmt.Errorf("geoms: none that can be felt")
	}
	return nil
}

func (g *Geom) validate() error {
	round := 0 // how many extents, from x on, must be equal
	switch g.Shape {
	case Box, Ellipsoid:
	case Cylinder, Capsule:
		round = 2
	case Sphere:
		round = 3
	default:
		return fmt.Errorf("shape: unknown %q", g.Shape)
	}
	for i, v := range g.Size {
		if !(v > 0 && v <= 10) {
			return fmt.Errorf("size: %g m is outside 0 to 10", v)
		}
		if i < round && v != g.Size[0] {
			return fmt.Errorf("size: %v m is no %s", g.Size, g.Shape)
		}
	}
	switch {
	case g.Shape == Capsule && g.Size[2] <= g.Size[0]:
		return fmt.Errorf("size: a capsule must be longer than thick")
	case g.Pose != twinrig.Pose{} && !validPose(g.Pose):
		return fmt.Errorf("pose: quaternion %v is not of unit length, or position %v is not finite", g.Pose.R, g.Pose.P)
	case !(g.Friction >= 0 && g.Friction <= 10):
		return fmt.Errorf("friction: %g is outside 0 to 10", g.Friction)
	}
	for _, v := range g.RGBA {
		if !(v >= 0 && v <= 1) {
			return fmt.Errorf("rgba: %g is outside 0 to 1", v)
		}
	}
	return nil
}

func validPose(x twinrig.Pose) bool {
	n := math.Sqrt(x.R[0]*x.R[0] + x.R[1]*x.R[1] + x.R[2]*x.R[2] + x.R[3]*x.R[3])
	return math.Abs(n-1) < 1e-3 && finite(x.P[0], x.P[1], x.P[2])
}

// mass is the geom's mass at a density in kg/m^3.
func (g *Geom) mass(density float64) float64 {
	if g.Layer == Seen {
		return 0
	}
	v := g.Size[0] * g.Size[1] * g.Size[2]
	switch g.Shape {
	case Sphere, Ellipsoid:
		v *= math.Pi / 6
	case Cylinder:
		v *= math.Pi / 4
	case Capsule:
		r := g.Size[0] / 2
		v = math.Pi * r * r * (g.Size[2] - 2*r + 4*r/3)
	}
	return density * v
}

func (c *CameraSpec) validate() error {
	switch {
	case c.W < 1 || c.H < 1 || c.W > 4096 || c.H > 4096:
		return fmt.Errorf("size: %d x %d px is outside 1 to 4096", c.W, c.H)
	case !(c.FxPx > 1 && c.FyPx > 1 && finite(c.FxPx, c.FyPx, c.CxPx, c.CyPx)):
		return fmt.Errorf("intrinsics: fx %g, fy %g, cx %g, cy %g px", c.FxPx, c.FyPx, c.CxPx, c.CyPx)
	case !finite(c.Distortion[:]...):
		return fmt.Errorf("distortion: %v", c.Distortion)
	case !validPose(c.BaseFromCamera):
		return fmt.Errorf("base_from_camera: quaternion %v is not of unit length, or position %v is not finite", c.BaseFromCamera.R, c.BaseFromCamera.P)
	}
	return nil
}
