package main

import (
	"context"
	"fmt"

	"twinrig"
	"twinrig/calib/ghost"
)

const (
	// lookPictures is how many pictures are taken of the arm.
	lookPictures = 6
	// lookShare is the least share of a picture that the arm must fill.
	lookShare = 0.02
)

// lookPoses are poses that take the arm about the view, rad.
func lookPoses() []twinrig.Joints {
	var all []twinrig.Joints
	for _, waist := range []float64{-0.7, -0.35, 0, 0.35, 0.7} {
		for _, q := range []twinrig.Joints{
			{0, -0.8, 0.5, 0, 1.5, 0}, {0, -0.3, 0.5, 0.3, 1.2, 0.5}, {0, 0.1, 0.2, -0.3, 1.1, -0.5}, {0, -1.2, 1.2, 0.3, 0.6, 0}, {0, 0.3, 0, 0, 1.2, 0.8},
		} {
			q[twinrig.Waist] = waist
			all = append(all, q)
		}
	}
	return all
}

// lookAtArm takes pictures of the arm, each with its ghost.
func (r *calibRig) lookAtArm(ctx context.Context, say func(string)) ([]ghost.Picture, error) {
	m, err := ghost.NewModel(&r.base.Camera)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	space, done, err := r.room(&r.base.Camera, nil)
	if err != nil {
		return nil, err
	}
	defer done()
	poses := lookPoses()
	want, err := chooseLooks(m, space, poses)
	if err != nil {
		return nil, err
	}
	s := &shooter{cell: r.cell}
	if err := r.cell.runner.MoveTo(ctx, handOver, shotGrip, shotTolerance); err != nil {
		return nil, err
	}
	var out []ghost.Picture
	for _, stop := range space.route(handOver, handOver, poses, want) {
		shot, err := s.at(ctx, stop.q)
		if err != nil {
			return nil, err
		}
		if stop.view < 0 {
			continue
		}
		p := ghost.Picture{Frame: shot.frame}
		if p.Ghost, err = m.Silhouette(shot.joints, shot.grip); err != nil {
			return nil, err
		}
		out = append(out, p)
		say(fmt.Sprintf("%d of %d pictures", len(out), len(want)))
	}
	return out, nil
}

// chooseLooks picks the poses that, one after the other, show the arm in most of
// the picture in which it was not yet.
func chooseLooks(m *ghost.Model, space *room, poses []twinrig.Joints) ([]int, error) {
	masks := map[int]ghost.Mask{}
	for i, q := range poses {
		seen, err := m.Silhouette(q, shotGrip)
		if err != nil {
			return nil, err
		}
		if float64(seen.Count()) >= lookShare*float64(len(seen.On)) && space.open(q, handOver) == nil {
			masks[i] = seen
		}
	}
	if len(masks) < ghost.MinPictures {
		return nil, fmt.Errorf("the arm can be seen at %d of %d poses, %d are needed: is the camera where its calibration says?", len(masks), len(poses), ghost.MinPictures)
	}
	var want []int
	var covered []bool
	for len(want) < lookPictures && len(masks) > 0 {
		best, most := -1, -1
		for i := range poses { // in order, so that the choice is always the same
			seen, ok := masks[i]
			if !ok {
				continue
			}
			n := 0
			for k, on := range seen.On {
				if on && (covered == nil || !covered[k]) {
					n++
				}
			}
			if n > most {
				best, most = i, n
			}
		}
		seen := masks[best]
		if covered == nil {
			covered = make([]bool, len(seen.On))
		}
		for k, on := range seen.On {
			covered[k] = covered[k] || on
		}
		want = append(want, best)
		delete(masks, best)
	}
	return want, nil
}
