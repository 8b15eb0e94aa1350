package dynamixel

import "fmt"

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
	// Retries is how often it was asked again.
	Retries uint8
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
	if err := b.tell(b.tx); err != nil {
		return fmt.Errorf("dynamixel: sync write: %w", err)
	}
	return nil
}

// SyncRead reads a block of several servos, each of which answers with a packet
// of its own. An ID is at most once in rs. What goes wrong with one servo is its
// reading's Err; the returned error says that the bus itself is gone, or that rs
// is unfit.
//
// All of it, retries included, takes at most the time on the wire and
// Config.Allowance. A retry asks only those whose answers came damaged, and only
// if time is left. A servo that stays silent keeps those behind it silent too:
// nothing more is heard of them this time, and the next group read asks the
// silent one last.
func (b *Bus) SyncRead(blk Block, rs []Reading) error {
	return b.read(&group{inst: InstSyncRead, what: "sync read", blk: blk, rs: rs})
}

// FastSyncRead is SyncRead with one packet that the servos write in turn. It
// needs firmware 45; an older servo looks as if it were silent.
func (b *Bus) FastSyncRead(blk Block, rs []Reading) error {
	return b.read(&group{inst: InstFastSyncRead, what: "fast sync read", blk: blk, rs: rs})
}
