package dynamixel

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"
)

// Found is a servo that answered a ping to all.
type Found struct {
	ID ID
	Info
}

// pingAllWait is how long the answers to a ping to all may take: every possible
// servo's status on the wire, and a pause before each. The SDK allows 3 ms for
// that; a servo's return delay is at most 0.5.
func (b *Bus) pingAllWait() time.Duration {
	const ids, pause = int(MaxID) + 1, time.Millisecond
	return b.wire.answered(ids*(statusBytes+3), 0) + time.Duration(ids)*pause + b.cfg.Allowance
}

// PingAll asks everybody who is there, by one broadcast ping. It takes a
// third of a second at 1 Mbps, for silence is the only sign of an absent servo.
func (b *Bus) PingAll() ([]Found, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tx = begin(b.tx[:0], Broadcast, InstPing).end()
	if err := b.begin(b.tx, b.pingAllWait(), 0); err != nil {
		return nil, fmt.Errorf("dynamixel: ping all: %w", err)
	}
	var found []Found
	for {
		p, err := b.receive()
		switch {
		case errors.Is(err, ErrTimeout):
			return found, nil
		case errors.Is(err, ErrChecksum):
			continue
		case err != nil:
			return found, fmt.Errorf("dynamixel: ping all: %w", err)
		}
		if p.Instruction == InstStatus && len(p.Params) == 3 {
			found = append(found, Found{p.ID, Info{Model: binary.LittleEndian.Uint16(p.Params), Firmware: p.Params[2]}})
		}
	}
}

// RegWrite has a servo keep a write until Action.
func (b *Bus) RegWrite(id ID, r Register, v int32) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	err := b.build(id, InstRegWrite, r, v)
	if err == nil {
		_, err = b.ask(id, 0, b.cfg.Retries)
	}
	return about("reg write", id, err)
}

// ActionAll lets every servo carry out what RegWrite left with it. Nobody
// answers.
func (b *Bus) ActionAll() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tx = begin(b.tx[:0], Broadcast, InstAction).end()
	return about("action", Broadcast, b.tell(b.tx))
}

// Action lets one servo carry out what RegWrite left with it.
func (b *Bus) Action(id ID) error { return b.command("action", id, InstAction) }

// ClearTurns makes a servo forget its whole turns, so that its present position
// is within one. A servo that moves refuses. It needs firmware 42.
func (b *Bus) ClearTurns(id ID) error {
	return b.command("clear", id, InstClear, 0x01, 0x44, 0x58, 0x4C, 0x22)
}

// Backup has a servo keep a copy of its EEPROM; Restore brings the copy back and
// reboots the servo. Both need torque off and firmware 45.
func (b *Bus) Backup(id ID) error {
	return b.command("backup", id, InstBackup, 0x01, 0x43, 0x54, 0x52, 0x4C)
}

// Restore is the other half of Backup.
func (b *Bus) Restore(id ID) error {
	return b.command("restore", id, InstBackup, 0x02, 0x43, 0x54, 0x52, 0x4C)
}

// Keep is what a factory reset leaves as it is.
type Keep uint8

// What can be kept. A servo that loses its ID becomes ID 1, and one that loses
// its baud rate goes to 57600: it may be lost on a bus with others.
const (
	KeepID        Keep = 0x01
	KeepIDAndBaud Keep = 0x02
	KeepNothing   Keep = 0xFF
)

// FactoryReset gives one servo's EEPROM its factory values and reboots it.
// Nothing brings the old values back but a Restore. It needs
// Config.FactoryReset.
func (b *Bus) FactoryReset(id ID, keep Keep) error {
	const what = "factory reset"
	switch {
	case !b.cfg.FactoryReset:
		return about(what, id, errors.New("not permitted; it needs factory_reset: true"))
	case id > MaxID:
		return about(what, id, errors.New("one servo at a time"))
	case keep != KeepID && keep != KeepIDAndBaud && keep != KeepNothing:
		return about(what, id, fmt.Errorf("option %d is unknown", keep))
	}
	return b.command(what, id, InstFactoryReset, byte(keep))
}

// command is an instruction that one servo confirms. It is not retried: a lost
// answer does not mean that it was not carried out.
func (b *Bus) command(what string, id ID, inst Instruction, params ...byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tx = begin(b.tx[:0], id, inst).bytes(params).end()
	_, err := b.ask(id, 0, 0)
	return about(what, id, err)
}

// about says what and whom an error is about.
func about(what string, id ID, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("dynamixel: %s id %d: %w", what, id, err)
}
