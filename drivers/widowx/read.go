package widowx

import (
	"errors"
	"fmt"
	"math"
	"time"

	"twinrig"
	"twinrig/drivers/dynamixel"
)

// Read reads all servos in one transaction, and now and then the health of one.
// A servo that did not answer leaves its axis as it was, with Age. Read fails
// with ErrSilent when none answered, with *ShadowError when a pair of servos
// disagrees, and when the bus is gone; s is filled in any case. It allocates
// nothing while all is well.
func (a *Arm) Read(now time.Duration, s *twinrig.State) error {
	if !a.open {
		return ErrNotOpen
	}
	gap := now - a.lastRead
	a.lastRead = now
	busErr := a.poll.cycle(a.bus)
	answered := a.poll.stamp(now)
	if busErr == nil {
		if what := a.poll.adapt(answered); what != "" {
			a.health.note(what)
		}
	}
	if answered > 0 {
		a.look()
		a.stalled = a.stalled || gap > a.cfg.Watchdog
		if a.stalled && a.cfg.Watchdog > 0 && a.isEnabled() {
			a.stalled = !a.lookAtWatchdog()
		}
	}
	a.fill(now, s)
	switch {
	case busErr != nil:
		return fmt.Errorf("widowx: read: %w", busErr)
	case answered == 0:
		return errors.Join(ErrSilent, a.poll.readings[0].Err)
	}
	return a.checkShadows()
}

// fill puts the newest readings into s.
func (a *Arm) fill(now time.Duration, s *twinrig.State) {
	s.Stamp = now
	a.state(a.poll.raws, s)
	for axis := range s.Age {
		s.Age[axis] = a.poll.age(a.of[axis], now)
		s.HardwareError[axis] = a.health.hardwareError(a.of[axis])
	}
	a.fillServos(now, s)
}

// fillServos puts what is known of each servo into s and into the status.
func (a *Arm) fillServos(now time.Duration, s *twinrig.State) {
	h := a.health
	h.mu.Lock()
	defer h.mu.Unlock()
	for i := range a.motors {
		v, r := &h.status.Servos[i], &a.poll.servos[i]
		v.Stamp, v.Age, v.Silent = now, now-r.at, a.poll.benched(i)
		v.Missed, v.Retries = r.missed, r.again
		if a.motors[i].current {
			v.CurrentA = float64(a.poll.raws[i].load) * dynamixel.AmpPerStep
		} else {
			v.Load = float64(a.poll.raws[i].load) * dynamixel.LoadPerStep
		}
	}
	s.NumServos = copy(s.Servos[:], h.status.Servos)
}

// checkShadows compares each pair of servos that both answered.
func (a *Arm) checkShadows() error {
	for axis, of := range a.of {
		if len(of) < 2 || !a.poll.servos[of[0]].fresh || !a.poll.servos[of[1]].fresh {
			continue
		}
		if gap := a.shadowGap(axis, a.poll.raws); math.Abs(gap) > a.shadow {
			return &ShadowError{
				Axis: axis, GapRad: gap, Limit: a.shadow,
				IDs: [2]dynamixel.ID{a.motors[of[0]].id, a.motors[of[1]].id},
			}
		}
	}
	return nil
}
