package widowx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"twinrig"
	"twinrig/drivers/dynamixel"
)

// output is what one cycle sends, with its memory.
type output struct {
	currents, positions   []dynamixel.Item  // by servos in current and in position mode
	currentOf, positionOf []int             // the servo of each item
	steps, ticks, last    []int32           // by servo; last is what positions were sent
	unsent                int               // cycles since positions were sent; -1: they must be
	pwm                   [1]dynamixel.Item // the gripper's bound
}

func newOutput(motors []motor) *output {
	n := len(motors)
	o := &output{steps: make([]int32, n), ticks: make([]int32, n), last: make([]int32, n), unsent: -1}
	for i := range motors {
		if motors[i].torque {
			o.currents = append(o.currents, dynamixel.Item{ID: motors[i].id, Data: make([]byte, blockCurrent.Len)})
			o.currentOf = append(o.currentOf, i)
		} else {
			o.positions = append(o.positions, dynamixel.Item{ID: motors[i].id, Data: make([]byte, blockPosition.Len)})
			o.positionOf = append(o.positionOf, i)
		}
		if motors[i].axis == twinrig.GripAxis {
			o.pwm[0] = dynamixel.Item{ID: motors[i].id, Data: make([]byte, blockPWM.Len)}
		}
	}
	return o
}

// Write sends c and returns what was truly sent: goals and torques after the
// limits and the servos' resolution, Effort 0 for joints in position mode,
// goals of joints in current mode as asked. It returns twinrig.ErrHalted without
// torque, ErrNotFinite or ErrFar for a command that it refuses whole, and ErrTorqueLost
// or ErrGripper beside a command that it did send when a servo no longer obeys. It allocates
// nothing while all is well.
func (a *Arm) Write(now time.Duration, c twinrig.Command) (twinrig.Command, error) {
	if !finite(&c) {
		return twinrig.Command{}, ErrNotFinite
	}
	goal := c.Goal
	for i := range goal.Joints {
		if !a.motors[a.of[i][0]].torque {
			goal.Joints[i] = min(max(goal.Joints[i], a.limits.Lower[i]), a.limits.Upper[i])
		}
	}
	goal.Grip = min(max(goal.Grip, 0), 1)
	if err := a.checkWay(&goal); err != nil {
		return twinrig.Command{}, err
	}
	o := a.out
	sent := twinrig.Command{Goal: a.ticks(goal, o.ticks), Effort: a.steps(c.Effort, o.steps)}

	a.gate.Lock()
	defer a.gate.Unlock()
	if !a.enabled {
		return twinrig.Command{}, twinrig.ErrHalted
	}
	if err := a.send(); err != nil {
		return twinrig.Command{}, fmt.Errorf("widowx: write: %w", err)
	}
	a.first = false
	if err := a.driveGripper(now, goal.Grip); err != nil {
		return sent, errors.Join(err, a.lost)
	}
	return sent, a.lost
}

// firstWay is how far, in rad, the first goal after Enable may be from where the
// arm is: whoever asks for more does not know where that is. No goal is ever
// half a turn away.
const (
	firstWay = 0.35
	mostWay  = math.Pi
)

// checkWay refuses a goal that is too far from the joints in position mode.
func (a *Arm) checkWay(goal *twinrig.Goal) error {
	most := mostWay
	if a.first {
		most = firstWay
	}
	for axis, of := range a.of {
		m := &a.motors[of[0]]
		if m.torque || axis == twinrig.GripAxis {
			continue
		}
		if d := goal.Joints[axis] - m.angle(a.poll.raws[of[0]].position); math.Abs(d) > most {
			return fmt.Errorf("%w: %s would move by %.2f rad, limit %.2f", ErrFar, twinrig.AxisNames[axis], d, most)
		}
	}
	return nil
}

// send puts steps and ticks on the bus: currents always, positions of a mixed
// arm only when they changed or have not been sent for a while.
func (a *Arm) send() error {
	o := a.out
	if len(o.currents) > 0 {
		for k, i := range o.currentOf {
			binary.LittleEndian.PutUint16(o.currents[k].Data, uint16(int16(o.steps[i])))
		}
		if err := a.bus.SyncWrite(blockCurrent, o.currents); err != nil {
			return err
		}
		if o.unsent >= 0 && o.unsent+1 < a.cfg.RefreshEveryCycles && o.unchanged() {
			o.unsent++
			return nil
		}
	}
	for k, i := range o.positionOf {
		binary.LittleEndian.PutUint32(o.positions[k].Data, uint32(o.ticks[i]))
		o.last[i] = o.ticks[i]
	}
	o.unsent = -1 // an error leaves them unsent
	if err := a.bus.SyncWrite(blockPosition, o.positions); err != nil {
		return err
	}
	o.unsent = 0
	return nil
}

func (o *output) unchanged() bool {
	for _, i := range o.positionOf {
		if o.ticks[i] != o.last[i] {
			return false
		}
	}
	return true
}

func finite(c *twinrig.Command) bool {
	g := float64(c.Grip)
	return c.Joints.Finite() && c.Velocity.Finite() && c.Effort.Finite() && !math.IsNaN(g) && !math.IsInf(g, 0)
}
