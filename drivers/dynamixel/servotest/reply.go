package servotest

import (
	"encoding/binary"
	"time"

	"twinrig/drivers/dynamixel"
)

// answers tells whether s answers an instruction at all; level is the least
// Status Return Level at which it does.
func (s *Servo) answers(level byte) bool {
	return !s.silent && s.table[dynamixel.StatusReturnLevel.Addr] >= level
}

// status is the error byte of an answer.
func (s *Servo) status(code byte) byte {
	if s.value(dynamixel.HardwareErrorStatus) != 0 {
		code |= dynamixel.AlertBit
	}
	return code
}

// answer lets s send a status packet under the ID that it was asked by.
func (c *Chain) answer(s *Servo, id dynamixel.ID, code byte, data []byte) {
	from := len(c.out)
	c.out = dynamixel.AppendPacket(c.out, &dynamixel.Packet{
		ID: id, Instruction: dynamixel.InstStatus, Error: s.status(code), Params: data,
	})
	c.clash = c.twins(s) > 1
	c.send(from, s.gap(&c.cfg))
	c.clash = false
}

// twins is how many servos answer to s's ID.
func (c *Chain) twins(s *Servo) (n int) {
	for _, o := range c.servos {
		if o.ID() == s.ID() && !o.silent && o.hears(c.now, c.cfg.Baud) {
			n++
		}
	}
	return n
}

// garble is what two servos make of an answer when they send at once and not in
// step: a 0 on the line wins over a 1.
func (c *Chain) garble(b []byte, from int) []byte {
	if c.clash {
		for k := len(b) - 1; k > from; k-- {
			b[k] &= b[k-1]
		}
	}
	return b
}

// send puts c.out[from:] on the wire, gap after what came before.
func (c *Chain) send(from int, gap time.Duration) {
	start := max(c.now, c.replyEnd) + gap
	c.replyEnd = start + c.cfg.byteTime(len(c.out)-from)
	c.out = c.replyNoise(c.garble(c.out, from), from)
	c.parts = append(c.parts, part{start: start, end: c.replyEnd, to: len(c.out)})
}

// schedule says when the host gets the answers from parts[first:] on: the
// adapter keeps bytes back until none has come for its latency.
func (c *Chain) schedule(first int) {
	for i := len(c.parts) - 1; i >= first; i-- {
		p := &c.parts[i]
		p.due = p.end + c.cfg.Latency + c.line.late
		if i+1 < len(c.parts) && c.parts[i+1].start-p.end < c.cfg.Latency {
			p.due = c.parts[i+1].due
		}
	}
}

// fastReply is the status packet of a fast read, which servos write in turn.
type fastReply struct {
	begun bool
	from  int
	crc   uint16
	gap   time.Duration // the first servo's
}

// fastHead begins the packet; size is that of all servos' parts.
func (c *Chain) fastHead(first *Servo, size int) fastReply {
	f := fastReply{begun: true, from: len(c.out), gap: first.gap(&c.cfg)}
	c.out = append(c.out, 0xFF, 0xFF, 0xFD, 0x00, byte(dynamixel.Broadcast))
	c.out = binary.LittleEndian.AppendUint16(c.out, uint16(1+size))
	c.out = append(c.out, byte(dynamixel.InstStatus))
	f.crc = dynamixel.CRC(0, c.out[f.from:])
	return f
}

// fastPart appends one servo's part.
func (c *Chain) fastPart(f *fastReply, s *Servo, code byte, data []byte) {
	from := len(c.out)
	c.out = append(c.out, s.status(code), byte(s.ID()))
	c.out = append(c.out, data...)
	f.crc = dynamixel.CRC(f.crc, c.out[from:])
	c.out = binary.LittleEndian.AppendUint16(c.out, f.crc)
	f.crc = dynamixel.CRC(f.crc, c.out[len(c.out)-2:])
}

// collide damages what the host sends while servos are answering: the bus is
// one pair of wires.
func (c *Chain) collide() {
	for k := len(c.at) - 1; k >= 0; k-- {
		if c.at[k] > c.replyEnd {
			continue
		}
		if c.at[k] <= c.now {
			return
		}
		c.in[k] ^= 0xA5
		c.stats.Collisions++
	}
}
