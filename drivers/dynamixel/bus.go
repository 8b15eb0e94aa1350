package dynamixel

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
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
}

// Bus does transactions on a Port. It is safe for concurrent use: a mutex is
// held for one transaction, its retries included. SyncRead, FastSyncRead and
// SyncWrite do not allocate.
//
// Answers need the servos' Status Return Level to be 2, as it is after a boot.
type Bus struct {
	mu    sync.Mutex
	port  Port
	cfg   Config
	wire  Wire
	stats Stats

	tx []byte
	// rx[r:w] is received and not yet done with.
	rx   [2 * MaxPacket]byte
	r, w int
	// dirty is set when an answer was late or damaged: what is left of it
	// must not be taken for the next one's.
	dirty bool
	order [int(MaxID) + 1]uint8 // of a group read: indices of its readings
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
		err = b.send()
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
	budget := b.wire.answered(len(b.tx)+statusBytes+n, 1) + slowestReply + b.cfg.Allowance
	for try := 0; ; try++ {
		p, err = b.askOnce(id, n, budget)
		if err == nil || try == retries || !retryable(err) {
			return p, err
		}
		b.stats.Retries++
	}
}

func (b *Bus) askOnce(id ID, n int, budget time.Duration) (Packet, error) {
	if err := b.begin(budget); err != nil {
		return Packet{}, err
	}
	p, err := b.status(id)
	if errors.Is(err, ErrTimeout) {
		b.stats.Timeouts++
	}
	if err != nil {
		return p, err
	}
	return p, b.verdict(&p, n)
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
		case err != nil, p.ID == id && p.Instruction == InstStatus:
			return p, err
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

// retryable tells whether the same instruction may fare better again.
func retryable(err error) bool {
	if refused := (*StatusError)(nil); errors.As(err, &refused) {
		return refused.Code == CodeCRC
	}
	return errors.Is(err, ErrTimeout) || errors.Is(err, ErrChecksum)
}

// send sends b.tx.
func (b *Bus) send() error {
	b.stats.Transactions++
	n, err := b.port.Write(b.tx)
	if err == nil && n < len(b.tx) {
		err = io.ErrShortWrite
	}
	return err
}
