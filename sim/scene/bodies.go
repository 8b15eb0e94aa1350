package scene

import (
	"math"

	"twinrig"
	"twinrig/sim"
)

// Bodies are the scene's objects for the simulator, standing on the table as
// placed. An object without a spot stands at the origin.
func (s *Scene) Bodies(p Placement) []sim.Body {
	bodies := make([]sim.Body, len(s.Objects))
	for i := range s.Objects {
		o := &s.Objects[i]
		bodies[i] = sim.Body{Name: o.Name, Mass: o.Mass, Geoms: o.geoms(), Free: true, Pose: o.pose(p[o.Name])}
	}
	return bodies
}

// Poses are where the placed objects stand: xBO by name.
func (s *Scene) Poses(p Placement) map[string]twinrig.Pose {
	poses := make(map[string]twinrig.Pose, len(s.Objects))
	for i := range s.Objects {
		o := &s.Objects[i]
		poses[o.Name] = o.pose(p[o.Name])
	}
	return poses
}

// pose is xBO of the object upright on the table.
func (o *Object) pose(at Spot) twinrig.Pose {
	return twinrig.Pose{R: twinrig.QuatFromRPY(0, 0, at.Yaw), P: twinrig.Vec3{at.X, at.Y, o.Extent()[2] / 2}}
}

// geoms are the primitives that an object is made of, in its own frame.
func (o *Object) geoms() []sim.Geom {
	g := sim.Geom{Size: o.Extent(), RGBA: o.RGBA, Friction: o.Friction}
	switch o.Shape {
	case Cylinder:
		g.Shape = sim.Cylinder
	case Sphere:
		g.Shape = sim.Sphere
	case Bowl, Plate:
		return o.dish(g)
	default:
		g.Shape = sim.Box
	}
	return []sim.Geom{g}
}

// dish is a round floor with a ring of wall boxes about it, of g's colour and
// friction.
func (o *Object) dish(g sim.Geom) []sim.Geom {
	outer, height := o.Size[0]/2, o.Size[1]
	half := math.Pi / wallParts
	middle := o.innerRadius() + wallThickness/2

	floor := g
	floor.Shape = sim.Cylinder
	floor.Size = twinrig.Vec3{2 * middle, 2 * middle, floorThickness}
	floor.Pose = twinrig.Pose{R: twinrig.IdentityQuat, P: twinrig.Vec3{0, 0, (floorThickness - height) / 2}}

	// The walls stand on the floor, so that no two faces lie in one plane.
	wall := g
	wall.Shape = sim.Box
	wall.Size = twinrig.Vec3{wallThickness, 2 * outer * math.Sin(half), height - floorThickness/2}
	geoms := []sim.Geom{floor}
	for i := range wallParts {
		r := twinrig.QuatFromRPY(0, 0, 2*half*float64(i))
		wall.Pose = twinrig.Pose{R: r, P: r.Rotate(twinrig.Vec3{middle, 0, 0}).Add(twinrig.Vec3{0, 0, floorThickness / 4})}
		geoms = append(geoms, wall)
	}
	return geoms
}
