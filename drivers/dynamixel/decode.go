package dynamixel

import (
	"bytes"
	"encoding/binary"
)

// Decode takes the first packet from b, which it changes where the packet was
// stuffed. Bytes that are no packet are skipped. n is how many bytes of b are
// done with: whatever the error, call again with b[n:], plus what came since.
//
// ErrIncomplete: no whole packet, b[n:] may be the begin of one. ErrChecksum: a
// packet with a wrong checksum; p says what it would have been, and only its
// header is done with, as a true packet may lie inside.
func Decode(b []byte) (p Packet, n int, err error) {
	n, size := findHeader(b)
	if size == 0 || len(b) < n+size {
		return p, n, ErrIncomplete
	}
	raw := b[n : n+size]
	body := raw[headBytes : size-2]
	p.ID, p.Instruction, p.size = ID(raw[4]), Instruction(raw[7]), size
	if CRC(0, raw[:size-2]) != binary.LittleEndian.Uint16(raw[size-2:]) {
		return p, n + len(header), ErrChecksum
	}
	if !p.fast() {
		body = unstuff(body)
	}
	p.Params = body[1:]
	if p.Instruction == InstStatus && !p.fast() {
		// The length was checked: a status has an error byte.
		p.Error, p.Params = body[1], body[2:]
	}
	return p, n + size, nil
}

// findHeader returns where the first possible packet starts and its size in
// bytes. The size is 0 when too few bytes are there to know it.
func findHeader(b []byte) (at, size int) {
	for {
		i := bytes.Index(b[at:], header[:3])
		if i < 0 {
			// The last bytes may be the begin of a header.
			return len(b) - headerTail(b[at:]), 0
		}
		at += i
		h := b[at:]
		if len(h) > 3 && h[3] != header[3] || len(h) > 4 && !validID(ID(h[4])) {
			at++
			continue
		}
		if len(h) <= headBytes {
			return at, 0
		}
		length := int(binary.LittleEndian.Uint16(h[5:]))
		least := 3
		if Instruction(h[7]) == InstStatus {
			least = 4
		}
		if size = headBytes + length; length >= least && size <= MaxPacket {
			return at, size
		}
		at++
	}
}

// headerTail returns how many bytes at the end of b may begin a header.
func headerTail(b []byte) int {
	for n := min(2, len(b)); n > 0; n-- {
		if bytes.HasPrefix(header[:], b[len(b)-n:]) {
			return n
		}
	}
	return 0
}

func validID(id ID) bool { return id <= MaxID || id == Broadcast }

// unstuff removes in place the FD behind every FF FF FD, and returns what is
// left of b.
func unstuff(b []byte) []byte {
	out, run := 0, 0
	for i := 0; i < len(b); i++ {
		b[out] = b[i]
		out++
		if run = stuffRun(run, b[i]); run == 3 {
			if run = 0; i+1 < len(b) && b[i+1] == 0xFD {
				i++
			}
		}
	}
	return b[:out]
}
