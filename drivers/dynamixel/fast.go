package dynamixel

import (
	"encoding/binary"
)

// fastStatus is the one status packet of a fast read as it comes, servo by servo:
//
//	FF FF FD 00 FE LEN LEN 55 (ERR ID data CRC CRC)*
//
// Each checksum covers everything before it, so a servo's part is good or bad
// by itself even if the packet breaks off behind it. And as it covers the one
// before it, that one as it came is where the next part is checked from: a
// damaged part spoils no other.
type fastStatus struct {
	asked   []uint8 // whose parts it has
	k, at   int     // the next part's place in asked, and in the packet; at is 0 before the head
	crc     uint16  // up to there
	foreign bool    // it answers something else
	sure    bool    // it answers the last try
}

// collectFast takes a fast status. It may still be the one that before was asked
// for, late. sure is as in collect; here it is none of order or all.
func (b *Bus) collectFast(g *group, order, before []uint8) (sure int, err error) {
	if len(before) > 0 && b.owed[g.rs[before[0]].ID]&owedFast == 0 {
		before = nil // it has come
	}
	f := fastStatus{asked: order}
	for f.k < len(f.asked) {
		if f.at == 0 && !b.echoing() {
			b.beginFast(&f, g, order, before)
		}
		if b.nextPart(&f, g, before) {
			continue
		}
		if f.at == 0 && b.over() {
			b.dirty = true
			break
		}
		if err = b.fill(); err != nil {
			b.dirty = true
			break
		}
	}
	if f.sure {
		sure = len(order)
	}
	return sure, notDeadline(err)
}

// beginFast takes the head, if it is here.
func (b *Bus) beginFast(f *fastStatus, g *group, order, before []uint8) {
	size := g.answer(order)
	found := b.findFast(size, g.answer(before))
	if found == 0 {
		return
	}
	*f = fastStatus{asked: order, at: fastHead, crc: CRC(0, b.rx[b.r:b.r+fastHead])}
	if found != size {
		f.asked = before
	}
}

// nextPart takes the next part, if it is here.
func (b *Bus) nextPart(f *fastStatus, g *group, before []uint8) bool {
	r := &g.rs[f.asked[f.k]]
	end := f.at + fastPart + len(r.Data)
	have := b.rx[b.r:b.w]
	if f.at == 0 || len(have) < end {
		return false
	}
	part, sum := have[f.at:end-2], have[end-2:end]
	whole := CRC(f.crc, part) == binary.LittleEndian.Uint16(sum)
	if f.k == 0 {
		if whole && ID(part[1]) != r.ID && g.alike(f.asked, before) {
			f.asked = before
			r = &g.rs[before[0]]
		}
		var ok bool
		if ok, f.sure = b.begun(r.ID, whole, ID(part[1]) == r.ID); !ok {
			b.heard -= g.answer(f.asked)
			b.r++
			f.at = 0
			return true
		}
	}
	// Noise does not make a right checksum under a wrong ID.
	f.foreign = f.foreign || whole && ID(part[1]) != r.ID
	if whole && !f.foreign {
		b.takeFast(r, part)
	} else {
		b.damaged(r)
	}
	f.crc = CRC(binary.LittleEndian.Uint16(sum), sum)
	f.at = end
	f.k++
	return true
}

// alike tells whether the packets of two orders begin alike but for the ID.
func (g *group) alike(order, before []uint8) bool {
	return len(before) > 0 && g.answer(order) == g.answer(before) &&
		len(g.rs[order[0]].Data) == len(g.rs[before[0]].Data)
}

// begun tells whether a fast status whose first part should be id's answers this
// transaction, and whether it is sure to answer its last try. The first part is
// what tells such packets apart, so as long as another may be owed it must be
// good.
func (b *Bus) begun(id ID, whole, ours bool) (ok, sure bool) {
	switch owed := b.owed[id] & owedFast; {
	case whole && ours:
		return b.believe(owed)
	case whole:
		b.stats.Late++
		return false, false
	default:
		return b.fenced, b.fenced && owed == 0 && !b.owing
	}
}

// findFast skips to the head of a fast status of one of two sizes, and returns
// which. It returns 0 while there is none.
func (b *Bus) findFast(one, other int) int {
	skipped := false
	for {
		n, found := findHeader(b.rx[b.r:b.w])
		b.r += n
		skipped = skipped || n > 0
		switch {
		case found == 0:
		case (found == one || found == other) && ID(b.rx[b.r+4]) == Broadcast && Instruction(b.rx[b.r+7]) == InstStatus:
		default:
			b.r++
			continue
		}
		if skipped {
			b.stats.Resyncs++
		}
		return found
	}
}

// takeFast takes one servo's part: error byte, ID, data.
func (b *Bus) takeFast(r *Reading, part []byte) {
	r.Status = part[0]
	if code := part[0] &^ AlertBit; code != 0 {
		b.stats.Refused++
		r.Err = &StatusError{ID: r.ID, Code: code}
		return
	}
	copy(r.Data, part[2:])
	r.Err = nil
}

// damaged marks a part that came, but not as it was sent.
func (b *Bus) damaged(r *Reading) {
	b.stats.Checksum++
	b.dirty = true
	r.Err = ErrChecksum
}
