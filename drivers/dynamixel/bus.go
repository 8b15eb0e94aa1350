package dynamixel

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"
)

// Info is a servo's answer to a ping.
type Info struct {
	Model    uint16
	Firmware uint8
}

// Stats counts what happened on a bus since it was made.
type Stats struct {
	Transactions uint64 // instructions sent, retries included
	Timeouts     uint64 // answers that did not come, one per servo and try
	Checksum     uint64 // packets that arrived damaged, here or at a servo
	Resyncs      uint64 // times that bytes were skipped to find a packet
	Retries      uint64 // instructions sent again
	Refused      uint64 // answers with an error code
	Late         uint64 // answers dropped because their transaction may be over
}

// Bus does transactions on a Port. It is safe for concurrent use: a mutex is
// held for one transaction, its retries included. SyncRead, FastSyncRead and
// SyncWrite do not allocate.
//
// A Bus goes on when its Port comes back after an unplug. An adapter that echoes
// what it is given is tolerated. An answer that comes after its transaction has
// given up is never taken for a later one's.
//
// Answers need the servos' Status Return Level to be 2, as it is after a boot.
type Bus struct {
	mu    sync.Mutex
	port  Port
	cfg   Config
	wire  Wire
	stats Stats

	tx, probe []byte
	// rx[r:w] is received and not yet done with.
	rx      [2 * MaxPacket]byte
	r, w    int
	sent    []byte        // until it is known whether the adapter echoes it
	heard   int           // bytes of the answer
	expect  int           // that many it has; 0 is not known
	queued  time.Duration // what was sent unanswered since takes on the wire
	telling bool          // nothing was asked since
	// dirty is set when an answer was late or damaged: what is left of it is
	// drained before the next instruction.
	dirty bool

	// See late.go. Of each servo, which answers may still come; fenced is set
	// when none that was owed before this transaction can.
	owed          [math.MaxUint8 + 1]uint16
	owing, fenced bool
	fences        int

	order    [int(MaxID) + 1]uint8 // of a group read: indices of its readings
	before   [int(MaxID) + 1]uint8 // and of the try before
	suspects [math.MaxUint8 + 1]uint64
	suspect  uint64
}

// pingPatience is how long a ping that went unanswered listens on, to tell a
// late answer (an adapter's latency timer is 16 ms from the factory) from none.
const pingPatience = 20 * time.Millisecond

// slowestReply is the longest Return Delay Time, 254 steps.
const slowestReply = 508 * time.Microsecond

// NewBus returns a bus on p, which stays the caller's to close. cfg is valid.
func NewBus(p Port, cfg Config) *Bus {
	return &Bus{port: p, cfg: cfg, wire: cfg.Wire(), tx: make([]byte, 0, MaxPacket)}
}

// Stats returns the counts so far.
func (b *Bus) Stats() Stats {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.stats
}

// Ping asks a servo who it is. ErrLate says that it answered too late for this
// bus to be used as configured.
func (b *Bus) Ping(id ID) (Info, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tx = begin(b.tx[:0], id, InstPing).end()
	p, err := b.ask(id, 3, b.cfg.Retries)
	if errors.Is(err, ErrTimeout) {
		err = b.listenOn(id)
	}
	if err != nil {
		return Info{}, fmt.Errorf("dynamixel: ping id %d: %w", id, err)
	}
	return Info{Model: binary.LittleEndian.Uint16(p.Params), Firmware: p.Params[2]}, nil
}

// Read reads one register.
func (b *Bus) Read(id ID, r Register) (int32, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tx = begin(b.tx[:0], id, InstRead).block(r.Block()).end()
	p, err := b.ask(id, int(r.Size), b.cfg.Retries)
	if err != nil {
		return 0, fmt.Errorf("dynamixel: read id %d %s: %w", id, r.Name, err)
	}
	return r.Value(p.Params), nil
}

// Write writes one register and waits for the servo's consent.
func (b *Bus) Write(id ID, r Register, v int32) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	err := b.put(id, r, v)
	if err == nil {
		_, err = b.ask(id, 0, b.cfg.Retries)
	}
	if err != nil {
		return fmt.Errorf("dynamixel: write id %d %s: %w", id, r.Name, err)
	}
	return nil
}

// WriteAll writes one register of every servo on the bus. Nobody answers, so
// nothing tells whether they took it.
func (b *Bus) WriteAll(r Register, v int32) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	err := b.put(Broadcast, r, v)
	if err == nil {
		err = b.tell(b.tx)
	}
	if err != nil {
		return fmt.Errorf("dynamixel: write all %s: %w", r.Name, err)
	}
	return nil
}

// Reboot restarts a servo: torque goes off, RAM is lost, and it is deaf for
// about half a second. It is not retried.
func (b *Bus) Reboot(id ID) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tx = begin(b.tx[:0], id, InstReboot).end()
	if _, err := b.ask(id, 0, 0); err != nil {
		return fmt.Errorf("dynamixel: reboot id %d: %w", id, err)
	}
	return nil
}

// put builds a write.
func (b *Bus) put(id ID, r Register, v int32) error { return b.build(id, InstWrite, r, v) }

// build builds a write or a reg write.
func (b *Bus) build(id ID, inst Instruction, r Register, v int32) error {
	if !r.Fits(v) {
		return fmt.Errorf("%d does not fit in %d bytes", v, r.Size)
	}
	var raw [4]byte
	r.Put(raw[:], v)
	b.tx = begin(b.tx[:0], id, inst).uint16(r.Addr).bytes(raw[:r.Size]).end()
	return nil
}

// ask sends b.tx and waits for id's status with n bytes of data.
func (b *Bus) ask(id ID, n, retries int) (p Packet, err error) {
	b.fresh()
	for try := 0; ; try++ {
		p, err = b.askOnce(id, n)
		if err == nil || try == retries || !retryable(err) {
			return p, err
		}
		b.stats.Retries++
	}
}

// askOnce is one try. When the line cannot be fenced the instruction is sent all
// the same, and whatever comes is no answer to it.
func (b *Bus) askOnce(id ID, n int) (Packet, error) {
	patience := slowestReply + b.cfg.Allowance
	if !b.fenced && b.owed[id]&^owedFast != 0 {
		if err := b.fence(id, patience); isPortError(err) {
			return Packet{}, err
		}
	}
	budget := b.wire.answered(len(b.tx)+statusBytes+n, 1) + patience
	if err := b.begin(b.tx, budget, 0); err != nil {
		return Packet{}, err
	}
	p, err := b.status(id)
	if errors.Is(err, ErrTimeout) {
		b.stats.Timeouts++
	}
	if err == nil {
		err = b.verdict(&p, n)
	}
	if !answered(err) {
		// A complaint of a damaged instruction may be about an earlier one.
		b.owe(id, owedBit(n))
	}
	return p, err
}

// status waits for a status packet of id's.
func (b *Bus) status(id ID) (Packet, error) {
	fail := ErrTimeout
	for {
		p, err := b.receive()
		switch {
		case errors.Is(err, ErrChecksum):
			fail = ErrChecksum
		case errors.Is(err, ErrTimeout):
			return p, fail
		case err != nil:
			return p, err
		case p.ID == id && p.Instruction == InstStatus:
			if ok, _ := b.trust(&p); ok {
				return p, nil
			}
		}
	}
}

// listenOn tells why a ping timed out.
func (b *Bus) listenOn(id ID) error {
	if err := b.port.SetReadTimeout(pingPatience); err != nil {
		return err
	}
	if _, err := b.status(id); err != nil {
		return err
	}
	return ErrLate
}

// verdict judges a servo's answer, which should carry n bytes.
func (b *Bus) verdict(p *Packet, n int) error {
	if code := p.Error &^ AlertBit; code != 0 {
		b.stats.Refused++
		if code == CodeCRC {
			b.stats.Checksum++
		}
		return &StatusError{ID: p.ID, Code: code}
	}
	if len(p.Params) != n {
		b.stats.Checksum++
		b.dirty = true
		return ErrChecksum
	}
	return nil
}

// isPortError tells whether an error is not about an answer but about the port.
func isPortError(err error) bool { return err != nil && !retryable(err) }

// notRetryable returns the errors that are.
func notRetryable(err error) error {
	if isPortError(err) {
		return err
	}
	return nil
}

// retryable tells whether the same instruction may fare better again.
func retryable(err error) bool {
	if errors.Is(err, ErrTimeout) || errors.Is(err, ErrChecksum) {
		return true
	}
	var refused *StatusError
	return errors.As(err, &refused) && refused.Code == CodeCRC
}
