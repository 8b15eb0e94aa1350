package dynamixel

import "fmt"

// BulkReading is one servo's part of a bulk read: as a Reading, of a block of
// its own. Data is as long as Block.
type BulkReading struct {
	Block Block
	Reading
}

// BulkRead reads a block of its own from each of several servos, which answer
// one after the other, in the order of rs. An ID is at most once in rs. What
// goes wrong with one servo is its reading's Err; the returned error says that
// the bus itself is gone, or that rs is unfit. It is not retried, and allocates.
func (b *Bus) BulkRead(rs []BulkReading) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	plain := make([]Reading, len(rs))
	order := make([]uint8, len(rs))
	w := begin(b.tx[:0], Broadcast, InstBulkRead)
	answers := 0
	for i := range rs {
		r := &rs[i]
		if len(rs) > len(b.order) || len(r.Data) != int(r.Block.Len) {
			return fmt.Errorf("dynamixel: bulk read: id %d: %d bytes for a block of %d, %d servos", r.ID, len(r.Data), r.Block.Len, len(rs))
		}
		w = w.byte(byte(r.ID)).block(r.Block)
		answers += statusBytes + len(r.Data)
		plain[i], order[i] = Reading{ID: r.ID, Data: r.Data, Err: ErrTimeout}, uint8(i)
	}
	if len(rs) == 0 {
		return nil
	}
	b.tx = w.end()
	err := b.begin(b.wire.answered(len(b.tx)+answers, len(rs)) + b.cfg.Allowance)
	if err == nil {
		err = b.collect(plain, order)
	}
	for i := range rs {
		rs[i].Reading = plain[i]
	}
	if err != nil {
		return fmt.Errorf("dynamixel: bulk read: %w", err)
	}
	return nil
}

// BulkItem is one servo's part of a bulk write: Data goes to Addr.
type BulkItem struct {
	ID   ID
	Addr uint16
	Data []byte
}

// BulkWrite writes to each of several servos a block of its own. Nobody answers.
func (b *Bus) BulkWrite(items []BulkItem) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	w := begin(b.tx[:0], Broadcast, InstBulkWrite)
	for i := range items {
		it := &items[i]
		w = w.byte(byte(it.ID)).block(Block{Addr: it.Addr, Len: uint16(len(it.Data))}).bytes(it.Data)
	}
	b.tx = w.end()
	return about("bulk write", Broadcast, b.send())
}
