package widowx

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"twinrig"
	"twinrig/drivers/dynamixel"
)

// How long a repair waits for a servo that reboots or is silent, and how long
// between two looks at it: a silent servo costs a time-out each time. A reboot
// takes 0.4 s where it was measured (XC330; the X430's is not published).
const (
	repairPatience = 4 * time.Second
	repairPause    = 100 * time.Millisecond
)

// slipped is how far, in rad, a joint may have moved while its servo was away.
const slipped = 0.35

// repair is a repair on its way.
type repair struct {
	todo  []int // servos, in their order
	until time.Duration
	look  time.Duration // not before
	boot  bool          // todo[0] was told to reboot
}

// Repair brings servos that stopped obeying back into service while the others
// hold: those with a hardware error are rebooted, and those without torque set
// up again, put where they stand and given torque. It is called once between a
// Read and a Write, again and again until it says done or fails; each call is a
// transaction or two, but for the one in which a servo is set up, about 30 ms at
// 1 Mbps. It is for an arm that is enabled: after a Halt, Recover and Enable are.
// Its error says what it could not bring back; the next call begins anew.
func (a *Arm) Repair(now time.Duration) (done bool, err error) {
	a.gate.Lock()
	enabled, halts := a.enabled, a.halts
	a.gate.Unlock()
	if !enabled {
		return false, fmt.Errorf("widowx: repair: the arm is halted")
	}
	if a.mend == nil {
		a.mend = a.findBroken(now)
	}
	done, err = a.repairNext(now, halts)
	if err != nil {
		err = fmt.Errorf("widowx: repair: %w", err)
	}
	if done || err != nil {
		a.mend = nil
	}
	return done, err
}

// findBroken lists the servos to look at: all of them if a silence of the bus may
// have stopped them, else those that something is known of.
func (a *Arm) findBroken(now time.Duration) *repair {
	r := &repair{until: now + repairPatience}
	for i := range a.motors {
		s := &a.health.status.Servos[i]
		if a.lost != nil || s.HardwareError != 0 || !s.TorqueOn || a.poll.benched(i) {
			r.todo = append(r.todo, i)
		}
	}
	return r
}

func (a *Arm) repairNext(now time.Duration, halts uint64) (bool, error) {
	r := a.mend
	if len(r.todo) == 0 {
		a.lost, a.stalled, a.first, a.out.unsent = nil, false, true, -1
		a.grip.begin(a.motors[a.of[twinrig.GripAxis][0]].pwm)
		return true, a.checkPose()
	}
	if now < r.look {
		return false, nil
	}
	i := r.todo[0]
	m := &a.motors[i]
	bits, err := a.bus.Read(m.id, dynamixel.HardwareErrorStatus)
	switch {
	case err != nil && now < r.until:
		r.look = now + repairPause
		return false, nil
	case err != nil:
		return false, fmt.Errorf("%s did not come back in %v: %w", m.name(), repairPatience, err)
	case bits != 0 && r.boot:
		return false, fmt.Errorf("%s was rebooted and still has a hardware error: %s", m.name(), strings.Join(ErrorBits(uint8(bits)), ", "))
	case bits != 0:
		a.health.note(fmt.Sprintf("%s rebooted after %s", m.name(), strings.Join(ErrorBits(uint8(bits)), ", ")))
		r.boot, r.until, r.look = true, now+repairPatience, now+repairPause
		return false, a.reboot(i)
	}
	if err := a.service(i, halts); err != nil {
		return false, err
	}
	*r = repair{todo: r.todo[1:], until: now + repairPatience}
	return false, nil
}

// reboot restarts servo i, and leaves it out of the reading until it is back.
func (a *Arm) reboot(i int) error {
	if err := a.bus.Reboot(a.motors[i].id); err != nil {
		return fmt.Errorf("%s: %w", a.motors[i].name(), err)
	}
	a.poll.leaveOut(i)
	return nil
}

// service gives a servo without torque what it needs to have it, puts it where it
// stands, and takes torque on; one with torque has its watchdog cleared.
func (a *Arm) service(i int, halts uint64) error {
	m := &a.motors[i]
	on, err := a.read(m, dynamixel.TorqueEnable)
	if err != nil {
		return err
	}
	if on == 0 {
		if err := a.setUp(m); err != nil {
			return err
		}
	}
	at, err := a.read(m, dynamixel.PresentPosition)
	if err != nil {
		return err
	}
	if d := float64(at-a.poll.back(i)) * dynamixel.RadPerPulse; math.Abs(d) > slipped {
		return fmt.Errorf("%s is %.2f rad from where it was, limit %.2f", m.name(), d, slipped)
	}
	a.poll.raws[i].position = at
	if err := errors.Join(a.set(m, dynamixel.BusWatchdog, 0), a.presetGoal(i)); err != nil {
		return err
	}
	if err := a.torqueOn(m, halts); err != nil {
		return err
	}
	if err := errors.Join(a.presetGoal(i), a.confirm(m)); err != nil {
		return err
	}
	a.poll.recall(i)
	a.health.inService(i)
	return nil
}

// inService notes that servo i has torque and no error.
func (h *health) inService(i int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.status.Servos[i].TorqueOn, h.status.Servos[i].HardwareError = true, 0
}
