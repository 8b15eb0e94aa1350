package extrinsics

import (
	"fmt"
	"math"

	"twinrig"
)

// hypothesis is something that happened at a view.
type hypothesis struct {
	jump      jump
	at, joint int
}

// solved is a hypothesis with its solution.
type solved struct {
	problem
	state
	cost float64
}

// jumpCost is by how much chi-square must fall for each number that a
// hypothesis adds, to be the better one of two.
const jumpCost = 8

// try fits a hypothesis from s, which fits the views from the jump on if later.
func (p *problem) try(h hypothesis, s state, later bool) (solved, bool) {
	q := *p
	q.jump, q.jumpAt, q.jumpJoint = h.jump, h.at, h.joint
	q.cauchy = cornerCauchy
	s.slipped = 0
	var poses []twinrig.Pose
	for i := range q.views {
		if (i >= h.at) == later {
			continue
		}
		hand, xCT := q.kin.Forward(q.views[i].joints.Add(s.zeros)), q.views[i].start
		if h.jump == camera {
			poses = append(poses, hand.Mul(s.board).Mul(xCT.Inv()))
		} else {
			poses = append(poses, hand.Inv().Mul(s.camera).Mul(xCT))
		}
	}
	other := middlePose(poses)
	switch {
	case h.jump == camera && later:
		s.camera, s.after = other, s.camera
	case h.jump == board && later:
		s.board, s.after = other, s.board
	default:
		s.after = other
	}
	e, err := q.refine(&s)
	if err != nil {
		return solved{}, false
	}
	return solved{q, s, e.chi2 + jumpCost*float64(q.params())}, true
}

// middlePose is a mean attitude with the median of each coordinate.
func middlePose(poses []twinrig.Pose) twinrig.Pose {
	rs := make([]twinrig.Quat, len(poses))
	var x twinrig.Pose
	for k := range x.P {
		c := make([]float64, len(poses))
		for i := range poses {
			rs[i], c[i] = poses[i].R, poses[i].P[k]
		}
		x.P[k] = median(c)
	}
	x.R = middleOf(rs)
	return x
}

// broken looks for a large jump at one view: a few views from one end fit each
// other, and so do all up to the jump.
func (p *problem) broken() error {
	for _, later := range []bool{false, true} {
		end := *p
		if end.views = p.views[:min(MinViews, len(p.views))]; later {
			end.views = p.views[max(0, len(p.views)-MinViews):]
		}
		kept, s, bad, err := end.fit()
		if err != nil || !fits(&end, kept, &s, bad) {
			continue
		}
		q := *p
		q.unturn(&s)
		best, ok := q.best(q.split(&s, later), s, later)
		if !ok {
			continue
		}
		check := best.problem
		if b := check.dropOutliers(&best.state); float64(len(b)) <= mostDropped/2*float64(len(q.views)) && check.medianOff(&best.state) <= maxMedian {
			return best.name()
		}
	}
	return nil
}

// nearPx is how far the views of one side of a jump may be off a solution of a
// few of them.
const nearPx = 8

// split is the view from which on, or up to which if later, views do not fit s.
func (p *problem) split(s *state, later bool) int {
	at, most := 0, -1
	for k := 2; k <= len(p.views)-2; k++ {
		n := 0
		for i := range p.views {
			if (rms(p.distances(s, i)) <= nearPx) == ((i >= k) == later) {
				n++
			}
		}
		if n > most {
			at, most = k, n
		}
	}
	return at
}

// best is the hypothesis about a jump at a view that explains the views best.
func (p *problem) best(at int, s state, later bool) (solved, bool) {
	all := []hypothesis{{camera, at, 0}, {board, at, 0}}
	for j := range twinrig.NumJoints {
		all = append(all, hypothesis{slip, at, j})
	}
	var best solved
	found := false
	for _, h := range all {
		if t, ok := p.try(h, s, later); ok && (!found || t.cost < best.cost) {
			best, found = t, true
		}
	}
	return best, found
}

// When a small jump counts: chi-square must fall by this much more than by
// chance, and something must have moved by so much.
const (
	jumpGain  = 60
	leastMove = 0.0015
	leastTurn = 0.2 / deg
)

// jumped is a jump that is too small to make views outliers, if there is one.
func (p *problem) jumped(s *state) (solved, bool) {
	parts, all := p.parts(s)
	more := max(1, all.chi2/p.freedom())
	at, most := 0, 0.0
	for k := 3; k <= len(parts)-3; k++ {
		for _, block := range []int{atCamera, atBoard} {
			if g := gain(&all, parts[k:], block) / more; g > most {
				at, most = k, g
			}
		}
	}
	if most < jumpGain {
		return solved{}, false
	}
	best, ok := p.best(at, *s, false)
	if !ok || (all.chi2+jumpCost*float64(p.params())-best.cost)/more < jumpGain {
		return solved{}, false
	}
	dist, angle := best.way()
	return best, dist >= leastMove || angle >= leastTurn
}

// way is how far what jumped went.
func (b *solved) way() (dist, angle float64) {
	switch b.jump {
	case camera:
		return b.camera.Gap(b.after)
	case board:
		return b.state.board.Gap(b.after)
	case nothing, slip:
	}
	return 0, math.Abs(b.slipped)
}

// name says what happened.
func (b *solved) name() error {
	before, after := b.views[b.jumpAt-1].name, b.views[b.jumpAt].name
	dist, angle := b.way()
	switch b.jump {
	case camera:
		return fmt.Errorf("%w: between %s and %s the camera or the arm's base went %.1f mm and %.2f deg: fix both, then take all views anew", ErrCameraMoved, before, after, 1000*dist, angle*deg)
	case board:
		return fmt.Errorf("%w: between %s and %s it went %.1f mm and %.2f deg: fix it, then take all views anew", ErrBoardSlipped, before, after, 1000*dist, angle*deg)
	case nothing, slip:
	}
	return fmt.Errorf("%w: between %s and %s the zero of %s jumped by %.2f deg: a horn or a gear slipped; calibrate the joints, then take all views anew", ErrArmBumped, before, after, twinrig.AxisNames[b.jumpJoint], angle*deg)
}
