package servotest

import (
	"encoding/binary"
	"math"
	"time"

	"twinrig/drivers/dynamixel"
)

// Firmware versions that brought an instruction (e-manual).
const (
	firmwareClear  = 42
	firmwareBackup = 45
	firmwareFast   = 45
)

// rare carries out what is not read, write, ping or reboot, and returns the
// answer's error code.
func (s *Servo) rare(now time.Duration, p *dynamixel.Packet) byte {
	switch p.Instruction {
	case dynamixel.InstRegWrite:
		if len(p.Params) < 3 {
			return dynamixel.CodeDataLength
		}
		s.reg = registered{
			addr: int(binary.LittleEndian.Uint16(p.Params)),
			data: append([]byte(nil), p.Params[2:]...),
		}
		return 0
	case dynamixel.InstAction:
		if s.reg.data == nil {
			return dynamixel.CodeInstruction
		}
		r := s.reg
		s.reg = registered{}
		return s.write(r.addr, r.data, false)
	case dynamixel.InstFactoryReset:
		return s.factoryReset(now, p)
	case dynamixel.InstClear:
		if s.params.Firmware < firmwareClear || string(p.Params) != "\x01DXL\"" {
			return dynamixel.CodeInstruction
		}
		return s.clearTurns()
	case dynamixel.InstBackup:
		if s.params.Firmware < firmwareBackup || len(p.Params) != 5 || string(p.Params[1:]) != "CTRL" {
			return dynamixel.CodeInstruction
		}
		return s.store(now, p.Params[0])
	}
	return dynamixel.CodeInstruction
}

// factoryReset gives EEPROM its factory values; what the option keeps stays. All
// servos at once are not reset wholly, as they would share one ID.
func (s *Servo) factoryReset(now time.Duration, p *dynamixel.Packet) byte {
	if len(p.Params) != 1 {
		return dynamixel.CodeDataLength
	}
	switch p.Params[0] {
	case 0xFF:
		if p.ID == dynamixel.Broadcast {
			return 0
		}
		s.factory()
	case 0x01:
		s.factory(dynamixel.ServoID)
	case 0x02:
		s.factory(dynamixel.ServoID, dynamixel.BaudRate)
	default:
		return dynamixel.CodeDataRange
	}
	s.reboot(now)
	return 0
}

// clearTurns forgets whole turns, unless the shaft moves.
func (s *Servo) clearTurns() byte {
	if math.Abs(s.speed) > float64(s.value(dynamixel.MovingThreshold))*dynamixel.RadPerSecPerStep {
		return dynamixel.CodeResultFail
	}
	s.wrap()
	s.restart()
	return 0
}

// store keeps a copy of EEPROM, or restores it and reboots.
func (s *Servo) store(now time.Duration, option byte) byte {
	if s.torqueOn() {
		return dynamixel.CodeResultFail
	}
	ready := s.value(dynamixel.BackupReady)
	switch {
	case option == 1:
		copy(s.backup[:], s.table[:dynamixel.TorqueEnable.Addr])
		s.put(dynamixel.BackupReady, 1)
	case option == 2 && ready == 1:
		copy(s.table[:dynamixel.TorqueEnable.Addr], s.backup[:])
		s.reboot(now)
		s.put(dynamixel.BackupReady, 1)
	default:
		return dynamixel.CodeResultFail
	}
	return 0
}
