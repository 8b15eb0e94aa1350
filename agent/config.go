package agent

import (
	"fmt"
	"math"
	"time"

	"twinrig"
)

// Config is the loop's. Arrays are one number per joint, base first.
type Config struct {
	// RateHz is the control rate.
	RateHz float64 `yaml:"rate_hz"`
	// Kp and Kd are the host's gains in torque mode.
	Kp twinrig.Joints `yaml:"kp_nm_per_rad,flow"`
	Kd twinrig.Joints `yaml:"kd_nm_s_per_rad,flow"`
	// Friction is how much of the joints' friction is made up for in torque mode.
	Friction FrictionConfig `yaml:"friction"`
	// MaxMisses cycles in a row without a trustworthy reading, or without a
	// command sent, are a fault.
	MaxMisses int         `yaml:"max_misses"`
	Guard     GuardConfig `yaml:"guard"`
	Motion    Motion      `yaml:"motion"`
	Stop      StopConfig  `yaml:"stop"`
	// Recovery is how faults are recovered from.
	Recovery RecoveryConfig `yaml:"recovery"`
}

// FrictionConfig says how the friction that calibration measured is made up for.
type FrictionConfig struct {
	// On switches it on.
	On bool `yaml:"on"`
	// Share is how much of it: all of a friction that was measured too high makes a
	// joint run ahead.
	Share float64 `yaml:"share"`
	// Smooth is twinrig.Friction's.
	Smooth float64 `yaml:"smooth_rad_s"`
}

// Motion shapes what happens between goals.
type Motion struct {
	// StepHorizon is how many control steps a policy's goal is given to be
	// reached: more than one, so that the arm does not stop at each.
	StepHorizon float64 `yaml:"step_horizon"`
	// Policy and Move are the limits while a policy drives and for joint
	// moves (home, start pose, park).
	Policy Speed `yaml:"policy"`
	Move   Speed `yaml:"move"`
}

// Speed limits every joint of a motion.
type Speed struct {
	Velocity     float64 `yaml:"velocity_rad_s"`
	Acceleration float64 `yaml:"acceleration_rad_s2"`
	Jerk         float64 `yaml:"jerk_rad_s3"`
}

// StopConfig is how the arm is brought to rest for good.
type StopConfig struct {
	// Park is the pose in which torque may go off.
	Park twinrig.Joints `yaml:"park_rad,flow"`
	// Via are poses by way of which it is reached where the guard has something
	// against the direct way, but for the waist; the first that helps is taken.
	Via []twinrig.Joints `yaml:"via_rad,flow"`
	// Speed limits the joints on the way.
	Speed Speed `yaml:"speed"`
	// Hold is how long the arm first stands; Limit bounds the whole sequence.
	Hold  time.Duration `yaml:"hold"`
	Limit time.Duration `yaml:"limit"`
}

// DefaultConfig suits a WidowX 250S at 1 Mbps.
//
// The gains hold with the moments of inertia that these joints have over the
// workspace, 0.03 to 0.3 kg m^2 at the waist and shoulder down to 0.02 at the
// wrist, and 5 ms from reading to torque; see TestGainsAreStableWithDelay.
// wrist_rotate has none: its servo closes its own loop in either mode.
func DefaultConfig() Config {
	return Config{
		RateHz:    300,
		Kp:        twinrig.Joints{60, 120, 80, 25, 30, 0},
		Kd:        twinrig.Joints{2.5, 7, 4, 1.3, 1.4, 0},
		Friction:  FrictionConfig{On: true, Share: 0.8, Smooth: 0.05},
		MaxMisses: 10,
		Guard:     DefaultGuard(),
		Motion: Motion{
			StepHorizon: 1.5,
			Policy:      Speed{Velocity: 2.4, Acceleration: 25, Jerk: 1500},
			Move:        Speed{Velocity: 1.2, Acceleration: 3, Jerk: 60},
		},
		Stop: StopConfig{
			Park: twinrig.SleepPose,
			// Folded before the shoulder with the hand down a little, and tucked
			// in: each helps nearly half of the random poses from which the model's
			// arm cannot fold directly, which are a twelfth of all.
			Via: []twinrig.Joints{
				{twinrig.Shoulder: -0.96, twinrig.Elbow: 1.16, twinrig.WristAngle: -0.3},
				{twinrig.Shoulder: -1.2, twinrig.Elbow: 0.9},
			},
			Speed: Speed{Velocity: 1, Acceleration: 2, Jerk: 40},
			Hold:  300 * time.Millisecond,
			Limit: 15 * time.Second,
		},
		Recovery: RecoveryConfig{CoolDown: 10 * time.Second, Attempts: 3, Patience: 2 * time.Minute},
	}
}

// Period is one control cycle.
func (c *Config) Period() time.Duration {
	return time.Duration(float64(time.Second) / c.RateHz)
}

// Gains are the torque law's, for an arm whose Coulomb friction (Nm) and damping (Nm
// s/rad) are these.
func (c *Config) Gains(coulomb, damping twinrig.Joints) twinrig.Gains {
	g := twinrig.Gains{Kp: c.Kp, Kd: c.Kd}
	if f := &c.Friction; f.On {
		g.Friction = twinrig.Friction{Coulomb: coulomb.Scale(f.Share), Viscous: damping.Scale(f.Share), Smooth: f.Smooth}
	}
	return g
}

// Validate names the first key that is out of range.
func (c *Config) Validate() error {
	check := []limit{
		{"rate_hz", c.RateHz, 20, 1000},
		{"max_misses", float64(c.MaxMisses), 1, 1000},
		{"friction.share", c.Friction.Share, 0, 1},
		{"friction.smooth_rad_s", c.Friction.Smooth, 0.005, 1},
		{"motion.step_horizon", c.Motion.StepHorizon, 1, 5},
		{"motion.policy.velocity_rad_s", c.Motion.Policy.Velocity, 0.01, math.Pi},
		{"motion.policy.acceleration_rad_s2", c.Motion.Policy.Acceleration, 0.1, 200},
		{"motion.policy.jerk_rad_s3", c.Motion.Policy.Jerk, 1, 1e5},
		{"motion.move.velocity_rad_s", c.Motion.Move.Velocity, 0.01, math.Pi},
		{"motion.move.acceleration_rad_s2", c.Motion.Move.Acceleration, 0.1, 200},
		{"motion.move.jerk_rad_s3", c.Motion.Move.Jerk, 1, 1e5},
		{"stop.speed.velocity_rad_s", c.Stop.Speed.Velocity, 0.01, math.Pi},
		{"stop.speed.acceleration_rad_s2", c.Stop.Speed.Acceleration, 0.1, 200},
		{"stop.speed.jerk_rad_s3", c.Stop.Speed.Jerk, 1, 1e5},
		{"stop.hold in s", c.Stop.Hold.Seconds(), 0, 10},
		{"stop.limit in s", c.Stop.Limit.Seconds(), 1, 60},
		{"recovery.cool_down in s", c.Recovery.CoolDown.Seconds(), 0, 600},
		{"recovery.attempts", float64(c.Recovery.Attempts), 0, 20},
		{"recovery.patience in s", c.Recovery.Patience.Seconds(), 0, 24 * 3600},
	}
	for i := range twinrig.NumJoints {
		check = append(check,
			limit{"kp_nm_per_rad of " + twinrig.AxisNames[i], c.Kp[i], 0, 500},
			limit{"kd_nm_s_per_rad of " + twinrig.AxisNames[i], c.Kd[i], 0, 50})
	}
	if err := within(check); err != nil {
		return fmt.Errorf("agent: %w", err)
	}
	if err := twinrig.PositionLimits.Check(c.Stop.Park); err != nil {
		return fmt.Errorf("agent: stop.park_rad: %w", err)
	}
	for i, q := range c.Stop.Via {
		if err := twinrig.PositionLimits.Check(q); err != nil {
			return fmt.Errorf("agent: stop.via_rad %d: %w", i, err)
		}
	}
	return c.Guard.Validate(c.Period())
}

// limit is a key, its value, and the closed range it must be in.
type limit struct {
	key          string
	v, least, mx float64
}

func within(ls []limit) error {
	for _, l := range ls {
		if !(l.v >= l.least && l.v <= l.mx) {
			return fmt.Errorf("%s is %g, must be %g to %g", l.key, l.v, l.least, l.mx)
		}
	}
	return nil
}
