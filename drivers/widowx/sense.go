package widowx

import (
	"errors"
	"fmt"

	"twinrig/drivers/dynamixel"
)

// leanTicks is how far, 1 deg, a servo leans against the other of its joint, and
// toldSteps the least difference of its current, 30 mA, that tells which way round
// its currents are.
const (
	leanTicks = 12
	toldSteps = 11
)

// learnSense finds out whether reversed servos count currents and velocities the
// other way round, as they do positions: manuals differ. The reversed servo of each
// pair leans a little to either side against the other while both hold. If its
// current goes with its goal, both have one sense. Reversed servos without a
// partner are taken like those.
func (a *Arm) learnSense() error {
	var sense int32
	for i := range a.motors {
		m := &a.motors[i]
		if !m.reverse || !m.current || len(a.of[m.axis]) < 2 {
			continue
		}
		s, err := a.lean(i)
		switch {
		case err != nil && m.torque:
			return err
		case err != nil && !errors.Is(err, errUntold):
			return err
		case err != nil:
			a.health.noteOnce(err.Error() + "; taken as reversed")
		case sense != 0 && s != sense:
			return fmt.Errorf("%s counts its currents the other way round than the other reversed servos: give all the same firmware", m.name())
		default:
			sense = s
		}
	}
	if sense == 0 {
		return nil
	}
	for i := range a.motors {
		if m := &a.motors[i]; m.reverse && m.current {
			m.sense = sense
		}
	}
	if sense < 0 {
		a.health.noteOnce("reverse mode turns positions round here, but no currents and velocities: taken so")
	}
	return nil
}

var errUntold = errors.New("it is not known which way round its currents are")

// lean returns 1 if a servo's current goes with its goal, -1 if against it. The
// servo stays where it was in the end.
func (a *Arm) lean(i int) (int32, error) {
	m := &a.motors[i]
	at := a.poll.raws[i].position
	current := func(goal int32) (int32, error) {
		if err := a.set(m, dynamixel.GoalPosition, min(max(goal, m.minTick), m.maxTick)); err != nil {
			return 0, err
		}
		for range looksPerStep {
			if err := a.readWhole(); err != nil {
				return 0, err
			}
		}
		return a.poll.raws[i].load, nil
	}
	up, err := current(at + leanTicks)
	if err != nil {
		return 0, err
	}
	down, err := current(at - leanTicks)
	if err != nil {
		return 0, err
	}
	if _, err := current(at); err != nil {
		return 0, err
	}
	switch d := up - down; {
	case d >= toldSteps:
		return 1, nil
	case d <= -toldSteps:
		return -1, nil
	default:
		return 0, fmt.Errorf("%s leans against its pair by %d ticks to either side and takes %.3f A more, of at least %.3f: %w",
			m.name(), leanTicks, float64(d)*dynamixel.AmpPerStep, toldSteps*dynamixel.AmpPerStep, errUntold)
	}
}
