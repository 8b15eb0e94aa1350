package agent

import (
	"errors"
	"fmt"

	"twinrig"
)

// Fault is why the loop gave up what it was doing. It stays until Rearm.
type Fault struct {
	// Halted tells that torque is off. Otherwise the arm holds where it was,
	// and can be parked.
	Halted bool
	Err    error
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

// sort is the one place that judges an error of the cycle. A miss is counted
// and the arm keeps its last command; too many in a row, or an arm that says it
// is halted, are a fault: torque goes off, and the cause is kept.
func (l *Loop) sort(what string, err error) {
	l.report.Misses++
	l.misses++
	if l.fault != nil && l.fault.Halted {
		return
	}
	switch {
	case errors.Is(err, twinrig.ErrHalted):
		l.fault = &Fault{Halted: true, Err: fmt.Errorf("agent: %s: %w", what, err)}
	case l.misses >= l.cfg.MaxMisses:
		err = fmt.Errorf("agent: %d cycles missed in a row: %s: %w", l.misses, what, err)
		l.fault = &Fault{Halted: true, Err: errors.Join(err, l.deps.Arm.Halt())}
	}
}

// checkHardware makes a servo's own alarm a fault in which the arm holds.
func (l *Loop) checkHardware() {
	if l.fault != nil {
		return
	}
	for i, bits := range l.report.State.HardwareError {
		if bits != 0 {
			l.fault = &Fault{Err: fmt.Errorf("agent: %w", &HardwareError{Axis: i, Bits: bits})}
			l.source, l.switched = Hold{}, true
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
	l.fault, l.misses, l.placed = nil, 0, false
	l.source, l.switched = Hold{}, false
	return nil
}
