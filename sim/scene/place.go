package scene

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Spot is where an object's centre stands on the table, and how it is turned.
type Spot struct {
	X   float64 `yaml:"x_m" json:"x_m"`
	Y   float64 `yaml:"y_m" json:"y_m"`
	Yaw float64 `yaml:"yaw_rad" json:"yaw_rad"`
}

// Placement is one spot for each object of a scene, by name.
type Placement map[string]Spot

// placeTries bounds how often Place draws a whole placement.
const placeTries = 1000

// Streams of the random numbers drawn from one seed.
const (
	placeStream = iota + 1
	perturbStream
)

// Place draws a placement in the objects' ranges: everything in reach of the
// gripper (distractors need not be), no two objects nearer than the clearance.
// The same seed gives the same placement. It is an error if none is found.
func (s *Scene) Place(seed uint64) (Placement, error) {
	rng := rand.New(rand.NewPCG(seed, placeStream))
	var last error
	for range placeTries {
		p := make(Placement, len(s.Objects))
		for i := range s.Objects {
			o := &s.Objects[i]
			p[o.Name] = Spot{X: draw(rng, o.X), Y: draw(rng, o.Y), Yaw: draw(rng, o.Yaw)}
		}
		if last = s.Check(p); last == nil {
			return p, nil
		}
	}
	return nil, fmt.Errorf("scene: %s: no placement in %d tries: %w", s.Name, placeTries, last)
}

// Check says what is wrong with a placement: an object missing or unknown, out
// of reach, or nearer to another than the clearance.
func (s *Scene) Check(p Placement) error {
	if len(p) != len(s.Objects) {
		return fmt.Errorf("%d spots for %d objects", len(p), len(s.Objects))
	}
	for i := range s.Objects {
		a := &s.Objects[i]
		at, ok := p[a.Name]
		if !ok {
			return fmt.Errorf("%s has no spot", a.Name)
		}
		if r := math.Hypot(at.X, at.Y); a.Role != Distractor && !s.Reach.Contains(r) {
			return fmt.Errorf("%s at %.3f m from the base is outside the reach of %.3f to %.3f m",
				a.Name, r, s.Reach[0], s.Reach[1])
		}
		for j := range s.Objects[:i] {
			b := &s.Objects[j]
			gap := math.Hypot(at.X-p[b.Name].X, at.Y-p[b.Name].Y) - a.Radius() - b.Radius()
			if !(gap >= s.Clearance) {
				return fmt.Errorf("%s and %s are %.3f m apart, the clearance is %.3f m",
					a.Name, b.Name, gap, s.Clearance)
			}
		}
	}
	return nil
}

// Perturb moves every spot of a placement as an operator's hand would: normal
// errors of the given standard deviations, m in x and y, rad in yaw. It may
// break the clearance; Check tells.
func (s *Scene) Perturb(p Placement, seed uint64, sigma, yawSigma float64) Placement {
	rng := rand.New(rand.NewPCG(seed, perturbStream))
	moved := make(Placement, len(p))
	for i := range s.Objects {
		at := p[s.Objects[i].Name]
		at.X += sigma * rng.NormFloat64()
		at.Y += sigma * rng.NormFloat64()
		at.Yaw += yawSigma * rng.NormFloat64()
		moved[s.Objects[i].Name] = at
	}
	return moved
}

func draw(rng *rand.Rand, r Range) float64 { return r[0] + rng.Float64()*(r[1]-r[0]) }
