package dynamixel

import (
	"encoding/binary"
)

// collectFast takes the one status packet of a fast read, servo by servo:
//
//	FF FF FD 00 FE LEN LEN 55 (ERR ID data CRC CRC)*
//
// Each checksum covers everything before it, so a servo's part is good or bad
// by itself even if the packet breaks off behind it. And as it covers the one
// before it, that one as it came is where the next part is checked from: a
// damaged part spoils no other.
//
// sure is as in collect; here it is none of order or all.
func (b *Bus) collectFast(g *group, order []uint8) (sure int, err error) {
	size := g.answer(order)
	foreign := false
	for k, at, crc := 0, 0, uint16(0); k < len(order); {
		if at == 0 && !b.echoing() && b.findFast(size) {
			at, crc = fastHead, CRC(0, b.rx[b.r:b.r+fastHead])
		}
		r := &g.rs[order[k]]
		end := at + fastPart + len(r.Data)
		if have := b.rx[b.r:b.w]; at > 0 && len(have) >= end {
			part, sum := have[at:end-2], have[end-2:end]
			whole := CRC(crc, part) == binary.LittleEndian.Uint16(sum)
			ours := ID(part[1]) == r.ID
			if k == 0 {
				ok, new := b.begun(r.ID, whole, ours)
				if !ok {
					b.r++
					at = 0
					continue
				}
				if new {
					sure = len(order)
				}
			}
			// Noise does not make a right checksum under a wrong ID: from
			// there on it answers something else.
			foreign = foreign || whole && !ours
			if whole && !foreign {
				b.takeFast(r, part)
			} else {
				b.damaged(r)
			}
			crc = CRC(binary.LittleEndian.Uint16(sum), sum)
			at = end
			k++
			continue
		}
		if at == 0 && b.over() {
			b.dirty = true
			return sure, nil
		}
		if err := b.fill(); err != nil {
			b.dirty = true
			return sure, notDeadline(err)
		}
	}
	return sure, nil
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

// findFast skips to the head of a fast status of the given size.
func (b *Bus) findFast(size int) bool {
	skipped := false
	for {
		n, found := findHeader(b.rx[b.r:b.w])
		b.r += n
		skipped = skipped || n > 0
		if found == size && ID(b.rx[b.r+4]) == Broadcast && Instruction(b.rx[b.r+7]) == InstStatus || found == 0 {
			break
		}
		b.r++
	}
	if skipped {
		b.stats.Resyncs++
	}
	return b.w-b.r >= fastHead
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
