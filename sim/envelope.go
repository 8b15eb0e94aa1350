package sim

import (
	"math"

	"twinrig"
)

// EnvelopeLimits are what an Envelope overlooks, m. A negative overlap asks for a
// gap.
type EnvelopeLimits struct {
	// Self is how far the shapes of two links may overlap: they are simplified.
	Self float64
	// TableZ is the height of the table in B.
	TableZ float64
	// Links and Fingers are how far below the table the links and the fingers
	// may be.
	Links, Fingers float64
}

// Envelope tells which pair of bodies is in contact when the arm stands in a pose,
// in closed form, from the same shapes as the MuJoCo model's. It is Clearance for
// the control tick: it needs no MuJoCo, allocates nothing and changes nothing, so
// that goroutines may share it. The table is without end, and where a rounded
// shape meets a box's corner it may find up to a millimetre more than there is,
// never less.
type Envelope struct {
	limits EnvelopeLimits
	solids []solid
	pairs  [][2]uint8 // of solids that may touch
}

// Bodies of an Envelope: the base, a link behind each joint, the fingers.
const (
	baseBody = iota
	handBody = twinrig.NumJoints
	leftBody = iota + twinrig.NumJoints - 1
	rightBody
	numBodies
)

// firstToTable is the first body that can reach the table.
const firstToTable = 1 + twinrig.Shoulder

// solid is a box along the axes of its body, its surface everywhere round away
// from the box's: 0 for a true box, the radius for a capsule, whose box is a line.
type solid struct {
	body     int
	at, half twinrig.Vec3
	round    float64
	bound    float64 // radius of the ball round at that has all of it
}

// NewEnvelope collects the shapes.
func NewEnvelope(l EnvelopeLimits) *Envelope {
	e := &Envelope{limits: l}
	e.add(baseBody, baseParts)
	for i := range linkParts {
		e.add(i+1, linkParts[i])
	}
	right := make([]part, len(fingerParts))
	for i, p := range fingerParts {
		p.Pose.P[1] *= -1 // a box is its own mirror image
		right[i] = p
	}
	e.add(leftBody, fingerParts)
	e.add(rightBody, right)
	for i := range e.solids {
		for j := range i {
			if meet(e.solids[j].body, e.solids[i].body) {
				e.pairs = append(e.pairs, [2]uint8{uint8(j), uint8(i)})
			}
		}
	}
	return e
}

// meet tells whether bodies a < b may touch, as the model has it: not one that
// carries the other, nor the fingers, which are made to meet, nor base and upper
// arm, whose limits keep them apart. The shoulder only turns on the base.
func meet(a, b int) bool {
	switch {
	case a == b, b >= leftBody && a >= handBody, a == baseBody && b <= 1+twinrig.Shoulder:
		return false
	}
	return b >= leftBody || b-a > 1
}

// add takes the shapes that are felt.
func (e *Envelope) add(body int, ps []part) {
	for i := range ps {
		p := &ps[i]
		if p.material != none {
			continue
		}
		s := solid{body: body, at: p.Pose.P, half: p.Size.Scale(0.5)}
		if p.Shape == Capsule {
			s.round = p.Size[0] / 2
			s.half = twinrig.Vec3{0, 0, p.Size[2]/2 - s.round}
		}
		s.half = spread(p.Pose.R, s.half)
		s.bound = s.half.Norm() + s.round
		e.solids = append(e.solids, s)
	}
}

// spread is half the extent, along the axes around it, of a turned box.
func spread(r twinrig.Quat, half twinrig.Vec3) twinrig.Vec3 {
	var out twinrig.Vec3
	for i, row := range r.Matrix() {
		for k, v := range row {
			if a := math.Abs(v); a > 1e-12 { // what is left of a right angle
				out[i] += a * half[k]
			}
		}
	}
	return out
}

// maxSolids is more than the arm has.
const maxSolids = 16

// Deepest returns the pair that is in contact by most more than is overlooked, with
// joints q in rad. Its Over is 0 when none is.
func (e *Envelope) Deepest(q twinrig.Joints, grip twinrig.Grip) twinrig.Contact {
	var f frames
	f.at(&q)
	var placed [maxSolids]block
	finger := twinrig.Grip(max(0, min(1, grip))).Finger()
	for i := range e.solids {
		e.place(&placed[i], &e.solids[i], &f, finger)
	}

	var worst twinrig.Contact
	a, b := -1, -1
	for i := range e.solids {
		s := &e.solids[i]
		if s.body < firstToTable {
			continue
		}
		limit := e.limits.Links
		if s.body >= leftBody {
			limit = e.limits.Fingers
		}
		if d := e.limits.TableZ - placed[i].lowest(); d-limit > worst.Over {
			worst.Depth, worst.Over, a = d, d-limit, s.body
		}
	}
	for _, p := range e.pairs {
		s, t := &placed[p[0]], &placed[p[1]]
		r := s.bound + t.bound - e.limits.Self
		if gap := t.at.Sub(s.at); gap[0]*gap[0]+gap[1]*gap[1]+gap[2]*gap[2] >= r*r {
			continue
		}
		if d := s.overlap(t, e.limits.Self+worst.Over); d-e.limits.Self > worst.Over {
			worst.Depth, worst.Over = d, d-e.limits.Self
			a, b = e.solids[p[0]].body, e.solids[p[1]].body
		}
	}
	if worst.Over > 0 {
		worst.Bodies = [2]string{bodyName(a), TableName}
		if b >= 0 {
			worst.Bodies[1] = bodyName(b)
		}
	}
	return worst
}

// place brings a solid to where it is in B.
func (e *Envelope) place(b *block, s *solid, f *frames, finger float64) {
	b.half, b.round, b.bound = s.half, s.round, s.bound
	if s.body == baseBody {
		b.at, b.axes = s.at, [3]twinrig.Vec3{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}
		return
	}
	joint, at := min(s.body, handBody)-1, s.at
	switch s.body {
	case leftBody:
		at = at.Add(twinrig.Vec3{fingersX, finger, 0})
	case rightBody:
		at = at.Add(twinrig.Vec3{fingersX, -finger, 0})
	}
	b.axes = f.cols[joint]
	b.at = place(f.origin[joint], &b.axes, at)
}

// bodyName is a body's name in the model.
func bodyName(body int) string {
	switch body {
	case baseBody:
		return baseLink.name
	case leftBody:
		return LeftFingerName
	case rightBody:
		return RightFingerName
	}
	return movingLinks[body-1].name
}
