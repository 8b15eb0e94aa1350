package agent

import (
	"errors"
	"fmt"

	"twinrig"
)

// Fault is why the loop gave up what it was doing. It stays until it is repaired
// or the loop is armed again. Unless it says otherwise, the arm holds where it was
// and can be parked.
type Fault struct {
	// Halted tells that torque is off, by somebody's wish.
	Halted bool
	// Lost tells that the arm is out of reach: nothing is sent, and its servos
	// hold by themselves as well as their mode lets them. It ends with the next
	// good reading; the fault does not.
	Lost bool
	Err  error
}

// Error implements error.
func (f *Fault) Error() string { return f.Err.Error() }

// Unwrap gives the cause.
func (f *Fault) Unwrap() error { return f.Err }

// What makes a reading that came not worth acting on.
var (
	errStale     = errors.New("reading is too old")
	errNotFinite = errors.New("reading is not a number")
)

// HardwareError is a servo's own alarm: the bits of its register 70.
type HardwareError struct {
	Axis int
	Bits uint8
}

// Error names the axis and what its servo found.
func (e *HardwareError) Error() string {
	names := [8]string{0: "input voltage", 2: "overheating", 3: "encoder", 4: "electrical shock", 5: "overload"}
	s := fmt.Sprintf("%s reports hardware error 0x%02x", twinrig.AxisNames[e.Axis], e.Bits)
	for i, n := range names {
		if e.Bits&(1<<i) != 0 && n != "" {
			s += ", " + n
		}
	}
	return s
}

// sort is the one place that judges an error of the cycle. An arm that says so
// holds. A miss is counted and the arm keeps its last command; too many in a row
// are a fault: with readings that come, but too old, the arm holds, without any it
// is lost. Torque stays as it is, for an arm that lets go falls.
func (l *Loop) sort(what string, err error) {
	if errors.Is(err, twinrig.ErrHold) {
		l.hold(fmt.Errorf("agent: %w", err))
		return
	}
	l.report.Misses++
	l.misses++
	if l.fault != nil && (l.fault.Halted || l.fault.Lost) {
		return
	}
	switch {
	case errors.Is(err, twinrig.ErrHalted):
		l.fault = &Fault{Halted: true, Err: fmt.Errorf("agent: %s: %w", what, err)}
	case l.misses < l.cfg.MaxMisses:
	case errors.Is(err, errStale):
		l.hold(l.missed(what, err))
	default:
		l.fault = &Fault{Lost: true, Err: l.missed(what, err)}
	}
}

func (l *Loop) missed(what string, err error) error {
	return fmt.Errorf("agent: %d cycles missed in a row: %s: %w", l.misses, what, err)
}

// hold makes err a fault in which the arm holds, if there is none.
func (l *Loop) hold(err error) {
	if l.fault == nil {
		l.fault = &Fault{Err: err}
		l.source, l.switched = Hold{}, true
	}
}

// found notes that an arm that was lost reads again: it holds where it is now.
func (l *Loop) found() {
	if l.fault != nil && l.fault.Lost {
		l.fault.Lost = false
		l.placed, l.source, l.switched = false, Hold{}, false
	}
}

// checkHardware makes a servo's own alarm a fault in which the arm holds.
func (l *Loop) checkHardware() {
	for i, bits := range l.report.State.HardwareError {
		if bits != 0 {
			l.hold(fmt.Errorf("agent: %w", &HardwareError{Axis: i, Bits: bits}))
			return
		}
	}
}

// Rearm takes torque on again after a fault; the loop then holds where the arm
// is. It is refused by an arm that is not fit.
func (l *Loop) Rearm() error {
	if err := l.deps.Arm.Enable(); err != nil {
		return fmt.Errorf("agent: rearm: %w", err)
	}
	l.clear()
	return nil
}

// clear forgets the fault and holds where the arm is.
func (l *Loop) clear() {
	l.fault, l.misses, l.placed = nil, 0, false
	l.source, l.switched = Hold{}, false
}
