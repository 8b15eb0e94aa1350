package widowx_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/calib"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
	"twinrig/drivers/widowx"
)

// linkage is seven independent joints, base first and the gripper's crank last,
// turned by nine shafts.
type linkage struct{ servotest.Flywheels }

// shafts says what joint each servo turns, and which way round it is mounted.
var shafts = [9]struct {
	axis int
	sign float64
}{{0, 1}, {1, 1}, {1, -1}, {2, 1}, {2, -1}, {3, 1}, {4, -1}, {5, 1}, {6, 1}}

func (l *linkage) Advance(dt time.Duration, torque []float64) {
	var joint [twinrig.NumAxes]float64
	for i, s := range shafts {
		joint[s.axis] += s.sign * torque[i]
	}
	l.Flywheels.Advance(dt, joint[:])
}

// Block implements servotest.Blocker.
func (l *linkage) Block(i int, blocked bool) { l.Flywheels.Block(shafts[i].axis, blocked) }

func (l *linkage) Shaft(i int) (angle, speed float64) {
	w := &l.Flywheels[shafts[i].axis]
	return shafts[i].sign * w.Angle, shafts[i].sign * w.Speed
}

// startPose has another angle for each joint; the crank's is a half open grip.
var startPose = [twinrig.NumAxes]float64{0.31, -0.52, 0.43, -0.64, 0.75, -0.26, 0.41}

// rig is a driver on nine emulated servos in lockstep.
type rig struct {
	t      *testing.T
	clock  servotest.Clock
	chain  *servotest.Chain
	joints *linkage
	bus    *dynamixel.Bus
	arm    *widowx.Arm
}

type setup struct {
	cfg    widowx.Config
	cal    calib.Arm
	params servotest.Params
	each   func(id int, p *servotest.Params) // changes one servo's parameters
	servo  func(s *servotest.Servo)          // changes each servo before its power-up
	line   func(c *servotest.Config)         // changes the wire
}

func defaults(mode twinrig.Mode) setup {
	s := setup{cfg: widowx.Default(), cal: calib.Nominal().Arm, params: servotest.DefaultParams()}
	s.cfg.Mode = mode.String()
	return s
}

// build puts nine servos as Interbotix sets them up, but for secondary IDs, on a
// bus. The arm is not open yet.
func build(t *testing.T, s setup) *rig {
	t.Helper()
	r := &rig{t: t, joints: &linkage{servotest.NewFlywheels(twinrig.NumAxes)}}
	for i, angle := range startPose {
		r.joints.Flywheels[i].Angle = angle
	}
	var servos []*servotest.Servo
	for _, m := range s.cal.Motors {
		model := &dynamixel.XM430W350
		if m.Model == calib.XL430 {
			model = &dynamixel.XL430W250
		}
		params := s.params
		if s.each != nil {
			s.each(int(m.ID), &params)
		}
		servo := servotest.NewServo(model, dynamixel.ID(m.ID), params)
		if m.Reverse {
			servo.Set(dynamixel.DriveMode, dynamixel.DriveReverse)
		}
		if s.servo != nil {
			s.servo(servo)
		}
		servos = append(servos, servo)
	}
	line := servotest.Default()
	if s.line != nil {
		s.line(&line)
	}
	r.chain = servotest.NewChain(line, servos, r.joints)
	r.bus = dynamixel.NewBus(servotest.NewPipe(r.chain, &r.clock), dynamixel.Default())
	arm, err := widowx.New(r.bus, s.cfg, s.cal)
	require.NoError(t, err)
	r.arm = arm
	return r
}

// opened is build and Open.
func opened(t *testing.T, s setup) *rig {
	t.Helper()
	r := build(t, s)
	require.NoError(t, r.arm.Open())
	return r
}

// enabled is opened and Enable.
func enabled(t *testing.T, s setup) *rig {
	t.Helper()
	r := opened(t, s)
	require.NoError(t, r.arm.Enable())
	return r
}

func (r *rig) advance(d time.Duration) {
	r.clock.AdvanceTo(r.clock.Now() + d)
	r.chain.AdvanceTo(r.clock.Now())
}

// servo lets f use the servo with an ID.
func (r *rig) servo(id int, f func(s *servotest.Servo)) {
	r.chain.Do(func(servos []*servotest.Servo) { f(servos[id-1]) })
}

func (r *rig) get(id int, reg dynamixel.Register) (v int32) {
	r.servo(id, func(s *servotest.Servo) { v = s.Get(reg) })
	return v
}

func (r *rig) read() (twinrig.State, error) {
	var s twinrig.State
	err := r.arm.Read(r.clock.Now(), &s)
	return s, err
}

// cycles runs the loop n times on cmd and returns the last state and the first
// error.
func (r *rig) cycles(n int, cmd twinrig.Command) (s twinrig.State, err error) {
	for range n {
		if err = r.arm.Read(r.clock.Now(), &s); err != nil {
			return s, err
		}
		if _, err = r.arm.Write(r.clock.Now(), cmd); err != nil {
			return s, err
		}
		r.advance(2 * time.Millisecond)
	}
	return s, nil
}

// stay is the command to stay where the arm is, in either mode.
func (r *rig) stay() twinrig.Command {
	s, err := r.read()
	require.NoError(r.t, err)
	return twinrig.Command{Goal: twinrig.Goal{Joints: s.Measured, Grip: s.Grip}}
}
