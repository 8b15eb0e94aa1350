package dynamixel

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// group is a reading of several servos by one instruction.
type group struct {
	inst Instruction
	what string
	blk  Block // of all, or
	blks []Block
	rs   []Reading
}

func (g *group) fast() bool { return g.inst == InstFastSyncRead || g.inst == InstFastBulkRead }

func (g *group) bulk() bool { return g.blks != nil }

// promptShare of the allowance is what the host's own delays usually take. What
// is missing then is asked for again in the rest.
const promptShare = 6

// read does a whole transaction.
func (b *Bus) read(g *group) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	err := b.prepare(g)
	if err == nil && len(g.rs) > 0 {
		err = b.tries(g)
	}
	if err != nil {
		return fmt.Errorf("dynamixel: %s: %w", g.what, err)
	}
	return nil
}

// prepare marks all readings missing.
func (b *Bus) prepare(g *group) error {
	if len(g.rs) > len(b.order) {
		return fmt.Errorf("%d servos, at most %d", len(g.rs), len(b.order))
	}
	for i := range g.rs {
		r, n := &g.rs[i], int(g.blk.Len)
		if g.bulk() {
			n = int(g.blks[i].Len)
		}
		if len(r.Data) != n {
			return fmt.Errorf("id %d: %d bytes for a block of %d", r.ID, len(r.Data), n)
		}
		r.Err, r.Status, r.Retries = ErrTimeout, 0, 0
	}
	return nil
}

// tries asks, and asks again, within one budget. What a try may take at most is
// charged in full: the port has the clock.
func (b *Bus) tries(g *group) error {
	order := b.order[:len(g.rs)]
	for i := range order {
		order[i] = uint8(i)
	}
	b.arrange(g, order)
	left := b.timeOf(g, order) + b.cfg.Allowance
	slack := b.cfg.Allowance/promptShare + b.queued
	b.fresh()
	if first := g.rs[order[0]].ID; b.owed[first]&g.bit(order[0]) != 0 {
		// All of them owe. Who is asked now is asked last the next time. The
		// fence is not charged: a host that is late now is late then, too.
		if err := b.fence(first, b.cfg.Allowance+b.queued); err != nil {
			b.accuse(g, order)
			return notRetryable(err)
		}
	}
	var before []uint8
	for try := 0; ; try++ {
		hopeful := b.hopeful(g, order)
		d := b.patience(g, order, slack, left)
		if try == b.cfg.Retries || hopeful == 0 || left-d < b.least(g, order) {
			d = left
		}
		err := b.groupOnce(g, order, before, d, left-d)
		if left -= d; err != nil || left == 0 || !b.fenced {
			return err
		}
		before = b.before[:copy(b.before[:], order)]
		order = again(g.rs, order[:hopeful])
		b.arrange(g, order)
		if order = b.fitting(g, order, left); len(order) == 0 {
			return nil
		}
		b.stats.Retries++
		for _, i := range order {
			g.rs[i].Retries++
		}
	}
}

// patience is how long a try waits that may have another behind it: for what is
// prompt, or as long as leaves time to ask everybody once more.
func (b *Bus) patience(g *group, order []uint8, slack, left time.Duration) time.Duration {
	t := b.timeOf(g, order)
	return max(t+slack, left-max(t, b.least(g, order)))
}

// again returns those of order whose reading may come with a retry.
func again(rs []Reading, order []uint8) []uint8 {
	return slices.DeleteFunc(order, func(i uint8) bool { return answered(rs[i].Err) })
}

// hopeful returns how many of an arranged order have not been found silent
// before. The others get one chance in a reading, not two.
func (b *Bus) hopeful(g *group, order []uint8) int {
	n := 0
	for n < len(order) && b.suspects[g.rs[order[n]].ID] == 0 {
		n++
	}
	return n
}

// arrange puts servos that owe nothing first, and silent ones last, the one that
// was found silent last behind all. The rest stays in order.
func (b *Bus) arrange(g *group, order []uint8) {
	key := func(i uint8) uint64 {
		id := g.rs[i].ID
		switch {
		case b.suspects[id] > 0:
			return 1 + b.suspects[id]
		case b.owed[id]&g.bit(i) != 0:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(order, func(i, j uint8) int { return cmp.Compare(key(i), key(j)) })
}

// bit is what reading i's servo owes if it is asked first and stays silent.
func (g *group) bit(i uint8) uint16 {
	if g.fast() {
		return owedFast
	}
	return owedBit(len(g.rs[i].Data))
}

// packetGap is the pause after which a servo drops an instruction that it has
// not all of (e-manual, Protocol 2.0). One that arrived with a longer length than
// it was sent with would else swallow the next.
const packetGap = 1500 * time.Microsecond

// least is the time that any further try needs: one servo's answer, and if there
// is none, the pause.
func (b *Bus) least(g *group, order []uint8) time.Duration {
	return max(b.timeOf(g, order[:1]), b.wire.Bytes(commandBytes+addrBytes+len(order))+packetGap)
}

// fitting returns the first of order, as many as can answer within d.
func (b *Bus) fitting(g *group, order []uint8, d time.Duration) []uint8 {
	for len(order) > 0 && b.timeOf(g, order) > d {
		order = order[:len(order)-1]
	}
	return order
}

// timeOf is the time on the wire to ask the servos of order.
func (b *Bus) timeOf(g *group, order []uint8) time.Duration {
	out := commandBytes + addrBytes + len(order)
	if g.bulk() {
		out = commandBytes + len(order)*(1+addrBytes)
	}
	gaps := len(order)
	if g.fast() {
		gaps = 1
	}
	return b.wire.answered(out+g.answer(order), gaps)
}

// answer is how many bytes the servos of order answer with.
func (g *group) answer(order []uint8) int {
	n, each := 0, statusBytes
	if g.fast() {
		n, each = fastHead, fastPart
	}
	for _, i := range order {
		n += each + len(g.rs[i].Data)
	}
	return n
}

// groupOnce asks the servos of order, in that order, and waits d; for rest
// besides if by then it is not known what is owed, as only an answer ends that.
// Those of before were asked before in this transaction.
func (b *Bus) groupOnce(g *group, order, before []uint8, d, rest time.Duration) error {
	w := begin(b.tx[:0], Broadcast, g.inst)
	if !g.bulk() {
		w = w.block(g.blk)
	}
	for _, i := range order {
		w = w.byte(byte(g.rs[i].ID))
		if g.bulk() {
			w = w.block(g.blks[i])
		}
	}
	b.tx = w.end()
	if err := b.begin(b.tx, d, g.answer(order)); err != nil {
		return err
	}
	sure, err := b.gather(g, order, before)
	if err == nil && !b.fenced && rest > 0 {
		if err = b.port.SetReadTimeout(rest); err == nil {
			sure, err = b.gather(g, order, before)
		}
	}
	b.bill(g, order, sure)
	return err
}

// gather takes the answers of order.
func (b *Bus) gather(g *group, order, before []uint8) (sure int, err error) {
	if g.fast() {
		return b.collectFast(g, order, before)
	}
	return b.collect(g, order)
}

// collect takes status packets until the last servo of order has answered, all
// bytes are here, or time is up. sure is how many of order it need not wait for
// any more: they have answered, or somebody behind them has.
func (b *Bus) collect(g *group, order []uint8) (sure int, err error) {
	for sure < len(order) {
		p, err := b.receive()
		damaged := errors.Is(err, ErrChecksum)
		switch {
		case errors.Is(err, ErrTimeout), errors.Is(err, errOver):
			return sure, nil
		case err != nil && !damaged:
			return sure, err
		}
		r := pending(g.rs, p.ID)
		if damaged {
			if r != nil && p.Instruction == InstStatus {
				r.Err = ErrChecksum
			}
			continue
		}
		ok, new := b.answers(r, &p)
		if !ok {
			b.heard -= p.size // it is none of the bytes that are expected
			continue
		}
		if r.Err = b.verdict(&p, len(r.Data)); r.Err == nil {
			copy(r.Data, p.Params)
		}
		r.Status = p.Error
		if k := g.find(order, p.ID); new && k >= 0 {
			sure = max(sure, k+1)
		}
	}
	return sure, nil
}

// answers tells whether p is the answer that r awaits; sure is as in trust.
func (b *Bus) answers(r *Reading, p *Packet) (ok, sure bool) {
	switch {
	case r == nil || p.Instruction != InstStatus:
		return false, false
	case p.Error&^AlertBit == CodeCRC:
		// Nobody complains of an instruction to all. It is about another that
		// was damaged so that it seemed to be for this servo.
		b.stats.Checksum++
		return false, false
	}
	return b.trust(p)
}

// pending returns the reading that id's answer is still awaited for.
func pending(rs []Reading, id ID) *Reading {
	for i := range rs {
		if r := &rs[i]; r.ID == id && !answered(r.Err) {
			return r
		}
	}
	return nil
}

// find returns where in order id is asked, or -1.
func (g *group) find(order []uint8, id ID) int {
	return slices.IndexFunc(order, func(i uint8) bool { return g.rs[i].ID == id })
}

// bill notes what the servos of order owe after they were asked in that order,
// and the first sure of them need not be waited for. The first of the others may
// be what keeps the rest silent.
func (b *Bus) bill(g *group, order []uint8, sure int) {
	for i := range g.rs {
		if answered(g.rs[i].Err) {
			b.suspects[g.rs[i].ID] = 0
		}
	}
	for _, i := range order[sure:] {
		b.owe(g.rs[i].ID, g.bit(i))
		if g.fast() {
			break // it would be one packet, and begin with this one's part
		}
	}
	if g.fast() {
		sure = 0 // of a status that broke off, the first missing part tells
	}
	b.accuse(g, order[sure:])
	for _, i := range order {
		if errors.Is(g.rs[i].Err, ErrTimeout) {
			b.stats.Timeouts++
		}
	}
}

// accuse makes the first of order that was not heard at all the last to be asked.
func (b *Bus) accuse(g *group, order []uint8) {
	for _, i := range order {
		if errors.Is(g.rs[i].Err, ErrTimeout) {
			b.suspect++
			b.suspects[g.rs[i].ID] = b.suspect
			return
		}
	}
}

// answered tells whether a reading's error came from the servo.
func answered(err error) bool { return err == nil || !retryable(err) }
