package dynamixel

import (
	"errors"
	"fmt"
)

var (
	// ErrTimeout says that no status packet came in time.
	ErrTimeout = errors.New("no status packet in time")
	// ErrLate is an ErrTimeout of which it is known that the answer came
	// afterwards.
	ErrLate = fmt.Errorf("%w: it came late; lower the adapter's latency_timer to 1 ms and the servos' Return Delay Time to 0", ErrTimeout)
	// ErrChecksum says that a status packet came, damaged.
	ErrChecksum = errors.New("status packet is damaged")
)

// Codes of a StatusError: the status packet's error byte without its alert bit.
const (
	CodeResultFail  byte = 1 // the instruction could not be carried out
	CodeInstruction byte = 2 // undefined instruction, or action without reg write
	CodeCRC         byte = 3 // the instruction arrived damaged
	CodeDataRange   byte = 4 // outside the item's range, or watchdog error latched
	CodeDataLength  byte = 5 // shorter than the item
	CodeDataLimit   byte = 6 // outside the item's limit register
	CodeAccess      byte = 7 // read only or undefined item, or EEPROM under torque
)

// AlertBit in a status packet's error byte says that the servo's Hardware Error
// Status is not 0. It is no error of the transaction.
const AlertBit byte = 0x80

// StatusError is a servo's refusal of an instruction.
type StatusError struct {
	ID   ID
	Code byte
}

// Error names the servo and what the code means.
func (e *StatusError) Error() string {
	what := "unknown error"
	switch e.Code {
	case CodeResultFail:
		what = "result fail"
	case CodeInstruction:
		what = "undefined instruction"
	case CodeCRC:
		what = "instruction arrived damaged"
	case CodeDataRange:
		what = "value out of range"
	case CodeDataLength:
		what = "data too short"
	case CodeDataLimit:
		what = "value beyond the limit register"
	case CodeAccess:
		what = "no access (read only, undefined, or locked by torque)"
	}
	return fmt.Sprintf("id %d refused: %s (code %d)", e.ID, what, e.Code)
}
