package mirror

import (
	"fmt"
	"time"

	"twinrig"
	"twinrig/sim"
)

// Twin is what the mirror simulates: the world, how the arm's motors behave,
// and the host's gains for ModeTorque.
type Twin struct {
	Spec  sim.Spec
	Arm   sim.ArmConfig
	Gains twinrig.Gains
}

// Watcher looks at the mirror's world once per control step, such as a judge of
// its outcome. It is called on the mirror's goroutine and must not keep the
// world.
type Watcher interface {
	// Begin is called when a trial begins and the objects have settled.
	Begin(w *sim.World) error
	// Watch is given the simulated state and the commanded opening.
	Watch(now time.Duration, w *sim.World, s *twinrig.State, goal twinrig.Grip) error
}

// New builds the mirror's world and starts its goroutine. The watcher may be
// nil. Close the mirror after use.
func New(cfg Config, t Twin, w Watcher, h Hooks) (*Mirror, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("mirror: %w", err)
	}
	l, err := newLaw(&t.Arm, t.Gains)
	if err != nil {
		return nil, err
	}
	s, err := newSimTwin(t, w)
	if err != nil {
		return nil, err
	}
	f := &follower{cfg: cfg, law: l, twin: s, kin: sim.NewKinematics()}
	return newMirror(f, h, s.world.Close), nil
}

// Replayer replays recorded motion. It belongs to one goroutine.
type Replayer struct {
	cfg  ReplayConfig
	law  law
	twin *simTwin
	kin  *sim.Kinematics
}

// NewReplayer builds the world that recordings are replayed in.
func NewReplayer(cfg ReplayConfig, t Twin) (*Replayer, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("mirror: replay: %w", err)
	}
	l, err := newLaw(&t.Arm, t.Gains)
	if err != nil {
		return nil, err
	}
	s, err := newSimTwin(t, nil)
	if err != nil {
		return nil, err
	}
	return &Replayer{cfg: cfg, law: l, twin: s, kin: sim.NewKinematics()}, nil
}

// Replay starts the mirror at the segment's first state, commands its targets,
// and compares with its other states. Gravity is made up for but for the
// configured share.
func (r *Replayer) Replay(seg Segment) (Replayed, error) {
	p := replay{cfg: r.cfg, law: r.law, twin: r.twin, kin: r.kin, seg: &seg}
	return p.run()
}

// Close frees the world.
func (r *Replayer) Close() { r.twin.world.Close() }

// settling is how long the objects have to come to rest before a trial.
const settling = 100 * time.Millisecond

// simTwin is the simulated arm of a sim.World.
type simTwin struct {
	world   *sim.World
	cfg     sim.ArmConfig
	arm     *sim.Arm
	watcher Watcher
	offset  time.Duration // from the rig's time to the world's
}

func newSimTwin(t Twin, w Watcher) (*simTwin, error) {
	world, err := sim.NewWorld(t.Spec)
	if err != nil {
		return nil, fmt.Errorf("mirror: %w", err)
	}
	s := &simTwin{world: world, cfg: t.Arm, watcher: w}
	// A wrong arm is an error now, not at the first trial.
	if s.arm, err = sim.NewArm(world, t.Arm); err != nil {
		world.Close()
		return nil, fmt.Errorf("mirror: %w", err)
	}
	return s, nil
}

func (t *simTwin) Start(s *twinrig.State, objects map[string]twinrig.Pose) error {
	if err := t.world.Reset(); err != nil {
		return err
	}
	for name, x := range objects {
		if err := t.world.SetBody(name, x); err != nil {
			return err
		}
	}
	// Let the objects settle under a held arm, then put the arm where it was
	// measured: holding may have moved it.
	arm, err := sim.NewArm(t.world, t.cfg)
	if err != nil {
		return err
	}
	t.arm = arm
	if err := t.hold(s); err != nil {
		return err
	}
	var settled twinrig.State
	if err := arm.Read(t.world.Time()+settling, &settled); err != nil {
		return err
	}
	if err := t.hold(s); err != nil {
		return err
	}
	t.offset = t.world.Time() - s.Stamp
	if t.watcher != nil {
		return t.watcher.Begin(t.world)
	}
	return nil
}

// hold puts the arm at a measured state, at rest, and lets it hold there.
func (t *simTwin) hold(s *twinrig.State) error {
	finger := max(twinrig.FingerClosed, min(twinrig.FingerOpen, s.Grip.Finger()))
	t.world.SetArm(s.Measured, finger)
	return t.arm.Enable()
}

func (t *simTwin) Read(now time.Duration, s *twinrig.State) error {
	err := t.arm.Read(now+t.offset, s)
	s.Stamp = now
	return err
}

func (t *simTwin) Write(now time.Duration, c twinrig.Command) (twinrig.Command, error) {
	return t.arm.Write(now+t.offset, c)
}

func (t *simTwin) Watch(now time.Duration, s *twinrig.State, goal twinrig.Grip) error {
	if t.watcher == nil {
		return nil
	}
	return t.watcher.Watch(now, t.world, s, goal)
}
