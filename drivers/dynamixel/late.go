package dynamixel

import (
	"errors"
	"time"
)

// A status packet does not say which instruction it answers. One that comes
// after its transaction has given up must not pass for the answer to a later
// instruction that happens to ask the same servo for as many bytes. Two facts
// keep them apart, whatever the delay:
//
//   - What is known to be owed. A transaction that ends without an answer notes
//     the servo and the number of bytes.
//   - Order. Servos, adapter and kernel pass bytes on in the order in which they
//     came. So once an answer is here that nobody owed, nothing older can follow.
//
// Until then an answer that may be owed is dropped. A group read asks servos
// that owe nothing first, so that this costs no time as long as one of them
// lives. Otherwise a fence comes first: a read of a length that is not owed.

// Bits of Bus.owed: lengths of answers, and fast statuses by their first servo.
const (
	owedLongest = 14 // and more
	owedFast    = 1 << 15
	fenceMost   = 13 // bytes of a fence's answer: every table begins with so many
)

func owedBit(n int) uint16 { return 1 << min(n, owedLongest) }

// owe notes that an answer of id's did not come, but may.
func (b *Bus) owe(id ID, bit uint16) {
	b.owed[id] |= bit
	b.owing = true
}

// fresh begins a transaction.
func (b *Bus) fresh() { b.fenced = !b.owing }

// settle notes that everything owed has come, or never will.
func (b *Bus) settle() {
	if b.owing {
		b.owed = [len(b.owed)]uint16{}
		b.owing = false
	}
	b.fenced = true
}

// trust tells whether p answers a question of this transaction, and whether it
// is sure to answer its last try.
func (b *Bus) trust(p *Packet) (ok, sure bool) {
	owed := b.owed[p.ID]
	if p.Error&^AlertBit == 0 {
		owed &= owedBit(len(p.Params))
	}
	return b.believe(owed)
}

// believe is trust in an answer that may be one of owed.
func (b *Bus) believe(owed uint16) (ok, sure bool) {
	if owed == 0 {
		b.settle()
	} else if !b.fenced {
		b.stats.Late++
	}
	return b.fenced, owed == 0
}

// fence makes sure that nothing owed comes after it: it reads from id what no
// earlier transaction did, and drops all that comes until then. It takes at most
// fenceTime and extra.
func (b *Bus) fence(id ID, extra time.Duration) error {
	n := b.fenceLength(id)
	b.probe = begin(b.probe[:0], id, InstRead).block(Block{Len: uint16(n)}).end()
	if err := b.begin(b.probe, b.fenceTime()+extra, 0); err != nil {
		return err
	}
	for {
		p, err := b.receive()
		switch {
		case errors.Is(err, ErrChecksum):
		case err != nil:
			b.stats.Timeouts++
			b.owe(id, owedBit(n))
			return err
		case p.Instruction != InstStatus:
		case p.ID == id && p.Error&^AlertBit == 0 && len(p.Params) == n:
			b.settle()
			return nil
		default:
			b.stats.Late++
		}
	}
}

// fenceTime is the time on the wire of the longest fence.
func (b *Bus) fenceTime() time.Duration { return b.wire.Read(fenceMost) }

// fenceLength returns a number of bytes that id does not owe. They go round: one
// that was tried fenceMost fences ago, longer than any latency timer from the
// factory, is no longer owed.
func (b *Bus) fenceLength(id ID) int {
	for range fenceMost {
		b.fences = b.fences%fenceMost + 1
		if b.owed[id]&owedBit(b.fences) == 0 {
			return b.fences
		}
	}
	b.owed[id] = 0
	return b.fences
}
