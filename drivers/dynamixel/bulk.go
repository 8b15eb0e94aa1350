package dynamixel

// BulkReading is one servo's part of a bulk read: as a Reading, of a block of
// its own. Data is as long as Block.
type BulkReading struct {
	Block Block
	Reading
}

// BulkRead reads a block of its own from each of several servos, which answer
// one after the other. In all else it is as SyncRead, but it allocates.
func (b *Bus) BulkRead(rs []BulkReading) error { return b.bulkRead(InstBulkRead, "bulk read", rs) }

// FastBulkRead is BulkRead with one packet that the servos write in turn. It
// needs firmware 45; an older servo looks as if it were silent.
func (b *Bus) FastBulkRead(rs []BulkReading) error {
	return b.bulkRead(InstFastBulkRead, "fast bulk read", rs)
}

func (b *Bus) bulkRead(inst Instruction, what string, rs []BulkReading) error {
	g := group{inst: inst, what: what, rs: make([]Reading, len(rs)), blks: make([]Block, len(rs))}
	for i := range rs {
		g.rs[i], g.blks[i] = rs[i].Reading, rs[i].Block
	}
	err := b.read(&g)
	for i := range rs {
		rs[i].Reading = g.rs[i]
	}
	return err
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
	return about("bulk write", Broadcast, b.tell(b.tx))
}
