package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"twinrig"
	"twinrig/cmd/twinrig/doctor"
	"twinrig/configs"
	"twinrig/policy"
	"twinrig/policy/normalize"
	"twinrig/policy/picture"
	"twinrig/policy/remote"
	"twinrig/sim"
)

// examiner asks a policy's server what a trial would, and adds what it finds to a
// report.
type examiner struct {
	policy *remote.Policy
	cfg    *configs.Rig
	add    func(name string, v doctor.Verdict, fix, value string, args ...any)
	shown  []sight
	blind  bool // nothing recorded is shown
	// warmUp is how long the first answer may take.
	warmUp time.Duration
}

// contract tells whether this rig's loop and broker can do what is agreed on.
func (e *examiner) contract() {
	c := e.policy.Contract()
	said := fmt.Sprintf("%s at %g Hz, %d actions an answer, %d executed; state %s; %s", c.Space, c.RateHz, c.Horizon, c.Execute, c.State.Layout, units(c))
	if loop := e.cfg.Loop.RateHz; c.RateHz > loop/4 {
		e.add("contract", doctor.Fail, "raise loop.rate_hz, or correct rate_hz on the side that is wrong",
			"%s; a control step needs at least four of the loop's cycles, which runs at %g Hz", said, loop)
		return
	}
	if err := e.cfg.Policy.Suits(c.Spec()); err != nil {
		e.add("contract", doctor.Fail, "change the section policy of the rig file", "%s; %v", said, err)
		return
	}
	e.add("contract", doctor.OK, "", "%s", said)
}

// units says who takes numbers to metres and radians; that nobody here does is never
// silent.
func units(c *remote.Contract) string {
	if n := &c.Normalization; n.Method != normalize.Server {
		return fmt.Sprintf("normalised here by %s of %s", n.Method, n.Statistics)
	}
	return "numbers are m and rad by the server's word, not normalised here"
}

// picture tells what the server will see of the camera's picture.
func (e *examiner) picture() {
	c, cam := e.policy.Contract(), &e.cfg.Camera
	w, h := c.Image.Width, c.Image.Height
	switch {
	case !c.WantsPicture():
		e.add("picture", doctor.OK, "", "none wanted")
	case c.Image.Resize == picture.None && w != 0 && (w != cam.Width || h != cam.Height):
		e.add("picture", doctor.Fail, "set remote.image.resize to pad or lanczos, or the camera to the size",
			"%s wants %dx%d px as they are; the camera gives %dx%d", c.Image.Key, w, h, cam.Width, cam.Height)
	case c.Image.Resize == picture.None:
		e.add("picture", doctor.OK, "", "%s: %dx%d px as the camera gives them, RGB", c.Image.Key, cam.Width, cam.Height)
	default:
		how := "padded, all of it"
		if c.Image.Resize != picture.Pad {
			how = fmt.Sprintf("%s, aspect %.2f becomes %.2f", c.Image.Resize, float64(cam.Width)/float64(cam.Height), float64(w)/float64(h))
		}
		e.add("picture", doctor.OK, "", "%s: %dx%d px becomes %dx%d, RGB, %s", c.Image.Key, cam.Width, cam.Height, w, h, how)
	}
}

// exam sums answers up.
type exam struct {
	latencies   []time.Duration
	refused     error
	refusals    int
	least, most twinrig.Action
	unreachable error
	stuck       int // answers that the arm could not follow to their end
}

// warm asks once and does not look at the answer: a model compiles at its first
// question. Only silence is an error.
func (e *examiner) warm(ctx context.Context) error {
	within, cancel := context.WithTimeout(ctx, e.warmUp)
	defer cancel()
	if _, err := e.policy.Act(within, &e.shown[0].observation); within.Err() != nil {
		return err
	}
	return nil
}

// answers asks for each thing to show, and judges shape, numbers and speed.
func (e *examiner) answers(ctx context.Context) error {
	var x exam
	for k := range x.least {
		x.least[k], x.most[k] = math.Inf(1), math.Inf(-1)
	}
	asked := max(leastAsks, len(e.shown))
	for i := range asked {
		if err := e.ask(ctx, i, &x); err != nil {
			return err
		}
	}
	if x.refusals > 0 {
		const fix = "correct the server's output, or the contract (space, horizon, normalisation) on the side that is wrong"
		e.add("answers", doctor.Fail, fix, "%d of %d refused: %v", x.refusals, asked, x.refused)
	} else {
		e.add("answers", doctor.OK, "", "%d asked, all of %d actions of %d numbers", asked, e.policy.Spec().Horizon, twinrig.NumAxes)
	}
	e.actions(&x)
	e.latency(&x)
	return nil
}

// leastAsks is how often a server is asked at least: for a latency that means
// something.
const leastAsks = 10

// ask asks once; its error is an interruption only.
func (e *examiner) ask(ctx context.Context, i int, x *exam) error {
	s := &e.shown[i%len(e.shown)]
	within, cancel := context.WithTimeout(ctx, e.cfg.Policy.Timeout)
	defer cancel()
	begun := time.Now()
	chunk, err := e.policy.Act(within, &s.observation)
	took := time.Since(begun)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil {
		_, err = policy.Check(chunk, e.policy.Spec(), &e.cfg.Policy)
	}
	x.latencies = append(x.latencies, took)
	for _, a := range chunk {
		for k, v := range a {
			x.least[k], x.most[k] = min(x.least[k], v), max(x.most[k], v)
		}
	}
	if err != nil {
		x.refusals++
		x.refused = err
		return nil
	}
	c := e.composer(s)
	for k, a := range chunk[:e.policy.Spec().Execute] {
		if _, err := c.Compose(a); err != nil {
			x.stuck++
			x.unreachable = fmt.Errorf("action %d: %w", k, err)
			break
		}
	}
	return nil
}

// composer begins where the arm is seen.
func (e *examiner) composer(s *sight) policy.Composer {
	c := policy.NewComposer(e.policy.Spec().Space, sim.NewKinematics(), e.cfg.Loop.Guard.Allow(contacts(&e.cfg.Loop.Guard)), e.cfg.Policy.Limits())
	c.Start(s.observation.State.Measured, s.observation.State.Grip)
	return c
}

// actions compares what was answered with what this rig allows.
func (e *examiner) actions(x *exam) {
	if math.IsInf(x.least[0], 1) {
		e.add("actions", doctor.Fail, "fix answers first", "none")
		return
	}
	far := func(from, to int) float64 {
		var m float64
		for k := from; k < to; k++ {
			m = max(m, math.Abs(x.least[k]), math.Abs(x.most[k]))
		}
		return m
	}
	seen := fmt.Sprintf("at most %.1f mm of %.0f and %.3f rad of %.3f a step; gripper %.2f to %.2f",
		1000*far(0, 3), 1000*e.cfg.Policy.MaxTranslation, far(3, twinrig.GripAxis), e.cfg.Policy.MaxRotation,
		x.least[twinrig.GripAxis], x.most[twinrig.GripAxis])
	switch {
	case x.stuck > 0:
		e.add("actions", doctor.Warn, "look whether frames and units are the arm's (docs of the model); near the workspace's edge some are normal",
			"%s; the arm could not follow %d answers: %v", seen, x.stuck, x.unreachable)
	case e.blind:
		e.add("actions", doctor.Warn, "show it recorded trials: --log trial.mcap", "%s; seen a test picture only, so these say little", seen)
	default:
		e.add("actions", doctor.OK, "", "%s; %d recorded moments shown", seen, len(e.shown))
	}
}

// latency compares with how long the arm has goals for.
func (e *examiner) latency(x *exam) {
	slices.Sort(x.latencies)
	at := func(q float64) time.Duration { return x.latencies[int(q*float64(len(x.latencies)-1)+0.5)] }
	p50, p95 := at(0.5), at(0.95)
	spec := e.policy.Spec()
	steps := min(e.cfg.Policy.Ahead+1, spec.Execute)
	if e.cfg.Policy.Chunking != policy.Sequential { // what is left of the old answer
		steps = max(1, spec.Horizon-spec.Execute)
	}
	budget := time.Duration(steps) * spec.Period()
	said := fmt.Sprintf("p50 %.0f ms, p95 %.0f ms of %d answers; goals last %.0f ms after a question", ms(p50), ms(p95), len(x.latencies), ms(budget))
	switch {
	case p95 >= e.cfg.Policy.Timeout:
		e.add("latency", doctor.Fail, "make the server faster, or raise policy.timeout", "%s; policy.timeout is %v", said, e.cfg.Policy.Timeout)
	case p95 > budget:
		e.add("latency", doctor.Warn, "use policy.chunking realtime, raise policy.ahead, or execute more of each answer",
			"%s: the arm would stand for some %.0f ms each %d steps", said, ms(p95-budget), spec.Execute)
	default:
		e.add("latency", doctor.OK, "", "%s", said)
	}
}

func ms(d time.Duration) float64 { return 1000 * d.Seconds() }
