package widowx

import (
	"fmt"
	"math"

	"twinrig"
	"twinrig/calib"
	"twinrig/drivers/dynamixel"
)

// motor is one servo as it sits in the arm.
type motor struct {
	id      dynamixel.ID
	axis    int
	shadow  bool // the second servo of its axis
	current bool // an XM430: it senses current and can control it
	torque  bool // follows Command.Effort, in current mode
	holding bool // though torque, it holds by itself in position mode for now
	reverse bool
	// sense is -1 for a reversed servo whose velocities and currents are not
	// reversed: firmware differs in that, or its manuals do.
	sense  int32
	zero   float64 // tick of angle 0
	nmPerA float64
	homing int32 // its Homing Offset in ticks, read by Open

	// What the servo itself accepts as goals, read by Open: ticks and current
	// steps.
	minTick, maxTick, maxCurrent int32
	pwm                          int32 // Goal PWM, what its output is bounded by
}

// byCurrent tells whether the servo is in current mode now.
func (m *motor) byCurrent() bool { return m.torque && !m.holding }

// name is how messages call the servo.
func (m *motor) name() string {
	if m.shadow {
		return fmt.Sprintf("id %d (%s shadow)", m.id, twinrig.AxisNames[m.axis])
	}
	return fmt.Sprintf("id %d (%s)", m.id, twinrig.AxisNames[m.axis])
}

func (m *motor) model() string {
	if m.current {
		return calib.XM430
	}
	return calib.XL430
}

// angle is the joint's angle (the crank's, for the gripper) at a tick.
func (m *motor) angle(tick int32) float64 { return (float64(tick) - m.zero) * dynamixel.RadPerPulse }

// tick is the nearest tick to an angle that the servo accepts as a goal.
func (m *motor) tick(angle float64) int32 {
	t := math.Round(m.zero + angle/dynamixel.RadPerPulse)
	return int32(min(max(t, float64(m.minTick)), float64(m.maxTick)))
}

// effort is the torque in Nm of a current.
func (m *motor) effort(steps int32) float64 {
	return float64(m.sense*steps) * dynamixel.AmpPerStep * m.nmPerA
}

// steps is the nearest current to a torque that the servo accepts as a goal.
func (m *motor) steps(effort float64) int32 {
	most := float64(m.maxCurrent)
	return m.sense * int32(min(max(math.Round(effort/(dynamixel.AmpPerStep*m.nmPerA)), -most), most))
}

// motorMap is the crossing between motor space, indexed by servo in the order
// of the calibration, and joint space.
type motorMap struct {
	motors []motor
	// of holds each axis's servos, the one whose position counts first.
	of      [twinrig.NumAxes][]int
	gripper calib.Gripper
}

func newMotorMap(cal *calib.Arm, mode twinrig.Mode) *motorMap {
	m := &motorMap{gripper: cal.Gripper}
	for i := range cal.Motors {
		c := &cal.Motors[i]
		axis := c.AxisIndex()
		current := c.Model == calib.XM430
		m.motors = append(m.motors, motor{
			id:      dynamixel.ID(c.ID),
			axis:    axis,
			shadow:  len(m.of[axis]) > 0,
			current: current,
			torque:  current && axis != twinrig.GripAxis && mode == twinrig.ModeTorque,
			reverse: c.Reverse,
			sense:   1,
			zero:    c.ZeroTick,
			nmPerA:  c.TorqueConstantNmPerA,
			maxTick: 4095,
		})
		m.of[axis] = append(m.of[axis], i)
	}
	return m
}

// ticks turns goal into the goal ticks of every servo in position mode. It
// returns goal with what those ticks amount to; axes in current mode keep what
// was asked.
func (m *motorMap) ticks(goal twinrig.Goal, ticks []int32) twinrig.Goal {
	sent := goal
	for i := range m.motors {
		mo := &m.motors[i]
		switch {
		case mo.torque:
		case mo.axis == twinrig.GripAxis:
			ticks[i] = mo.tick(m.gripper.Angle(goal.Grip.Finger()))
			sent.Grip = twinrig.GripFromFinger(m.gripper.Finger(mo.angle(ticks[i])))
		default:
			ticks[i] = mo.tick(goal.Joints[mo.axis])
			if !mo.shadow {
				sent.Joints[mo.axis] = mo.angle(ticks[i])
			}
		}
	}
	return sent
}

// steps turns torques into the goal current of every servo in current mode, a
// joint's torque split evenly over its servos. It returns what those currents
// amount to: 0 for a joint in position mode.
func (m *motorMap) steps(effort twinrig.Joints, steps []int32) twinrig.Joints {
	var sent twinrig.Joints
	for i := range m.motors {
		mo := &m.motors[i]
		if mo.torque {
			steps[i] = mo.steps(effort[mo.axis] / float64(len(m.of[mo.axis])))
			sent[mo.axis] += mo.effort(steps[i])
		}
	}
	return sent
}

// raw is one servo's reading in its own units. load is current steps, or load
// steps where no current is sensed.
type raw struct{ position, velocity, load int32 }

// state turns one reading per servo into joint space. Of a pair, the first
// servo gives position and velocity; their torques add up.
func (m *motorMap) state(raws []raw, s *twinrig.State) {
	s.Effort = twinrig.Joints{}
	for i := range m.motors {
		mo, r := &m.motors[i], &raws[i]
		if mo.axis == twinrig.GripAxis {
			s.Grip = twinrig.GripFromFinger(m.gripper.Finger(mo.angle(r.position)))
			s.Load[1] = float64(r.load) * dynamixel.LoadPerStep
			continue
		}
		if !mo.shadow {
			s.Measured[mo.axis] = mo.angle(r.position)
			s.Velocity[mo.axis] = float64(mo.sense*r.velocity) * dynamixel.RadPerSecPerStep
		}
		if mo.current {
			s.Effort[mo.axis] += mo.effort(r.load)
			continue
		}
		s.Effort[mo.axis] = math.NaN()
		if mo.axis == twinrig.WristRotate {
			s.Load[0] = float64(r.load) * dynamixel.LoadPerStep
		}
	}
}

// shadowGap is how far, in rad, an axis's shadow is from where its first servo
// says the joint is; 0 for an axis with one servo.
func (m *motorMap) shadowGap(axis int, raws []raw) float64 {
	of := m.of[axis]
	if len(of) < 2 {
		return 0
	}
	return m.motors[of[1]].angle(raws[of[1]].position) - m.motors[of[0]].angle(raws[of[0]].position)
}
