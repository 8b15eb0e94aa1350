package extrinsics

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"twinrig"
	"twinrig/calib/intrinsics"
	"twinrig/calib/target"
	"twinrig/sim"
)

// Plan is what is believed before a calibration, from which the poses to
// calibrate at are chosen.
type Plan struct {
	Lens              intrinsics.Lens
	WidthPx, HeightPx int
	Board             target.Board
	// BaseFromCamera is xBC, HandFromBoard xET, both roughly.
	BaseFromCamera, HandFromBoard twinrig.Pose
	// Clear refuses joints that the arm cannot stand in.
	Clear func(q twinrig.Joints) error
	// Options are the solution's.
	Options Options
}

// How a plan is made.
const (
	// candidates is how many poses are chosen among, draws how many are drawn
	// to find them.
	candidates, draws = 300, 2_000_000
	// margin is how far, in shares of the picture's width, the board's corners
	// must be inside, for what is believed is not exact.
	margin = 0.06
	// leastFacing is the least cosine between the board's normal and the way to
	// the camera: beyond 60 degrees corners are found badly.
	leastFacing = 0.5
	// leastSide is the least side of a square in the picture, px.
	leastSide = 11
	// planPixel is what a corner is thought to err by, px.
	planPixel = 0.3
)

// plannable are the joints that are drawn from: within them the hand is before
// the base.
var plannable = twinrig.Limits{
	Lower: twinrig.Joints{-1.0, -1.4, -1.2, -1.6, -1.6, -1.8},
	Upper: twinrig.Joints{1.0, 0.9, 1.5, 1.6, 1.6, 1.8},
}

// ErrNoPlan says that the board would hardly ever be seen.
var ErrNoPlan = errors.New("the board would not be seen at enough poses")

// Poses chooses n poses at which the board is in view and that together tell most
// of where the camera is: each is the one that, with those before it, leaves the
// least uncertainty (greedy D-optimal design). The same seed gives the same plan.
func (pl *Plan) Poses(n int, seed uint64) ([]twinrig.Joints, error) {
	p := problem{
		kin: sim.NewKinematics(), lens: &pl.Lens, board: &pl.Board,
		pixel: planPixel, reading: pl.Options.Reading, zero: pl.Options.Zero,
	}
	var corners []target.Corner
	for id := range pl.Board.Corners() {
		corners = append(corners, target.Corner{ID: id})
	}
	s := state{camera: pl.BaseFromCamera, board: pl.HandFromBoard, scale: 1, after: twinrig.IdentityPose}
	rng := rand.New(rand.NewPCG(seed, 0x706c616e))
	for range draws {
		var q twinrig.Joints
		for i, lo := range plannable.Lower {
			q[i] = lo + rng.Float64()*(plannable.Upper[i]-lo)
		}
		p.views = append(p.views, view{joints: q, corners: corners})
		if !pl.seen(&p, &s, len(p.views)-1) || pl.Clear != nil && pl.Clear(q) != nil {
			p.views = p.views[:len(p.views)-1]
		}
		if len(p.views) == candidates {
			break
		}
	}
	if len(p.views) < n {
		return nil, fmt.Errorf("%w: %d of %d: is the camera where its calibration says, and the board held so that it faces it?", ErrNoPlan, len(p.views), n)
	}
	return p.choose(&s, n), nil
}

// Sees tells whether, as far as is believed, the whole board is seen well at
// joints q.
func (pl *Plan) Sees(q twinrig.Joints) bool {
	p := problem{kin: sim.NewKinematics(), lens: &pl.Lens, board: &pl.Board, views: []view{{joints: q}}}
	s := state{camera: pl.BaseFromCamera, board: pl.HandFromBoard, scale: 1, after: twinrig.IdentityPose}
	return pl.seen(&p, &s, 0)
}

// seen tells whether a view shows the whole board well.
func (pl *Plan) seen(p *problem, s *state, i int) bool {
	x := p.inCamera(s, i, nil)
	mid := x.Apply(pl.Board.Centre())
	normal := x.R.Rotate(twinrig.Vec3{0, 0, 1})
	facing := (normal[0]*mid[0] + normal[1]*mid[1] + normal[2]*mid[2]) / mid.Norm()
	if facing < leastFacing || pl.Lens[0]*pl.Board.SquareM*facing/mid[2] < leastSide {
		return false
	}
	rim := margin * float64(pl.WidthPx)
	for _, id := range []int{0, pl.Board.Cols - 1, pl.Board.Corners() - pl.Board.Cols, pl.Board.Corners() - 1} {
		u, v := pl.Lens.Project(x.Apply(pl.Board.Corner(id)))
		if !(u > rim && v > rim && u < float64(pl.WidthPx)-rim && v < float64(pl.HeightPx)-rim) {
			return false
		}
	}
	return true
}

// choose picks n of the views.
func (p *problem) choose(s *state, n int) []twinrig.Joints {
	parts := make([]equations, len(p.views))
	for i := range parts {
		parts[i] = p.linearise(s, i, true)
	}
	// A weak prior, so that the first views have a determinant at all.
	sum := newEquations(p.params())
	for a := range p.params() {
		sum.h.SetSym(a, a, 1)
		if a >= atZeros {
			sum.h.SetSym(a, a, 1/sq(p.zero))
		}
	}
	used := make([]bool, len(parts))
	var out []twinrig.Joints
	for range n {
		best, most := -1, math.Inf(-1)
		for i := range parts {
			if used[i] {
				continue
			}
			var h mat.SymDense
			h.AddSym(sum.h, parts[i].h)
			var chol mat.Cholesky
			if chol.Factorize(&h) && chol.LogDet() > most {
				best, most = i, chol.LogDet()
			}
		}
		if best < 0 {
			break
		}
		used[best] = true
		sum.add(&parts[best])
		out = append(out, p.views[best].joints)
	}
	return out
}
