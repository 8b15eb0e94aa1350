package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"twinrig"
	"twinrig/agent"
	"twinrig/calib"
	"twinrig/calib/extrinsics"
	"twinrig/calib/intrinsics"
	"twinrig/calib/target"
	"twinrig/sim"
	"twinrig/sim/virtual"
)

// Poses of the tour, rad: where the board is put into the hand, and where the arm
// stands while the board lies on the table.
var (
	handOver = twinrig.Joints{twinrig.Shoulder: -0.96, twinrig.Elbow: 1.16, twinrig.WristAngle: -0.3}
	aside    = twinrig.Joints{twinrig.Waist: 0.8, twinrig.Shoulder: -0.96, twinrig.Elbow: 1.16, twinrig.WristAngle: -0.3}
)

// spares is how many poses more than views are planned: some show no board, for
// the arm hides it or the hand does not hold it as it was thought to.
const spares = 0.7

// tour takes the views of the board in the hand, then one of it on the table.
type tour struct {
	*calibRig
	board target.Board
	flags *poseFlags
	dir   string
	say   func(string)
}

func (t *tour) run(ctx context.Context) error {
	d, err := target.NewDetector(t.board)
	if err != nil {
		return err
	}
	r, done, err := t.room(&t.base.Camera, &t.board)
	if err != nil {
		return err
	}
	defer done()
	if err := r.clear(handOver); err != nil {
		return fmt.Errorf("the board cannot be put into the hand: %w", err)
	}
	s := &shooter{cell: t.cell, perturb: t.perturb, dir: t.dir}
	if err := t.cell.runner.MoveTo(ctx, handOver, shotGrip, shotTolerance); err != nil {
		return err
	}
	if err := t.inHand(ctx, s, d, r); err != nil {
		return err
	}
	if err := t.cell.runner.MoveTo(ctx, handOver, shotGrip, shotTolerance); err != nil {
		return err
	}
	switch wayErr := r.open(aside, handOver); {
	case t.flags.noTable || t.has(tableName):
	case wayErr != nil:
		t.say("no view of the table: the arm cannot stand aside: " + wayErr.Error())
	default:
		if err := t.onTable(ctx, s, d); err != nil {
			return err
		}
	}
	return t.hands.PutBoard(virtual.BoardAway)
}

// room is where the rig's arm may be, before a camera and with a board, which may
// be nil. done frees it.
func (r *calibRig) room(c *calib.Camera, b *target.Board) (m *room, done func(), err error) {
	space, err := sim.NewClearance(sim.NominalParams(), 0)
	if err != nil {
		return nil, nil, err
	}
	return &room{
		kin: sim.NewKinematics(), workspace: &r.cell.cfg.Loop.Guard.Workspace, clearance: space,
		camera: c.BaseFromCamera.Pose().P, board: b, held: held(b),
	}, space.Close, nil
}

// held is how a board is meant to be held, anything without one.
func held(b *target.Board) twinrig.Pose {
	if b == nil {
		return twinrig.IdentityPose
	}
	return virtual.HandFromBoard(b.Cols, b.Rows, b.SquareM)
}

// tableName is the picture of the board on the table.
const tableName = "table.png"

func viewName(i int) string { return fmt.Sprintf("view%03d.png", i) }

// has tells whether a view is there from before.
func (t *tour) has(name string) bool {
	s := extrinsics.Sample{View: intrinsics.Sample{Name: name}}
	_, err := os.Stat(filepath.Join(t.dir, s.File()))
	return err == nil
}

// inHand visits planned poses until there are enough views.
func (t *tour) inHand(ctx context.Context, s *shooter, d *target.Detector, r *room) error {
	cam := &t.base.Camera
	plan := extrinsics.Plan{
		Lens: intrinsics.LensOf(cam), WidthPx: cam.WidthPx, HeightPx: cam.HeightPx, Board: t.board,
		BaseFromCamera: cam.BaseFromCamera.Pose(), HandFromBoard: r.held, Options: extrinsics.DefaultOptions(),
	}
	plan.Clear = func(q twinrig.Joints) error {
		if r.hidden(q) {
			return errHidden
		}
		return r.open(q, handOver)
	}
	poses, err := plan.Poses(t.flags.views+int(spares*float64(t.flags.views)), t.flags.seed)
	if err != nil {
		return err
	}
	var want []int
	have := 0
	for i := range poses {
		if t.has(viewName(i)) {
			have++
			continue
		}
		want = append(want, i)
	}
	if have >= t.flags.views {
		return nil
	}
	if err := t.hands.PutBoard(virtual.BoardInHand); err != nil {
		return err
	}
	if err := t.visit(ctx, s, d, r, poses, want, have); err != nil {
		return err
	}
	return t.swing(ctx, s, d, r, &plan)
}

// mostWrong is how many views may show another board before one shows the right
// one.
const mostWrong = 3

var errHidden = errors.New("the arm would hide the board")

// visit goes round the poses, those that say most first: the first ones of the
// plan in one round, the spare ones in another if they are needed.
func (t *tour) visit(ctx context.Context, s *shooter, d *target.Detector, r *room, poses []twinrig.Joints, want []int, have int) error {
	at, wrong := handOver, 0
	for len(want) > 0 && have < t.flags.views {
		n := min(len(want), t.flags.views-have)
		for _, stop := range r.route(at, handOver, poses, want[:n]) {
			shot, err := s.at(ctx, stop.q)
			switch {
			case errors.Is(err, agent.ErrNotThere):
				t.say(fmt.Sprintf("pose %d: %v: left out", stop.view, err))
			case err != nil:
				return err
			}
			at = stop.q
			if shot == nil || stop.view < 0 {
				continue
			}
			_, err = s.sample(d, t.board, viewName(stop.view), extrinsics.InHand, shot)
			switch {
			case errors.Is(err, target.ErrWrongBoard) && (have > 0 || wrong < mostWrong):
				// A board that is partly hidden looks like a smaller one.
				wrong++
				t.say(fmt.Sprintf("pose %d: %v", stop.view, err))
			case errors.Is(err, target.ErrNoBoard):
				t.say(fmt.Sprintf("pose %d: %v", stop.view, err))
			case err != nil:
				return err
			default:
				have++
				t.say(fmt.Sprintf("%d of %d views", have, t.flags.views))
			}
		}
		want = want[n:]
	}
	if have == 0 {
		return fmt.Errorf("the board was seen at none of %d poses: is the camera roughly where the record has it (its pose may be inverted: camera in base is wanted), and the board held flat with the hand, face up?", len(poses))
	}
	return nil
}

// onTable takes the view of the board on the table.
func (t *tour) onTable(ctx context.Context, s *shooter, d *target.Detector) error {
	if err := t.hands.PutBoard(virtual.BoardOnTable); err != nil {
		return err
	}
	shot, err := s.at(ctx, aside)
	if err != nil {
		return err
	}
	_, err = s.sample(d, t.board, tableName, extrinsics.OnTable, shot)
	if errors.Is(err, target.ErrNoBoard) {
		t.say("the board on the table is not seen: " + err.Error())
		return nil
	}
	return err
}
