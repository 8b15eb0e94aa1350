package dynamixel

import "fmt"

// Access says who may change a register.
type Access uint8

const (
	// ReadOnly registers change by themselves.
	ReadOnly Access = iota
	// ReadWrite registers are the host's to set.
	ReadWrite
)

// Register is one item of a control table. Values are raw steps, little endian
// on the wire, two's complement where Signed.
type Register struct {
	Addr, Size uint16 // Size is 1, 2 or 4 bytes
	Name       string // the e-manual's name in snake case
	Access     Access
	Signed     bool
	// Scale is one step in the SI unit Unit (rad, rad/s, rad/s^2, A, V, s, C, or
	// 1 for a gain or a share of the maximum). It is 0 where a value is no
	// quantity. Profile registers are in time units, 1 ms, where Drive Mode has
	// DriveTimeProfile.
	Scale float64
	Unit  string
}

// EEPROM tells whether the register survives a reboot and is locked while
// torque is on.
func (r Register) EEPROM() bool { return r.Addr < ramStart }

// Block returns the register as a block of its own.
func (r Register) Block() Block { return Block{Addr: r.Addr, Len: r.Size} }

// Fits tells whether v can be written in the register's size. It knows nothing
// of a model's range.
func (r Register) Fits(v int32) bool {
	switch {
	case r.Size >= 4:
		return true
	case r.Signed:
		half := int32(1) << (8*r.Size - 1)
		return v >= -half && v < half
	}
	return v >= 0 && v < 1<<(8*r.Size)
}

// Value decodes b, which holds at least Size bytes.
func (r Register) Value(b []byte) int32 {
	var u uint32
	for i := range r.Size {
		u |= uint32(b[i]) << (8 * i)
	}
	if unused := 32 - 8*r.Size; r.Signed {
		return int32(u<<unused) >> unused
	}
	return int32(u)
}

// Put encodes v into b, which has room for Size bytes.
func (r Register) Put(b []byte, v int32) {
	for i := range r.Size {
		b[i] = byte(v >> (8 * i))
	}
}

// String returns the name and where it is.
func (r Register) String() string { return fmt.Sprintf("%s (%d)", r.Name, r.Addr) }

// Block is a range of a control table.
type Block struct{ Addr, Len uint16 }

// Entry is a register as one model has it.
type Entry struct {
	Register
	// Min and Max are what the servo accepts in a write; a limit register may
	// narrow it further.
	Min, Max int32
	// Default is the factory value (EEPROM), or the value after a boot (RAM).
	Default int32
}

// Model is one kind of servo.
type Model struct {
	Number uint16
	Name   string
	Source string // where Table is from
	Modes  []int32
	Table  []Entry // by address
}

// Entry returns the register's line in the table, or false if the model lacks it.
func (m *Model) Entry(r Register) (Entry, bool) {
	for _, e := range m.Table {
		if e.Addr == r.Addr && e.Name == r.Name {
			return e, true
		}
	}
	return Entry{}, false
}
