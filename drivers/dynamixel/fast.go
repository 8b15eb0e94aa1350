package dynamixel

import (
	"encoding/binary"
	"errors"
	"os"
)

// collectFast takes the one status packet of a fast sync read, servo by servo:
//
//	FF FF FD 00 FE LEN LEN 55 (ERR ID data CRC CRC)*
//
// Each checksum covers everything before it, so a servo's part is good or bad
// by itself even if the packet breaks off behind it.
func (b *Bus) collectFast(length int, rs []Reading, order []uint8) error {
	part := fastPart + length
	size := fastHead + len(order)*part
	at, crc := 0, uint16(0) // of the next part, once the head is found
	for k := 0; k < len(order); {
		if at == 0 {
			if b.findFast(size) {
				at, crc = fastHead, CRC(0, b.rx[b.r:b.r+fastHead])
			}
		}
		have := b.rx[b.r:b.w]
		if at > 0 && len(have) >= at+part {
			r := &rs[order[k]]
			end := at + part - 2
			crc = CRC(crc, have[at:end])
			if ID(have[at+1]) != r.ID || crc != binary.LittleEndian.Uint16(have[end:]) {
				b.damaged(rs, order[k:])
				return nil
			}
			b.takeFast(r, have[at:end])
			crc = CRC(crc, have[end:at+part])
			at += part
			k++
			continue
		}
		if err := b.fill(); err != nil {
			b.dirty = true
			if errors.Is(err, os.ErrDeadlineExceeded) {
				return nil
			}
			return err
		}
	}
	return nil
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

// damaged marks the readings of the rest of a fast status, which nothing covers
// any more.
func (b *Bus) damaged(rs []Reading, rest []uint8) {
	b.stats.Checksum++
	b.dirty = true
	for _, i := range rest {
		rs[i].Err = ErrChecksum
	}
}
