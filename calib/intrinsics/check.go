package intrinsics

import (
	"fmt"
	"math"

	"twinrig"
	"twinrig/calib/target"
)

// check leaves out each view in turn: how far the lens moves is its jackknife
// deviation, how well it explains the view is the held-out residual.
func (r *Result) check(p *problem, s *state) error {
	n := len(p.views)
	lenses := make([]Lens, n)
	var all []float64
	for i := range n {
		rest := problem{board: p.board}
		part := state{lens: s.lens}
		for j := range n {
			if j != i {
				rest.views, part.poses = append(rest.views, p.views[j]), append(part.poses, s.poses[j])
			}
		}
		if _, err := rest.refine(&part); err != nil {
			return fmt.Errorf("%w: without %s: %w", ErrDegenerate, r.Views[i].Sample.Name, err)
		}
		lenses[i] = part.lens
		d := heldOut(p.board, &part.lens, p.views[i], s.poses[i])
		r.Views[i].HeldOutRMSPx = rms(d)
		all = append(all, d...)
	}
	r.HeldOutMeanPx, r.HeldOutRMSPx = mean(all), rms(all)
	for k := range NumParams {
		var sum, square float64
		for i := range lenses {
			sum += lenses[i][k]
		}
		for i := range lenses {
			d := lenses[i][k] - sum/float64(n)
			square += d * d
		}
		r.Jackknife[k] = math.Sqrt(float64(n-1) / float64(n) * square)
	}
	return nil
}

// heldOut fits the pose of a view to the corners of one colour of a
// checkerboard laid over them and returns the distances of the other colour,
// and the other way round. near is a pose to start at.
func heldOut(b *target.Board, l *Lens, corners []target.Corner, near twinrig.Pose) []float64 {
	var half [2][]target.Corner
	for _, c := range corners {
		colour := (c.ID%b.Cols + c.ID/b.Cols) % 2
		half[colour] = append(half[colour], c)
	}
	var d []float64
	for colour := range half {
		// A pose needs three corners; less than four do not pin it down.
		if len(half[colour]) < 4 || len(half[1-colour]) == 0 {
			continue
		}
		fit := problem{board: b, views: [][]target.Corner{half[colour]}, fixed: true}
		s := state{lens: *l, poses: []twinrig.Pose{near}}
		if _, err := fit.refine(&s); err != nil {
			continue // counted by none: the pose of half a view may be open
		}
		other := problem{board: b, views: [][]target.Corner{half[1-colour]}}
		d = append(d, other.all(&s)...)
	}
	return d
}
