package dynamixel

import (
	"errors"
	"fmt"
	"slices"
)

// Reading is one servo's part of a group read.
type Reading struct {
	// ID is whom to ask.
	ID ID
	// Data is the caller's and as long as the block. It is overwritten only
	// when the reading is fresh and valid.
	Data []byte
	// Err is nil when Data is fresh and valid, else why it is not: ErrTimeout,
	// ErrChecksum or a *StatusError.
	Err error
	// Status is the error byte of the servo's answer, with AlertBit.
	Status byte
}

// Item is one servo's part of a group write. Data is as long as the block.
type Item struct {
	ID   ID
	Data []byte
}

// SyncWrite writes a block of several servos at once. Nobody answers.
func (b *Bus) SyncWrite(blk Block, items []Item) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	w := begin(b.tx[:0], Broadcast, InstSyncWrite).block(blk)
	for i := range items {
		if it := &items[i]; len(it.Data) != int(blk.Len) {
			return fmt.Errorf("dynamixel: sync write: id %d: %d bytes for a block of %d", it.ID, len(it.Data), blk.Len)
		}
		w = w.byte(byte(items[i].ID)).bytes(items[i].Data)
	}
	b.tx = w.end()
	if err := b.send(); err != nil {
		return fmt.Errorf("dynamixel: sync write: %w", err)
	}
	return nil
}

// SyncRead reads a block of several servos, each of which answers with a packet
// of its own, in the order of rs. An ID is at most once in rs. What goes wrong
// with one servo is its reading's Err; the returned error says that the bus
// itself is gone, or that rs is unfit.
//
// A servo that stays silent keeps those behind it silent too. So a retry asks
// the missing ones again with the first of them last.
func (b *Bus) SyncRead(blk Block, rs []Reading) error {
	return b.group(InstSyncRead, blk, rs)
}

// FastSyncRead is SyncRead with one packet that the servos write in turn. It
// needs firmware 45; an older servo looks as if it were silent.
func (b *Bus) FastSyncRead(blk Block, rs []Reading) error {
	return b.group(InstFastSyncRead, blk, rs)
}

func (b *Bus) group(inst Instruction, blk Block, rs []Reading) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	err := b.prepare(blk, rs)
	if err == nil {
		err = b.groupTries(inst, blk, rs)
	}
	if err == nil {
		return nil
	}
	if inst == InstFastSyncRead {
		return fmt.Errorf("dynamixel: fast sync read: %w", err)
	}
	return fmt.Errorf("dynamixel: sync read: %w", err)
}

// prepare marks all readings missing.
func (b *Bus) prepare(blk Block, rs []Reading) error {
	if len(rs) > len(b.order) {
		return fmt.Errorf("%d servos, at most %d", len(rs), len(b.order))
	}
	for i := range rs {
		if len(rs[i].Data) != int(blk.Len) {
			return fmt.Errorf("id %d: %d bytes for a block of %d", rs[i].ID, len(rs[i].Data), blk.Len)
		}
		rs[i].Err, rs[i].Status = ErrTimeout, 0
	}
	return nil
}

func (b *Bus) groupTries(inst Instruction, blk Block, rs []Reading) error {
	order := b.order[:len(rs)]
	for i := range order {
		order[i] = uint8(i)
	}
	for try := 0; len(order) > 0; try++ {
		if err := b.groupOnce(inst, blk, rs, order); err != nil {
			return err
		}
		order = missing(rs, order)
		if len(order) == 0 || try == b.cfg.Retries {
			break
		}
		b.stats.Retries++
		first := order[0]
		copy(order, order[1:])
		order[len(order)-1] = first
	}
	return nil
}

// missing returns those of order whose reading may come with a retry.
func missing(rs []Reading, order []uint8) []uint8 {
	return slices.DeleteFunc(order, func(i uint8) bool {
		return rs[i].Err == nil || !retryable(rs[i].Err)
	})
}

// groupOnce asks the servos of order, in that order.
func (b *Bus) groupOnce(inst Instruction, blk Block, rs []Reading, order []uint8) error {
	w := begin(b.tx[:0], Broadcast, inst).block(blk)
	for _, i := range order {
		w = w.byte(byte(rs[i].ID))
	}
	b.tx = w.end()
	budget := b.cfg.Allowance
	if inst == InstFastSyncRead {
		budget += b.wire.FastSyncRead(len(order), int(blk.Len))
	} else {
		budget += b.wire.SyncRead(len(order), int(blk.Len))
	}
	if err := b.begin(budget); err != nil {
		return err
	}
	var err error
	if inst == InstFastSyncRead {
		err = b.collectFast(int(blk.Len), rs, order)
	} else {
		err = b.collect(rs, order)
	}
	for _, i := range order {
		if errors.Is(rs[i].Err, ErrTimeout) {
			b.stats.Timeouts++
		}
	}
	return err
}

// collect takes status packets until the last servo of order has answered or
// time is up.
func (b *Bus) collect(rs []Reading, order []uint8) error {
	last := rs[order[len(order)-1]].ID
	for {
		p, err := b.receive()
		if errors.Is(err, ErrTimeout) {
			return nil
		}
		damaged := errors.Is(err, ErrChecksum)
		if err != nil && !damaged {
			return err
		}
		r := pending(rs, order, p.ID)
		if r == nil || p.Instruction != InstStatus {
			continue
		}
		if damaged {
			r.Err = ErrChecksum
		} else if r.Err = b.verdict(&p, len(r.Data)); r.Err == nil {
			copy(r.Data, p.Params)
		}
		r.Status = p.Error
		if p.ID == last {
			return nil
		}
	}
}

// pending returns the reading of order that id's answer is still awaited for.
func pending(rs []Reading, order []uint8, id ID) *Reading {
	for _, i := range order {
		if r := &rs[i]; r.ID == id && r.Err != nil {
			return r
		}
	}
	return nil
}
