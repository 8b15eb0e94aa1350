package scripted

import (
	"context"
	"math"
	"math/rand/v2"

	"twinrig"
	"twinrig/policy"
)

// The hand's measures, m: how far the fingertips reach beyond the pinch point
// E (URDF, finger frame to tip less finger frame to E), and how much thinner
// than the finger joints' distance the opening between the pads is, per finger.
const (
	tipBeyondE   = 0.0144
	padThickness = 0.011
	tipClearance = 0.003
	palmReach    = 0.025
)

// horizon is the chunk length; all of it is executed.
const horizon = 4

// Policy is the expert. It believes that its actions are carried out, and looks
// at the measured joints whenever the hand should be standing still.
type Policy struct {
	cfg Config
	kin policy.Kinematics
	rng *rand.Rand

	started bool
	phase   phase
	target  twinrig.Pose // where it believes the target is
	grip    float64      // what it asks of the gripper
	still   int          // steps since the last motion asked for
	shut    int          // steps since the gripper was asked to change
	tries   int          // corrections made in this phase
	retries int

	aim     aim
	drop    aim
	release float64 // share of the carrying after which it lets go; 2: never
	carry   float64 // length of the carrying, m
	chunk   policy.Chunk
}

// aim is where it thinks a thing is.
type aim struct{ x, y, yaw float64 }

// New makes an expert for one task. It uses kin's Forward only, in Act.
func New(cfg Config, kin policy.Kinematics) (*Policy, error) {
	if err := cfg.Task.Validate(); err != nil {
		return nil, err
	}
	if err := cfg.Skill.Validate(); err != nil {
		return nil, err
	}
	e := &Policy{cfg: cfg, kin: kin, chunk: make(policy.Chunk, horizon)}
	return e, e.Reset(context.Background())
}

// Spec implements policy.Policy.
func (e *Policy) Spec() policy.Spec {
	return policy.Spec{Space: policy.BridgeDelta, RateHz: 5, Horizon: horizon, Execute: horizon}
}

// Reset implements policy.Policy: it starts over, from the same seed.
func (e *Policy) Reset(context.Context) error {
	*e = Policy{cfg: e.cfg, kin: e.kin, chunk: e.chunk, rng: rand.New(rand.NewPCG(e.cfg.Seed, 0x5c21))}
	return nil
}

// Act implements policy.Policy.
func (e *Policy) Act(ctx context.Context, o *twinrig.Observation) (policy.Chunk, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	measured := e.kin.Forward(o.State.Measured)
	if !e.started {
		e.started, e.target, e.grip, e.shut = true, measured, 1, 100
		e.takeAim()
	}
	e.look(measured, float64(o.State.Grip))
	for i := range e.chunk {
		e.chunk[i] = e.act()
	}
	return e.chunk, nil
}

// Phase names what it is doing, for logs and tests.
func (e *Policy) Phase() string { return phaseNames[e.phase] }

// act asks for one step towards the phase's pose, and enters the next phase
// when the target is there and nothing has to be looked at first.
func (e *Policy) act() twinrig.Action {
	for e.arrived() && e.still >= settle[e.phase] && !e.looks() {
		e.next()
	}
	to, speed := e.goal()
	from := e.target
	e.target = stepTowards(from, to, speed, e.cfg.Skill.Turn)
	if dist, angle := from.Gap(e.target); dist < 1e-9 && angle < 1e-9 {
		e.still++
	} else {
		e.still = 0
	}
	if want := e.wantGrip(); want != e.grip {
		e.grip, e.shut = want, 0
	} else {
		e.shut++
	}
	return policy.ActionBetween(from, e.target, e.grip)
}

// arrived tells whether the believed target is at the phase's pose.
func (e *Policy) arrived() bool {
	to, _ := e.goal()
	dist, angle := e.target.Gap(to)
	return dist < 1e-6 && angle < 1e-5
}

// takeAim draws where it thinks source and target are.
func (e *Policy) takeAim() {
	s, t, k := e.cfg.Task.Source, e.cfg.Task.Target, e.cfg.Skill
	e.aim = aim{
		s.X + k.AimSigma*e.rng.NormFloat64(), s.Y + k.AimSigma*e.rng.NormFloat64(),
		graspYaw(s, policy.StateFromPose(e.target, 0)[5]) + k.YawSigma*e.rng.NormFloat64(),
	}
	e.drop = aim{
		x: t.X + k.AimSigma*e.rng.NormFloat64(), y: t.Y + k.AimSigma*e.rng.NormFloat64(),
	}
	e.carry = math.Hypot(e.drop.x-e.aim.x, e.drop.y-e.aim.y)
	e.release = 2
	if early, at := e.rng.Float64() < k.EarlyRelease, 0.2+0.6*e.rng.Float64(); early {
		e.release = at
	}
}

// graspYaw picks the symmetric grasp that turns the hand least from yaw.
func graspYaw(s Source, yaw float64) float64 {
	if s.Symmetry == 0 {
		return yaw
	}
	return yaw + math.Remainder(s.Yaw-yaw, 2*math.Pi/float64(s.Symmetry))
}

// stepTowards goes from one pose to another on the straight line, in as many
// equal steps as the speeds (m, rad per step) need.
func stepTowards(from, to twinrig.Pose, speed, turn float64) twinrig.Pose {
	dist, angle := from.Gap(to)
	n := math.Ceil(max(dist/speed, angle/turn) - 1e-9)
	if n <= 1 {
		return to
	}
	v := to.R.Mul(from.R.Inv()).RotVec()
	r := twinrig.IdentityQuat
	if angle > 1e-9 {
		r = twinrig.QuatFromAxisAngle(v.Scale(1/v.Norm()), v.Norm()/n)
	}
	return twinrig.Pose{
		R: r.Mul(from.R).Normalized(),
		P: from.P.Add(to.P.Sub(from.P).Scale(1 / n)),
	}
}
