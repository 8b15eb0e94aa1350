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

// placeTries bounds how often Place begins a placement, spotTries how often it
// draws a spot for an object among those that stand before it begins anew.
const (
	placeTries = 1000
	spotTries  = 20
)

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
	var err error
	for range placeTries {
		p := make(Placement, len(s.Objects))
		for i := 0; i < len(s.Objects); i++ {
			if err = s.draw(rng, p, i); err != nil {
				break
			}
		}
		if err == nil {
			return p, nil
		}
	}
	return nil, fmt.Errorf("scene: %s: no placement in %d tries: %w", s.Name, placeTries, err)
}

// draw finds a spot for object i among those before it.
func (s *Scene) draw(rng *rand.Rand, p Placement, i int) (err error) {
	o := &s.Objects[i]
	for range spotTries {
		p[o.Name] = Spot{X: o.X.draw(rng), Y: o.Y.draw(rng), Yaw: o.Yaw.draw(rng)}
		if err = s.fits(p, i); err == nil {
			return nil
		}
	}
	return err
}

// Check says what is wrong with a placement: an object missing or unknown, out
// of reach, or nearer to another than the clearance.
func (s *Scene) Check(p Placement) error {
	if len(p) != len(s.Objects) {
		return fmt.Errorf("%d spots for %d objects", len(p), len(s.Objects))
	}
	for i := range s.Objects {
		if _, ok := p[s.Objects[i].Name]; !ok {
			return fmt.Errorf("%s has no spot", s.Objects[i].Name)
		}
		if err := s.fits(p, i); err != nil {
			return err
		}
	}
	return nil
}

// fits says what is wrong with the spot of object i among those before it.
func (s *Scene) fits(p Placement, i int) error {
	a := &s.Objects[i]
	at := p[a.Name]
	if r := math.Hypot(at.X, at.Y); a.Role != Distractor && !s.Reach.Contains(r) {
		return fmt.Errorf("%s at %.3f m from the base is outside the reach of %.3f to %.3f m",
			a.Name, r, s.Reach[0], s.Reach[1])
	}
	for j := range s.Objects[:i] {
		b := &s.Objects[j]
		gap, least := a.outline(at).gap(b.outline(p[b.Name])), s.clearance(a, b)
		if !(gap >= least) {
			return fmt.Errorf("%s and %s are %.3f m apart, the clearance is %.3f m", a.Name, b.Name, gap, least)
		}
	}
	return nil
}

// clearance is how far two objects must stand apart, in m.
func (s *Scene) clearance(a, b *Object) float64 {
	if a.Role == Source || b.Role == Source {
		return max(s.Clearance, s.GraspClearance)
	}
	return s.Clearance
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

func (r Range) draw(rng *rand.Rand) float64 { return r[0] + rng.Float64()*(r[1]-r[0]) }
