package mirror

import (
	"fmt"
	"math"
	"time"

	"twinrig"
)

// NeutralPose is where the Bridge robots begin an episode, rad: the seed of the
// inverse kinematics of a recording's first state.
var NeutralPose = twinrig.Joints{-0.13192235, -0.76238847, 0.44485444, -0.01994175, 1.7564081, -0.15953401}

// Waypoint is one recorded or commanded instant.
type Waypoint struct {
	// EE is the pose of E in B.
	EE   twinrig.Pose
	Grip twinrig.Grip
}

// Segment is a stretch of recorded motion: States[t] was measured and then
// Targets[t] commanded, t/Hz seconds after the first.
type Segment struct {
	ID              string
	Hz              float64
	States, Targets []Waypoint
}

// ReplayConfig says how a recording's targets become goals. None of it is
// fitted to the recordings.
type ReplayConfig struct {
	// Tick is the period of the control loop.
	Tick time.Duration `yaml:"tick"`
	// Move is how long the goal takes to a new target. The Bridge robots'
	// moves take 1.25 of their control step.
	Move time.Duration `yaml:"move"`
	// Delay is the time from a command to the start of its move.
	Delay time.Duration `yaml:"delay"`
	// MaxStep is the most that a joint may turn to one target, rad.
	MaxStep float64 `yaml:"max_step_rad"`
	// Unheld is the share of gravity that the recorded arm's goals did not make
	// up for, so that it hung below them: 0 none, 1 all.
	Unheld float64 `yaml:"unheld"`
}

// DefaultReplayConfig is the Bridge robots' timing, without delay, for an arm
// that stands on its goals.
func DefaultReplayConfig() ReplayConfig {
	return ReplayConfig{Tick: 5 * time.Millisecond, Move: 250 * time.Millisecond, MaxStep: 0.6}
}

// Validate names the first key whose value is impossible, and its limit.
func (c *ReplayConfig) Validate() error {
	switch {
	case c.Tick < time.Millisecond || c.Tick > 100*time.Millisecond:
		return fmt.Errorf("tick: %v is outside 1ms to 100ms", c.Tick)
	case c.Move < c.Tick || c.Move > 10*time.Second:
		return fmt.Errorf("move: %v is outside one tick to 10s", c.Move)
	case c.Delay < 0 || c.Delay > time.Second:
		return fmt.Errorf("delay: %v is outside 0 to 1s", c.Delay)
	case !(c.MaxStep > 0 && c.MaxStep <= math.Pi):
		return fmt.Errorf("max_step_rad: %g is outside 0 to %.4g", c.MaxStep, math.Pi)
	case !(c.Unheld >= 0 && c.Unheld <= 2):
		return fmt.Errorf("unheld: %g is outside 0 to 2", c.Unheld)
	}
	return nil
}

// Replayed is the gap of one segment.
type Replayed struct {
	ID string
	// Steps counts the compared states: all but the first, where the mirror
	// began.
	Steps int
	// Unreachable counts the targets that the arm could not be led to; the
	// goal then stayed.
	Unreachable int
	// Position is in m, Rotation in rad, Grip in openings. GripFree is the
	// gripper's over the first Free states, those before the first command to
	// close took effect: after it the recorded fingers may hold an object that
	// the mirror has not.
	Position, Rotation, Grip, GripFree Spread
	Free                               int
	// Hold is what Position would be of an arm that never moved: the scale to
	// read Position by.
	Hold Spread
	// Lags is the position error's RMS in m if the mirror is read the delay
	// earlier: where it is least, that much later does the recorded arm move
	// than the mirror. It explains the gap and is no part of it.
	Lags []Lag
	// Offsets are from the recorded to the simulated E at each comparison, m in B.
	Offsets []twinrig.Vec3
	// Gaps are the comparisons; only Stamp, Step, Translation, Rotation and
	// Grip are known.
	Gaps []twinrig.Gap
}

// Lag is a delay and the position error's RMS in m at it.
type Lag struct {
	Delay time.Duration
	RMS   float64
}

// The delays at which Lags are computed.
const (
	lagLeast = -200 * time.Millisecond
	lagMost  = 400 * time.Millisecond
	lagStep  = 20 * time.Millisecond
)

// closing is the commanded opening below which a gripper is told to close.
const closing = 0.5

// inverter is the kinematics that a replay needs.
type inverter interface {
	kinematics
	Inverse(xBE twinrig.Pose, seed twinrig.Joints) (twinrig.Joints, error)
}

// replay is one segment on its way.
type replay struct {
	cfg  ReplayConfig
	law  law
	twin simulated
	kin  inverter
	seg  *Segment

	goal  twinrig.Joints // the last reachable target
	grip  twinrig.Grip
	move  move
	state twinrig.State
	trace []twinrig.Vec3 // pBE at each tick
	out   Replayed
}

func (r *replay) run() (Replayed, error) {
	seg := r.seg
	if len(seg.States) < 2 || len(seg.Targets) != len(seg.States) || !(seg.Hz > 0) {
		return Replayed{}, fmt.Errorf("mirror: %s: %d states, %d targets, %g Hz", seg.ID, len(seg.States), len(seg.Targets), seg.Hz)
	}
	q, err := r.kin.Inverse(seg.States[0].EE, NeutralPose)
	if err != nil {
		return Replayed{}, fmt.Errorf("mirror: %s: first state: %w", seg.ID, err)
	}
	r.state = twinrig.State{Measured: q, Grip: seg.States[0].Grip}
	if err := r.twin.Start(&r.state, nil); err != nil {
		return Replayed{}, fmt.Errorf("mirror: %s: %w", seg.ID, err)
	}
	r.goal, r.grip, r.move = q, seg.States[0].Grip, still(q)
	r.out = Replayed{ID: seg.ID}

	step := time.Duration(float64(time.Second) / seg.Hz)
	compared, commanded := 1, 0
	// It runs on past the last state for the lags below 0.
	end := time.Duration(len(seg.States)-1)*step - lagLeast + r.cfg.Tick
	for now := time.Duration(0); now <= end; now += r.cfg.Tick {
		if err := r.twin.Read(now, &r.state); err != nil {
			return Replayed{}, fmt.Errorf("mirror: %s: step to %v: %w", seg.ID, now, err)
		}
		r.trace = append(r.trace, r.kin.Forward(r.state.Measured).P)
		if compared < len(seg.States) && now >= time.Duration(compared)*step {
			r.compare(compared)
			compared++
		}
		if commanded < len(seg.Targets) && now >= time.Duration(commanded)*step+r.cfg.Delay {
			r.command(now, &seg.Targets[commanded])
			commanded++
		}
		if err := r.write(now); err != nil {
			return Replayed{}, fmt.Errorf("mirror: %s: at %v: %w", seg.ID, now, err)
		}
	}
	r.summarize(step)
	return r.out, nil
}

// command leads the goal to a new target, or leaves it where it is.
func (r *replay) command(now time.Duration, w *Waypoint) {
	r.grip = w.Grip
	q, err := r.kin.Inverse(w.EE, r.goal)
	if err != nil || twinrig.PositionLimits.Check(q) != nil || q.Sub(r.goal).MaxAbs() > r.cfg.MaxStep {
		r.out.Unreachable++
		return
	}
	r.goal = q
	r.move = newMove(&r.move, now, r.cfg.Move, q)
}

func (r *replay) write(now time.Duration) error {
	c := twinrig.Command{}
	c.Joints, c.Velocity = r.move.at(now)
	c.Grip = r.grip
	r.law.offset(&c, r.kin, 1-r.cfg.Unheld)
	r.law.effort(&c, &r.state, r.kin)
	_, err := r.twin.Write(now, c)
	return err
}

// compare notes the gap to recorded state t.
func (r *replay) compare(t int) {
	w := &r.seg.States[t]
	g := twinrig.Gap{Stamp: r.state.Stamp, Step: t, Grip: r.state.Grip - w.Grip}
	xBE := r.kin.Forward(r.state.Measured)
	g.Translation, g.Rotation = w.EE.Gap(xBE)
	r.out.Offsets = append(r.out.Offsets, xBE.P.Sub(w.EE.P))
	r.out.Gaps = append(r.out.Gaps, g)
}

func (r *replay) summarize(step time.Duration) {
	s := Summarize(r.out.Gaps, 0, math.Inf(1))
	r.out.Steps = s.Gaps
	r.out.Position, r.out.Rotation, r.out.Grip = s.Translation, s.Rotation, s.Grip

	// State t, gap t-1, is the last that a command to close at t cannot touch.
	for r.out.Free < r.out.Steps && r.seg.Targets[r.out.Free].Grip >= closing {
		r.out.Free++
	}
	r.out.GripFree = Summarize(r.out.Gaps[:r.out.Free], 0, math.Inf(1)).Grip

	var hold []float64
	for t := 1; t < len(r.seg.States); t++ {
		hold = append(hold, r.seg.States[t].EE.P.Sub(r.seg.States[0].EE.P).Norm())
	}
	r.out.Hold = spread(hold)
	for delay := lagLeast; delay <= lagMost; delay += lagStep {
		r.out.Lags = append(r.out.Lags, Lag{delay, r.rmsAt(step, delay)})
	}
}

// rmsAt is the position error's RMS with the mirror read delay earlier.
func (r *replay) rmsAt(step, delay time.Duration) float64 {
	var sum float64
	for t := 1; t < len(r.seg.States); t++ {
		tick := max(0, (time.Duration(t)*step-delay)/r.cfg.Tick)
		d := r.seg.States[t].EE.P.Sub(r.trace[tick]).Norm()
		sum += d * d
	}
	return rootMean(sum, r.out.Steps)
}
