package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"time"

	"twinrig"
	"twinrig/agent"
	"twinrig/agent/record"
	"twinrig/eval"
	"twinrig/policy"
	"twinrig/policy/remote"
	"twinrig/sim"
	"twinrig/sim/mirror"
	"twinrig/sim/scene"
)

const quarterTurn = math.Pi / 2

// startTolerance is how near the start pose a trial begins, rad.
const startTolerance = 0.02

// settling is how long the placed objects and the arm stand before a trial.
const settling = 300 * time.Millisecond

// trial is one trial on its way.
type trial struct {
	*runner
	spec      eval.Trial
	stage     *stage
	placement scene.Placement

	rec     *record.Writer
	judge   *scene.Judge
	guard   *agent.Incidents // nil until the policy drives
	began   time.Duration
	started bool
	steps   int
	frame   twinrig.Frame
	seen    uint64 // Seq of the last recorded frame
	events  scene.Event
	failed  error  // why watching failed
	lost    uint64 // reports lost before the trial
	call    call   // what the person called out
}

func (t *trial) run(ctx context.Context) (res eval.Result, err error) {
	res.Provenance = eval.Provenance{
		ConfigSHA256: t.digest, Software: softwareVersion(), MuJoCo: mujocoVersion(), Seed: t.spec.Seed,
	}
	if t.judge, err = scene.NewJudge(&t.stage.scene, scene.DefaultRules()); err != nil {
		return res, err
	}
	if err := t.setUp(ctx); err != nil {
		return t.fault(res, err)
	}
	if t.rec, err = record.Create(t.path(), t.header(), t.cell.cfg.Record); err != nil {
		return res, err
	}
	t.recording.Store(t.rec)
	end, runErr := t.drive(ctx)
	t.cell.watch()
	if t.guard != nil {
		t.guard.Finish(t.incident)
	}
	defer t.recording.Store(nil)
	// Time counts from the first action sent, which the first answer had to
	// come for.
	t.began = end.Began + end.Policy.Waited
	res.Start, res.End = t.began.Seconds(), max(t.began, end.Ended).Seconds()
	res.ControlSteps, res.Loop = end.Steps, t.cell.meter.loop()
	if end.Policy.Asked > 0 {
		res.Loop.Inference = inference(&end.Policy)
	}
	stopErr := t.stage.mirror.Stop()
	t.finish(&res, end, runErr)
	if err := errors.Join(stopErr, t.rec.Close()); err != nil {
		return res, err
	}
	if runErr != nil {
		return t.fault(res, runErr)
	}
	return res, nil
}

func (t *trial) path() string {
	return filepath.Join(t.dir, "trials", t.spec.ID, "trial.mcap")
}

func (t *trial) header() record.Header {
	kind := "real"
	if t.virtual {
		kind = "virtual"
	}
	return record.Header{
		Trial: t.spec.ID, Rig: t.cell.cfg.Name, Kind: kind,
		Fields: map[string]string{
			"scene": t.spec.Scene, "policy": t.spec.Policy, "source": t.source(), "instruction": t.spec.Instruction,
			"seed": fmt.Sprint(t.spec.Seed), "config_sha256": t.digest,
			"software": softwareVersion(), "mujoco": mujocoVersion(),
		},
		Attachments: []record.Attachment{
			{Name: "config.yaml", MediaType: "application/yaml", Data: t.config},
			{Name: "calibration.yaml", MediaType: "application/yaml", Data: t.calib},
		},
	}
}

// source is the policy's for the log: a blinded study's logs do not tell.
func (t *trial) source() string {
	if t.blinded {
		return ""
	}
	return t.spec.Source
}

// setUp brings the arm out of the way and has the objects placed.
func (t *trial) setUp(ctx context.Context) error {
	if err := t.weigh(ctx); err != nil {
		return err
	}
	if err := t.cell.runner.MoveTo(ctx, mirror.NeutralPose, 1, startTolerance); err != nil {
		return err
	}
	if err := t.operator.Stage(ctx, &t.stage.scene, t.placement, t.spec.Seed); err != nil {
		return err
	}
	_, err := t.cell.runner.Run(ctx, agent.Hold{}, func(*twinrig.Report) bool { return false }, settling)
	return err
}

// drive lets the policy drive.
func (t *trial) drive(ctx context.Context) (agent.TrialEnd, error) {
	p, err := t.policy()
	if err != nil {
		return agent.TrialEnd{}, err
	}
	eye := &eye{instruction: t.spec.Instruction}
	if r, ok := p.(*remote.Policy); ok && r.Contract().WantsPicture() {
		eye.camera = t.cell.camera
	}
	var exec policy.Executor
	if t.lockstep {
		exec = policy.NewInline(func() time.Duration { return t.study.Inference })
	} else {
		exec = policy.NewAsync()
	}
	return t.cell.runner.RunTrial(ctx, agent.Trial{
		Start: mirror.NeutralPose, StartTol: startTolerance,
		Broker: t.cell.cfg.Policy,
		Deps: policy.Deps{
			Policy: p, Kin: sim.NewKinematics(), Allow: t.cell.allow(),
			Observer: eye, Executor: exec,
		},
		Ready: t.ready,
		Judge: t.watch,
		// One more second than the time-out, in which a success whose dwell
		// has begun in time may be completed.
		Limit: seconds(t.spec.Timeout) + time.Second,
	})
}

func (t *trial) policy() (policy.Policy, error) {
	if p := t.servers[t.spec.Source]; p != nil {
		return p, nil
	}
	return builtIn(t.spec.Source, t.stage.task(t.placement), t.spec.Seed)
}

// ready is the last gate: the judge looks at the scene, the mirror takes its
// place, and everybody begins to listen.
func (t *trial) ready(rep *twinrig.Report) error {
	if err := t.gate(); err != nil {
		return err
	}
	if err := t.operator.See(t.judge.Start); err != nil {
		return err
	}
	if err := t.stage.mirror.Start(rep.State, t.stage.scene.Poses(t.placement)); err != nil {
		return err
	}
	t.cell.meter.reset()
	t.event(rep.Now, "trial_start", t.spec.Instruction)
	t.lost = t.cell.relay.Dropped()
	t.guard = agent.NewIncidents(t.cell.cfg.Loop.Guard, sim.NewKinematics())
	t.cell.watch(t.rec, t.guard, t.stage.sink(t.lockstep))
	return nil
}

// watch is asked once a control step whether the trial is over.
func (t *trial) watch(rep *twinrig.Report) bool {
	if !t.started {
		t.started, t.began = true, rep.Now
	}
	if t.steps%t.study.FrameEvery == 0 {
		t.look()
	}
	t.steps++
	t.guard.Drain(t.incident)
	if t.person != nil {
		return t.hear(rep.Now)
	}
	tick := scene.Tick{Now: rep.Now, Grip: rep.State.Grip, GripGoal: rep.Sent.Grip}
	t.failed = t.operator.See(func(v scene.View) error {
		ev, err := t.judge.Step(tick, v)
		if began := ev &^ t.events; began != 0 {
			t.event(rep.Now, "seen", strings.Join(began.Names(), " "))
		}
		t.events = ev
		return err
	})
	if t.failed != nil || t.judge.Done() {
		return true
	}
	return rep.Now-t.began >= seconds(t.spec.Timeout) && !t.judge.Pending()
}

// look records a frame if there is a new one. A camera without one is judged by
// its health, not here.
func (t *trial) look() {
	if t.cell.camera == nil || t.cell.camera.Latest(&t.frame) != nil || t.frame.Seq == t.seen {
		return
	}
	t.seen = t.frame.Seq
	t.rec.PutFrame(cameraName, &t.frame)
	t.pictures.keep(&t.frame)
}

func (t *trial) event(at time.Duration, kind, detail string) {
	e := twinrig.Event{Stamp: at, Kind: kind, Trial: t.spec.ID, Detail: detail}
	t.rec.PutEvent(&e)
	if t.tell != nil {
		t.tell.PutEvent(&e)
	}
}

// incident logs what the guard did.
func (t *trial) incident(e twinrig.Event) { t.event(e.Stamp, e.Kind, e.Detail) }

// fault turns an error that the rig or the policy is to blame for into a result;
// an interruption stays an error, and so does an arm that no trial may be run on.
func (t *trial) fault(res eval.Result, err error) (eval.Result, error) {
	var f *agent.Fault
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, agent.ErrCarry):
		return res, err
	case errors.Is(err, errCamera):
		res.Termination, res.Note = eval.HardwareFault, err.Error()
		t.tellFault("camera_fault", err)
	case errors.As(err, &f) || errors.Is(err, agent.ErrNotThere):
		res.Termination, res.Note = eval.HardwareFault, err.Error()
		t.tellFault("robot_fault", err)
	case errors.Is(err, policy.ErrFault):
		err = t.blind(err)
		res.Termination, res.Note = eval.PolicyFault, err.Error()
		t.tellFault("policy_fault", err)
	default:
		res.Termination, res.Note = eval.Invalid, err.Error()
	}
	res.Verdict = nil
	return res, nil
}

// blind leaves out of an error what names a policy's server, if the study is blinded.
func (t *trial) blind(err error) error {
	var s *remote.ServerError
	if !t.blinded || !errors.As(err, &s) {
		return err
	}
	return errors.New(strings.Replace(err.Error(), s.Error(), withheld, 1))
}

// withheld stands for what a server said while nobody may know which one it is.
const withheld = "what its server did is not told in a blinded study; `twinrig policy check` tells it of every server"

// tellFault tells the world; the trial's log is closed by now.
func (t *trial) tellFault(kind string, err error) {
	if t.tell != nil {
		t.tell.PutEvent(&twinrig.Event{Stamp: t.cell.clock(), Kind: kind, Trial: t.spec.ID, Detail: err.Error()})
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
