package intrinsics

import (
	"errors"
	"fmt"

	"twinrig"
	"twinrig/calib/target"
)

// ErrMirrored says that a view's corners run the wrong way round.
var ErrMirrored = errors.New("mirrored: its corners run the wrong way round")

// BoardPose is where the board of a view is in the camera's frame, xCT, and the
// RMS distance in pixels of its corners from where that puts them.
func (l *Lens) BoardPose(b *target.Board, corners []target.Corner) (twinrig.Pose, float64, error) {
	h, err := fitHomography(b, corners)
	if err != nil {
		return twinrig.Pose{}, 0, err
	}
	if h.mirrored(b.Centre()) {
		return twinrig.Pose{}, 0, ErrMirrored
	}
	x, ok := h.pose(l, b.Centre())
	if !ok {
		return x, 0, fmt.Errorf("no pose of the board: %w", errFlat)
	}
	p := problem{board: b, views: [][]target.Corner{corners}, fixed: true}
	s := state{lens: *l, poses: []twinrig.Pose{x}}
	if _, err := p.refine(&s); err != nil {
		return x, 0, fmt.Errorf("no pose of the board: %w", err)
	}
	return s.poses[0], rms(p.all(&s)), nil
}
