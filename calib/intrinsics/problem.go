package intrinsics

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"twinrig"
	"twinrig/calib/target"
)

// numPose is how many numbers a view's pose has.
const numPose = 6

var errSingular = errors.New("the views do not determine the lens")

// problem is a lens and the board's pose in each view (xCT), against the
// corners that were seen.
type problem struct {
	board *target.Board
	views [][]target.Corner
	// cauchy is the distance in pixels beyond which a corner loses its weight;
	// 0 is plain least squares.
	cauchy float64
	// fixed keeps the lens as it is.
	fixed bool
}

// state is a solution.
type state struct {
	lens  Lens
	poses []twinrig.Pose
}

func (s *state) clone() state {
	return state{lens: s.lens, poses: append([]twinrig.Pose(nil), s.poses...)}
}

// residual is a corner's reprojection less its detection, in pixels.
func (s *state) residual(b *target.Board, view int, c *target.Corner) (du, dv float64) {
	u, v := s.lens.Project(s.poses[view].Apply(b.Corner(c.ID)))
	return u - c.X, v - c.Y
}

// distances are the reprojection distances of a view's corners.
func (p *problem) distances(s *state, view int) []float64 {
	d := make([]float64, len(p.views[view]))
	for i := range d {
		d[i] = math.Hypot(s.residual(p.board, view, &p.views[view][i]))
	}
	return d
}

// all are the distances of every corner.
func (p *problem) all(s *state) []float64 {
	var d []float64
	for i := range p.views {
		d = append(d, p.distances(s, i)...)
	}
	return d
}

// cost is half the sum of squared distances, or Cauchy's sum; it is infinite
// when a corner is not before the camera.
func (p *problem) cost(s *state) float64 {
	var sum float64
	k2 := p.cauchy * p.cauchy
	for _, d := range p.all(s) {
		switch {
		case math.IsNaN(d):
			return math.Inf(1)
		case p.cauchy > 0:
			sum += k2 / 2 * math.Log1p(d*d/k2)
		default:
			sum += d * d / 2
		}
	}
	return sum
}

// normal are the normal equations: the lens's block, each pose's, and what
// couples them.
type equations struct {
	lens   *mat.SymDense
	gLens  *mat.VecDense
	pose   []*mat.SymDense
	gPose  []*mat.VecDense
	couple []*mat.Dense // lens by pose
}

// linearise builds the normal equations at s.
func (p *problem) linearise(s *state) equations {
	e := equations{lens: mat.NewSymDense(NumParams, nil), gLens: mat.NewVecDense(NumParams, nil)}
	for i := range p.views {
		jl := mat.NewDense(2*len(p.views[i]), NumParams, nil)
		jp := mat.NewDense(2*len(p.views[i]), numPose, nil)
		r := mat.NewVecDense(2*len(p.views[i]), nil)
		for k := range p.views[i] {
			p.row(s, i, k, jl, jp, r)
		}
		var gram mat.SymDense
		gram.SymOuterK(1, jl.T())
		e.lens.AddSym(e.lens, &gram)
		var g mat.VecDense
		g.MulVec(jl.T(), r)
		e.gLens.AddVec(e.gLens, &g)
		pose, couple, gp := new(mat.SymDense), new(mat.Dense), new(mat.VecDense)
		pose.SymOuterK(1, jp.T())
		couple.Mul(jl.T(), jp)
		gp.MulVec(jp.T(), r)
		e.pose, e.couple, e.gPose = append(e.pose, pose), append(e.couple, couple), append(e.gPose, gp)
	}
	return e
}

// row writes a corner's two rows, weighted. A pose moves by a rotation vector
// from the left and a shift, both in the camera's frame.
func (p *problem) row(s *state, view, k int, jl, jp *mat.Dense, r *mat.VecDense) {
	c := &p.views[view][k]
	arm := s.poses[view].R.Rotate(p.board.Corner(c.ID))
	var d slopes
	u, v := s.lens.projectWith(arm.Add(s.poses[view].P), &d)
	res := [2]float64{u - c.X, v - c.Y}
	w := 1.0
	if p.cauchy > 0 {
		w = 1 / math.Sqrt(1+(res[0]*res[0]+res[1]*res[1])/(p.cauchy*p.cauchy))
	}
	for i := range 2 {
		g := twinrig.Vec3(d.point[i])
		turn := arm.Cross(g)
		r.SetVec(2*k+i, w*res[i])
		for j := range NumParams {
			jl.Set(2*k+i, j, w*d.lens[i][j])
		}
		for j := range 3 {
			jp.Set(2*k+i, j, w*turn[j])
			jp.Set(2*k+i, 3+j, w*g[j])
		}
	}
}

// reduced eliminates the poses: it returns the lens's own equations, and each
// pose's factor.
func (e *equations) reduced() (*mat.SymDense, *mat.VecDense, []mat.Cholesky, error) {
	lens, g := mat.NewSymDense(NumParams, nil), mat.NewVecDense(NumParams, nil)
	lens.CopySym(e.lens)
	g.CopyVec(e.gLens)
	factors := make([]mat.Cholesky, len(e.pose))
	for i := range e.pose {
		if !factors[i].Factorize(e.pose[i]) {
			return nil, nil, nil, errSingular
		}
		var half mat.Dense // pose block inverse, times the coupling
		if err := factors[i].SolveTo(&half, e.couple[i].T()); err != nil {
			return nil, nil, nil, errSingular
		}
		var fill mat.Dense
		fill.Mul(e.couple[i], &half)
		for a := range NumParams {
			for b := a; b < NumParams; b++ {
				lens.SetSym(a, b, lens.At(a, b)-(fill.At(a, b)+fill.At(b, a))/2)
			}
		}
		var shift mat.VecDense
		shift.MulVec(half.T(), e.gPose[i])
		g.SubVec(g, &shift)
	}
	return lens, g, factors, nil
}
