package servotest

import (
	"encoding/binary"

	"twinrig/drivers/dynamixel"
)

// execute lets a packet take effect at c.now.
func (c *Chain) execute(p *dynamixel.Packet) {
	if p.Instruction == dynamixel.InstStatus {
		return
	}
	first := len(c.parts)
	for _, s := range c.servos {
		s.now = c.now
		if p.ID == dynamixel.Broadcast && !listed(p.Instruction) || c.cfg.WatchdogHearsAll {
			s.watch.feed(c.now)
		}
	}
	switch p.Instruction {
	case dynamixel.InstSyncRead, dynamixel.InstFastSyncRead, dynamixel.InstBulkRead, dynamixel.InstFastBulkRead:
		c.groupRead(p)
	case dynamixel.InstSyncWrite, dynamixel.InstBulkWrite:
		c.groupWrite(p)
	default:
		c.single(p)
	}
	c.schedule(first)
	c.collide()
}

// listed tells whether an instruction lists whom it is for.
func listed(i dynamixel.Instruction) bool { return i >= dynamixel.InstSyncRead }

// complain answers a damaged packet, if it was for one servo.
func (c *Chain) complain(p *dynamixel.Packet) {
	first := len(c.parts)
	if s := c.find(p.ID); s != nil && p.Instruction != dynamixel.InstStatus && s.answers(2) {
		c.answer(s, p.ID, dynamixel.CodeCRC, nil)
	}
	c.schedule(first)
}

// find returns the servo that hears under id, or nil. It is addressed: that
// feeds its watchdog.
func (c *Chain) find(id dynamixel.ID) *Servo {
	for _, s := range c.servos {
		if s.ID() == id && s.hears(c.now, c.cfg.Baud) {
			s.watch.feed(c.now)
			return s
		}
	}
	return nil
}

// single executes an instruction for one servo, for those that have its ID as
// their secondary one, or for all.
func (c *Chain) single(p *dynamixel.Packet) {
	for _, s := range c.servos {
		if !s.hears(c.now, c.cfg.Baud) {
			continue
		}
		switch {
		case p.ID == dynamixel.Broadcast:
			code, data := c.carryOut(s, p)
			if p.Instruction == dynamixel.InstPing && s.answers(0) && c.find(s.ID()) == s {
				c.answer(s, s.ID(), code, data)
			}
		case s.ID() == p.ID:
			first := c.find(p.ID) == s // of two with one ID, one answer stands for both
			s.watch.feed(c.now)
			if code, data := c.carryOut(s, p); first && s.answers(answerLevel(p.Instruction)) {
				c.answer(s, p.ID, code, data)
			}
		case s.follows(p.ID) && p.Instruction == dynamixel.InstWrite && len(p.Params) > 2:
			s.watch.feed(c.now)
			s.write(int(binary.LittleEndian.Uint16(p.Params)), p.Params[2:], true)
		}
	}
}

// follows tells whether s acts on writes to id as its secondary ID.
func (s *Servo) follows(id dynamixel.ID) bool {
	second := dynamixel.ID(s.table[dynamixel.SecondaryID.Addr])
	return second == id && second <= dynamixel.MaxID && s.ID() != id
}

// answerLevel is the least Status Return Level at which an instruction is
// answered.
func answerLevel(i dynamixel.Instruction) byte {
	switch i {
	case dynamixel.InstPing:
		return 0
	case dynamixel.InstRead:
		return 1
	}
	return 2
}

// carryOut does what p says and returns the answer. The data is valid until the
// next call.
func (c *Chain) carryOut(s *Servo, p *dynamixel.Packet) (code byte, data []byte) {
	switch p.Instruction {
	case dynamixel.InstPing:
		copy(c.block[:], s.table[dynamixel.ModelNumber.Addr:][:2])
		c.block[2] = s.table[dynamixel.FirmwareVersion.Addr]
		return 0, c.block[:3]
	case dynamixel.InstRead:
		if len(p.Params) != 4 {
			return dynamixel.CodeDataLength, nil
		}
		return c.read(s, blockAt(p.Params))
	case dynamixel.InstWrite:
		if len(p.Params) < 3 {
			return dynamixel.CodeDataLength, nil
		}
		return s.write(int(binary.LittleEndian.Uint16(p.Params)), p.Params[2:], false), nil
	case dynamixel.InstReboot:
		s.reboot(c.now)
		return 0, nil
	}
	return s.rare(c.now, p), nil
}

// read reads a block of s into c.block.
func (c *Chain) read(s *Servo, b dynamixel.Block) (code byte, data []byte) {
	if int(b.Addr)+int(b.Len) > tableSize || b.Len == 0 {
		return dynamixel.CodeAccess, nil
	}
	s.refresh()
	data = c.block[:b.Len]
	if code = s.peek(int(b.Addr), data); code != 0 {
		return code, nil
	}
	return 0, data
}

func blockAt(b []byte) dynamixel.Block {
	return dynamixel.Block{Addr: binary.LittleEndian.Uint16(b), Len: binary.LittleEndian.Uint16(b[2:])}
}
