package dynamixel

import (
	"encoding/binary"
	"errors"
)

// Instruction says what a packet wants, or that it is a status.
type Instruction byte

// The instructions (e-manual, Protocol 2.0, "Instruction").
const (
	InstPing         Instruction = 0x01
	InstRead         Instruction = 0x02
	InstWrite        Instruction = 0x03
	InstRegWrite     Instruction = 0x04
	InstAction       Instruction = 0x05
	InstFactoryReset Instruction = 0x06
	InstReboot       Instruction = 0x08
	InstClear        Instruction = 0x10
	InstBackup       Instruction = 0x20
	InstStatus       Instruction = 0x55
	InstSyncRead     Instruction = 0x82
	InstSyncWrite    Instruction = 0x83
	InstFastSyncRead Instruction = 0x8A
	InstBulkRead     Instruction = 0x92
	InstBulkWrite    Instruction = 0x93
	InstFastBulkRead Instruction = 0x9A
)

// Packet is one packet of either direction, its stuffing removed.
type Packet struct {
	ID          ID
	Instruction Instruction
	// Error is a status packet's error byte. In a fast status every servo's
	// part has its own, and this is 0.
	Error byte
	// Params are the bytes after Instruction, or after Error in a status. From
	// Decode they alias its input.
	Params []byte

	size int // on the wire; set by Decode
}

// fast tells whether p is the status of a fast read: one packet that several
// servos write in turn, under the broadcast ID and never stuffed.
func (p *Packet) fast() bool { return p.ID == Broadcast && p.Instruction == InstStatus }

// MaxPacket is the longest packet that Decode accepts, in bytes.
const MaxPacket = 4096

var (
	// ErrIncomplete says that there is no whole packet yet.
	ErrIncomplete = errors.New("packet is incomplete")
	header        = [...]byte{0xFF, 0xFF, 0xFD, 0x00}
)

// AppendPacket appends p to dst, stuffed and with its checksum.
func AppendPacket(dst []byte, p *Packet) []byte {
	w := begin(dst, p.ID, p.Instruction)
	if p.fast() {
		return w.raw(p.Params).end()
	}
	if p.Instruction == InstStatus {
		w = w.byte(p.Error)
	}
	return w.bytes(p.Params).end()
}

// writer builds a packet in place, piece by piece. It is passed by value so
// that it stays on the stack.
type writer struct {
	b     []byte
	start int
	run   int // how much of FF FF FD the last bytes are
}

func begin(dst []byte, id ID, inst Instruction) writer {
	w := writer{b: dst, start: len(dst)}
	w.b = append(w.b, header[:]...)
	w.b = append(w.b, byte(id), 0, 0)
	return w.byte(byte(inst))
}

// byte appends one byte, and FD behind every FF FF FD.
func (w writer) byte(x byte) writer {
	w.b = append(w.b, x)
	if w.run = stuffRun(w.run, x); w.run == 3 {
		w.b = append(w.b, 0xFD)
		w.run = 0
	}
	return w
}

func (w writer) uint16(x uint16) writer { return w.byte(byte(x)).byte(byte(x >> 8)) }

func (w writer) block(b Block) writer { return w.uint16(b.Addr).uint16(b.Len) }

func (w writer) bytes(b []byte) writer {
	for _, x := range b {
		w = w.byte(x)
	}
	return w
}

func (w writer) raw(b []byte) writer {
	w.b = append(w.b, b...)
	return w
}

// end fills in the length and appends the checksum.
func (w writer) end() []byte {
	p := w.b[w.start:]
	binary.LittleEndian.PutUint16(p[5:], uint16(len(p)-headBytes+2))
	return binary.LittleEndian.AppendUint16(w.b, CRC(0, p))
}

// stuffRun returns how much of FF FF FD has been seen after x.
func stuffRun(run int, x byte) int {
	switch {
	case x == 0xFF:
		return min(run+1, 2)
	case x == 0xFD && run == 2:
		return 3
	}
	return 0
}
