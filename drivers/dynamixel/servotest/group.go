package servotest

import "twinrig/drivers/dynamixel"

// list is the parameters of an instruction that lists servos.
type list struct {
	rest  []byte
	block dynamixel.Block
	bulk  bool // every servo has a block of its own
	data  bool // and data to write
}

// listOf returns false if p is too short to list anybody.
func listOf(p *dynamixel.Packet) (list, bool) {
	l := list{rest: p.Params}
	switch p.Instruction {
	case dynamixel.InstBulkRead, dynamixel.InstFastBulkRead:
		l.bulk = true
	case dynamixel.InstBulkWrite:
		l.bulk, l.data = true, true
	case dynamixel.InstSyncWrite:
		l.data = true
	}
	if l.bulk {
		return l, true
	}
	if len(l.rest) < 4 {
		return l, false
	}
	l.block, l.rest = blockAt(l.rest), l.rest[4:]
	return l, true
}

// next returns the next servo of the list, its block and the data for it.
func (l *list) next() (id dynamixel.ID, b dynamixel.Block, data []byte, ok bool) {
	size := 1
	if l.bulk {
		size += 4
	}
	if len(l.rest) < size {
		return 0, b, nil, false
	}
	id, b = dynamixel.ID(l.rest[0]), l.block
	if l.bulk {
		b = blockAt(l.rest[1:])
	}
	l.rest = l.rest[size:]
	if l.data {
		if len(l.rest) < int(b.Len) {
			return 0, b, nil, false
		}
		data, l.rest = l.rest[:b.Len], l.rest[b.Len:]
	}
	return id, b, data, true
}

// groupWrite writes to every servo that is listed, and to those that follow it.
// Nobody answers.
func (c *Chain) groupWrite(p *dynamixel.Packet) {
	l, ok := listOf(p)
	if !ok {
		return
	}
	for id, b, data, ok := l.next(); ok; id, b, data, ok = l.next() {
		for _, s := range c.servos {
			own := s.ID() == id
			if (own || s.follows(id)) && s.hears(c.now, c.cfg.Baud) {
				s.watch.feed(c.now)
				s.write(int(b.Addr), data, !own)
			}
		}
	}
}

// groupRead lets the listed servos answer in turn. Each waits for the one before
// it, so a silent one keeps the rest silent, unless Config.LaterAnswer.
func (c *Chain) groupRead(p *dynamixel.Packet) {
	l, ok := listOf(p)
	if !ok {
		return
	}
	c.feedListed(l)
	if p.Instruction == dynamixel.InstFastSyncRead || p.Instruction == dynamixel.InstFastBulkRead {
		c.fastRead(l)
		return
	}
	for id, b, _, ok := l.next(); ok; id, b, _, ok = l.next() {
		s := c.find(id)
		if s == nil || !s.answers(1) {
			if c.cfg.LaterAnswer {
				continue
			}
			return
		}
		code, data := c.read(s, b)
		c.answer(s, id, code, data)
	}
}

// feedListed feeds the watchdogs of all that are listed, the mute included.
func (c *Chain) feedListed(l list) {
	for id, _, _, ok := l.next(); ok; id, _, _, ok = l.next() {
		c.find(id)
	}
}

// fastRead is groupRead with one packet, which a missing servo cuts off.
func (c *Chain) fastRead(l list) {
	size := 0
	for rest := l; ; {
		_, b, _, ok := rest.next()
		if !ok {
			break
		}
		size += 4 + int(b.Len)
	}
	var f fastReply
	for id, b, _, ok := l.next(); ok; id, b, _, ok = l.next() {
		s := c.find(id)
		if s == nil || !s.answers(1) || s.params.Firmware < firmwareFast {
			break
		}
		if !f.begun {
			f = c.fastHead(s, size)
		}
		code, data := c.read(s, b)
		if code != 0 {
			// The part has its size in any case.
			data = c.block[:min(int(b.Len), tableSize)]
			clear(data)
		}
		c.fastPart(&f, s, code, data)
	}
	if f.begun {
		c.send(f.from, f.gap)
	}
}
