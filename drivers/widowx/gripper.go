package widowx

import (
	"errors"
	"fmt"
	"math"
	"time"

	"twinrig"
	"twinrig/drivers/dynamixel"
)

// ErrGripper is a twinrig.ErrHold: Write, which still sends, returns it once each
// time the gripper does not move as it is told.
var ErrGripper = fmt.Errorf("widowx: gripper does not move: %w", twinrig.ErrHold)

// How a gripper's travel is judged, m of one finger.
const (
	gripReached = 0.001  // the servo's output dies down in its gears this near its goal
	gripMoved   = 0.0005 // more than its encoder's noise
)

// Shares of the bound on the output.
const (
	gripPushing = 0.5 // less than this, standing away from the goal, is no push
	gripLeast   = 0.4 // what a hot gripper still holds with
)

// gripBudget is the temperature range, C, over which a gripper gives way: the
// XL430 shuts down at 72.
const (
	gripWarm = 55.0
	gripHot  = 68.0
)

// gripper watches the gripper's motion and decides how hard it may push.
type gripper struct {
	full, hold   int32         // output in PWM steps: moving, and after a while of holding
	holdAfter    time.Duration // of standing on something
	patience     time.Duration // without progress
	goal, from   float64       // m: the present goal, and where the finger was when it came
	anchor       float64       // m: where it last counted as moving
	moved        time.Duration // when
	begun, told  bool
	sent         int32 // output bound last sent; 0 is none
	temperatureC float64
}

// begin starts from where the finger is.
func (g *gripper) begin(full int32) {
	*g = gripper{
		full: full, hold: int32(math.Round(float64(full) * float64(g.hold) / float64(max(g.full, 1)))),
		holdAfter: g.holdAfter, patience: g.patience, sent: full, temperatureC: math.NaN(),
	}
}

// step takes one cycle's goal and reading, m of one finger and share of the
// maximum output, and returns the bound on the output, in PWM steps.
func (g *gripper) step(now time.Duration, goal, finger, load float64) (int32, error) {
	if !g.begun || math.Abs(goal-g.goal) > gripMoved {
		g.begun, g.told = true, false
		g.goal, g.from, g.anchor, g.moved = goal, finger, finger, now
	}
	reached := math.Abs(goal-finger) <= gripReached
	if reached || math.Abs(finger-g.anchor) > gripMoved {
		g.anchor, g.moved = finger, now
	}
	still := now - g.moved
	bound := g.full
	if !reached && still > g.holdAfter {
		bound = g.hold
	}
	if reached || still < g.patience || g.told {
		return g.cool(bound), nil
	}
	pushing := math.Abs(load)*dynamixel.PWMFull >= gripPushing*float64(min(g.sent, bound))
	opening := goal > finger
	// Closed on something it pushes and stands; opening it may meet a wall on its
	// way, but not at once.
	if pushing && (!opening || math.Abs(finger-g.from) > gripReached) {
		return g.cool(bound), nil
	}
	g.told = true
	return g.cool(bound), fmt.Errorf("%w: gap is %.1f mm, goal %.1f mm, load %.0f %%, no progress for %.1f s",
		ErrGripper, 2000*finger, 2000*goal, 100*load, still.Seconds())
}

// cool gives way as the servo gets warm, so that it does not shut down and let go.
func (g *gripper) cool(bound int32) int32 {
	t := g.temperatureC
	if math.IsNaN(t) || t <= gripWarm {
		return bound
	}
	share := 1 - (1-gripLeast)*math.Min(1, (t-gripWarm)/(gripHot-gripWarm))
	return int32(math.Round(share * float64(bound)))
}

// drive runs the gripper's step after a cycle's goals were sent, and sends its
// bound when it changes. Under the gate.
func (a *Arm) driveGripper(now time.Duration, goal twinrig.Grip) error {
	i := a.of[twinrig.GripAxis][0]
	g, r := &a.grip, &a.poll.raws[i]
	if !a.poll.servos[i].fresh {
		return nil
	}
	g.temperatureC = a.health.status.Servos[i].TemperatureC
	bound, err := g.step(now, goal.Finger(), a.gripper.Finger(a.motors[i].angle(r.position)), float64(r.load)*dynamixel.LoadPerStep)
	if bound != g.sent {
		if g.temperatureC > gripWarm {
			a.health.noteOnce(fmt.Sprintf("%s: warm, it holds with less", a.motors[i].name()))
		}
		dynamixel.GoalPWM.Put(a.out.pwm[0].Data, bound)
		if busErr := a.bus.SyncWrite(blockPWM, a.out.pwm[:]); busErr != nil {
			return errors.Join(err, busErr)
		}
		g.sent = bound
	}
	if err != nil {
		a.health.note(err.Error())
	}
	return err
}
