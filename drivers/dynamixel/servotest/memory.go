package servotest

import (
	"slices"

	"twinrig/drivers/dynamixel"
)

// memory is a control table with the rules of reading and writing it.
type memory struct {
	entries []dynamixel.Entry
	at      [tableSize]uint8 // index into entries plus 1, by address
	table   [tableSize]byte

	// A write is staged, checked as a whole, and then done.
	staged  [tableSize]byte
	mask    [tableSize]bool
	touched []uint8
}

// load makes the table that a model leaves the factory with.
func (m *memory) load(model *dynamixel.Model) {
	m.entries = model.Table
	m.touched = make([]uint8, 0, len(m.entries))
	for i, e := range m.entries {
		for a := e.Addr; a < e.Addr+e.Size; a++ {
			m.at[a] = uint8(i + 1)
		}
		m.put(e.Register, e.Default)
	}
}

// resetRAM gives RAM its defaults.
func (m *memory) resetRAM() {
	for _, e := range m.entries {
		if !e.EEPROM() {
			m.put(e.Register, e.Default)
		}
	}
}

// factory gives EEPROM its defaults but for the registers of keep.
func (m *memory) factory(keep ...dynamixel.Register) {
	for _, e := range m.entries {
		kept := !e.EEPROM() || e.Access == dynamixel.ReadOnly
		for _, k := range keep {
			kept = kept || e.Addr == k.Addr
		}
		if !kept {
			m.put(e.Register, e.Default)
		}
	}
}

func (m *memory) value(r dynamixel.Register) int32 { return r.Value(m.table[r.Addr:]) }

func (m *memory) put(r dynamixel.Register, v int32) { r.Put(m.table[r.Addr:], v) }

// resolve follows the indirect data to the byte it stands for. It returns false
// for an address where nothing is.
func (m *memory) resolve(a int) (int, bool) {
	if a >= tableSize || m.at[a] == 0 {
		return 0, false
	}
	n, indirect := indirectEntry(a)
	if !indirect {
		return a, true
	}
	to := int(m.value(dynamixel.IndirectAddress(n)))
	if _, again := indirectEntry(to); again {
		to = a
	}
	return to, to < tableSize && m.at[to] != 0
}

// indirectEntry returns which entry of the indirect data address a is.
func indirectEntry(a int) (n int, ok bool) {
	const first, second, half = 224, 634, dynamixel.Indirects / 2
	switch {
	case a >= first && a < first+half:
		return a - first, true
	case a >= second && a < second+half:
		return a - second + half, true
	}
	return 0, false
}

// peek copies len(dst) bytes from addr on. Gaps between items read as 0.
func (m *memory) peek(addr int, dst []byte) byte {
	if addr+len(dst) > tableSize {
		return dynamixel.CodeAccess
	}
	found := false
	for i := range dst {
		dst[i] = 0
		if a, ok := m.resolve(addr + i); ok {
			dst[i] = m.table[a]
			found = true
		}
	}
	if !found {
		return dynamixel.CodeAccess
	}
	return 0
}

// stage prepares a write of data to addr. unstage follows in any case.
func (m *memory) stage(addr int, data []byte, lockEEPROM bool) byte {
	for i, x := range data {
		a, ok := m.resolve(addr + i)
		if !ok {
			return dynamixel.CodeAccess
		}
		k := m.at[a]
		e := &m.entries[k-1]
		if e.Access == dynamixel.ReadOnly || lockEEPROM && e.EEPROM() {
			return dynamixel.CodeAccess
		}
		if !slices.Contains(m.maskOf(k-1), true) {
			m.touched = append(m.touched, k-1)
		}
		m.staged[a], m.mask[a] = x, true
	}
	for _, k := range m.touched {
		if slices.Contains(m.maskOf(k), false) {
			return dynamixel.CodeDataLength
		}
	}
	return 0
}

// maskOf returns which bytes of entry k are staged.
func (m *memory) maskOf(k uint8) []bool {
	e := &m.entries[k]
	return m.mask[e.Addr : e.Addr+e.Size]
}

func (m *memory) unstage() {
	for _, k := range m.touched {
		clear(m.maskOf(k))
	}
	m.touched = m.touched[:0]
}
