package controller

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"twinrig"
	"twinrig/sim"
	"twinrig/sim/mirror"
)

// segmentParams are what recorded hand poses at 5 Hz can tell of an arm in
// position mode: when its moves begin and how long they take, how far it hangs
// below its goals, and how its servos pull. Friction and damping of each joint
// are not to be had from so little motion: they are one scale for all.
var segmentParams = []Param{
	{Name: "delay_s", Nominal: 0, Lo: 0, Hi: 0.19, Spread: 0.05},
	{Name: "move_s", Nominal: 0.25, Lo: 0.1, Hi: 0.5, Spread: 0.3, Log: true},
	{Name: "unheld_gravity", Nominal: 0, Lo: 0, Hi: 1.5, Spread: 0.7},
	{Name: "stiffness_scale_waist", Nominal: 1, Lo: 0.3, Hi: 3, Spread: 0.3, Log: true},
	{Name: "stiffness_scale_shoulder", Nominal: 1, Lo: 0.3, Hi: 3, Spread: 0.3, Log: true},
	{Name: "stiffness_scale_elbow", Nominal: 1, Lo: 0.3, Hi: 3, Spread: 0.3, Log: true},
	{Name: "stiffness_scale_wrist", Nominal: 1, Lo: 0.3, Hi: 3, Spread: 0.3, Log: true},
	{Name: "servo_damping_scale", Nominal: 1, Lo: 0.1, Hi: 5, Spread: 0.4, Log: true},
	{Name: "friction_scale", Nominal: 1, Lo: 0.1, Hi: 8, Spread: 0.6, Log: true},
}

// segmentModel is the mirror and its timing with the given segmentParams.
func segmentModel(v []float64) (mirror.Twin, mirror.ReplayConfig) {
	cfg := mirror.DefaultReplayConfig()
	cfg.Delay, cfg.Move, cfg.Unheld = duration(v[0]), duration(v[1]), v[2]
	t := mirror.Twin{Spec: sim.Spec{Params: sim.NominalParams()}, Arm: sim.DefaultArmConfig(twinrig.ModePosition)}
	stiffness := twinrig.Joints{v[3], v[4], v[5], v[6], v[6], v[6]}
	for i, k := range stiffness {
		t.Arm.Servos[i].Stiffness *= k
		t.Arm.Servos[i].Damping *= v[7]
	}
	t.Spec.Params.Friction = t.Spec.Params.Friction.Scale(v[8])
	return t, cfg
}

func duration(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// Gap is how far the mirror is from recorded motion.
type Gap struct {
	// Position in m and Rotation in rad are RMS over all states.
	Position, Rotation float64
	// Simpler is the loss by which SimplerEnv identifies its WidowX: distance in
	// m plus half the angle in rad, the mean over states and then over segments.
	Simpler float64
	States  int
}

// gapOf pools replayed segments.
func gapOf(all []mirror.Replayed) (g Gap) {
	var p, r float64
	for i := range all {
		sum := 0.0
		for k := range all[i].Gaps {
			d, a := all[i].Gaps[k].Translation, all[i].Gaps[k].Rotation
			p, r = p+d*d, r+a*a
			sum += d + a/2
		}
		g.States += len(all[i].Gaps)
		g.Simpler += sum / float64(len(all[i].Gaps)) / float64(len(all))
	}
	n := float64(g.States)
	g.Position, g.Rotation = math.Sqrt(p/n), math.Sqrt(r/n)
	return g
}

// The gaps that weigh alike in a fit to recorded motion.
const (
	positionScale = 0.008
	rotationScale = 3 * math.Pi / 180
)

func (g *Gap) loss() float64 {
	p, r := g.Position/positionScale, g.Rotation/rotationScale
	return p*p + r*r
}

// replaySegments replays segments with the given segmentParams.
func replaySegments(v []float64, segments []mirror.Segment) ([]mirror.Replayed, error) {
	t, cfg := segmentModel(v)
	r, err := mirror.NewReplayer(cfg, t)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	all := make([]mirror.Replayed, len(segments))
	for i := range segments {
		if all[i], err = r.Replay(segments[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Fold is one part of the segments, replayed by a model that was fitted to all
// the others.
type Fold struct {
	HeldOut       []string
	Before, After Gap
	// Fitted is the gap of the segments that the model was fitted to.
	Fitted Gap
	Values []float64
}

// SegmentFit is a mirror fitted to recorded motion, cross-validated.
type SegmentFit struct {
	Params []Param
	// Values are those fitted to all segments: the model to use.
	Values []float64
	Folds  []Fold
	// Before and After pool the held-out segments of all folds: each segment
	// was replayed by a model that had not seen it.
	Before, After Gap
	// Replayed are the held-out segments, in the order of the segments, before
	// and after.
	ReplayedBefore, ReplayedAfter []mirror.Replayed
	// Left is what remains in the held-out gap.
	Left Left
}

// FitSegments fits the mirror to recorded motion and cross-validates it: every
// n-th segment is held out in turn. progress is told what is done; it may be
// nil.
func FitSegments(ctx context.Context, segments []mirror.Segment, n int, s Search, progress func(done, all int)) (*SegmentFit, error) {
	if n < 2 || n > len(segments) {
		return nil, fmt.Errorf("controller: %d folds of %d segments: must be 2 to the number of segments", n, len(segments))
	}
	f := &SegmentFit{Params: segmentParams}
	var err error
	if f.ReplayedBefore, err = replaySegments(nominals(segmentParams), segments); err != nil {
		return nil, err
	}
	f.ReplayedAfter = make([]mirror.Replayed, len(segments))
	for k := range n {
		if err := f.fold(ctx, segments, k, n, s); err != nil {
			return nil, err
		}
		if progress != nil {
			progress(k+1, n+1)
		}
	}
	f.Before, f.After = gapOf(f.ReplayedBefore), gapOf(f.ReplayedAfter)
	if f.Left, err = leftOf(segments, f.ReplayedAfter); err != nil {
		return nil, err
	}
	if f.Values, err = fitSegments(ctx, segments, s); err != nil {
		return nil, err
	}
	if progress != nil {
		progress(n+1, n+1)
	}
	return f, nil
}

// fold fits to all segments but every n-th from k, and replays those.
func (f *SegmentFit) fold(ctx context.Context, segments []mirror.Segment, k, n int, s Search) error {
	var train, held []mirror.Segment
	var before []mirror.Replayed
	fold := Fold{}
	for i := range segments {
		if i%n != k {
			train = append(train, segments[i])
			continue
		}
		held = append(held, segments[i])
		before = append(before, f.ReplayedBefore[i])
		fold.HeldOut = append(fold.HeldOut, segments[i].ID)
	}
	var err error
	if fold.Values, err = fitSegments(ctx, train, s); err != nil {
		return fmt.Errorf("fold %d: %w", k+1, err)
	}
	after, err := replaySegments(fold.Values, held)
	if err != nil {
		return fmt.Errorf("fold %d: %w", k+1, err)
	}
	fitted, err := replaySegments(fold.Values, train)
	if err != nil {
		return fmt.Errorf("fold %d: %w", k+1, err)
	}
	for i := range after {
		f.ReplayedAfter[k+i*n] = after[i]
	}
	fold.Before, fold.After, fold.Fitted = gapOf(before), gapOf(after), gapOf(fitted)
	f.Folds = append(f.Folds, fold)
	return nil
}

func fitSegments(ctx context.Context, segments []mirror.Segment, s Search) ([]float64, error) {
	if len(segments) == 0 {
		return nil, errors.New("controller: no segment to fit to")
	}
	return s.minimize(ctx, segmentParams, func(v []float64) (float64, error) {
		all, err := replaySegments(v, segments)
		if err != nil {
			return 0, err
		}
		g := gapOf(all)
		return g.loss(), nil
	})
}
