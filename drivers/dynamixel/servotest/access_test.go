package servotest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
)

func TestWriteIsRefused(t *testing.T) {
	type reg = dynamixel.Register
	for _, tc := range []struct {
		name   string
		id     dynamixel.ID
		torque bool
		reg    reg
		v      int32
		code   byte
	}{
		{"EEPROM under torque", 1, true, dynamixel.PWMLimit, 500, dynamixel.CodeAccess},
		{"EEPROM without torque", 1, false, dynamixel.PWMLimit, 500, 0},
		{"RAM under torque", 1, true, dynamixel.PositionPGain, 500, 0},
		{"read only", 1, false, dynamixel.PresentPosition, 0, dynamixel.CodeAccess},
		{"nothing there", 1, false, reg{Addr: 150, Size: 1}, 0, dynamixel.CodeAccess},
		{"an XL430 has no goal current", 3, false, dynamixel.GoalCurrent, 1, dynamixel.CodeAccess},
		{"shorter than the item", 1, false, reg{Addr: 116, Size: 2}, 2048, dynamixel.CodeDataLength},
		{"end of one item, begin of the next", 1, false, reg{Addr: 118, Size: 4}, 0, dynamixel.CodeAccess},
		{"out of range", 1, false, dynamixel.ReturnDelayTime, 255, dynamixel.CodeDataRange},
		{"no such mode", 1, false, dynamixel.OperatingMode, 2, dynamixel.CodeDataRange},
		{"no such mode of an XL430", 3, false, dynamixel.OperatingMode, dynamixel.ModeCurrent, dynamixel.CodeDataRange},
		{"nor this", 3, false, dynamixel.OperatingMode, dynamixel.ModeCurrentPosition, dynamixel.CodeDataRange},
		{"beyond the position limit", 1, true, dynamixel.GoalPosition, 4096, dynamixel.CodeDataLimit},
		{"within the position limit", 1, true, dynamixel.GoalPosition, 4095, 0},
		{"beyond the velocity limit", 1, true, dynamixel.GoalVelocity, 201, dynamixel.CodeDataLimit},
		{"beyond every velocity", 1, true, dynamixel.GoalVelocity, -1024, dynamixel.CodeDataRange},
		{"indirect address into EEPROM", 1, false, dynamixel.IndirectAddress(0), 36, dynamixel.CodeDataRange},
		{"watchdog error cannot be written", 1, false, dynamixel.BusWatchdog, -1, dynamixel.CodeDataRange},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := newBench(t)
			if tc.torque {
				b.write(tc.id, dynamixel.TorqueEnable, 1)
			}
			var before int32
			if tc.reg.Name != "" && tc.code != dynamixel.CodeAccess {
				before = b.read(tc.id, tc.reg)
			}
			err := b.bus.Write(tc.id, tc.reg, tc.v)
			if tc.code == 0 {
				require.NoError(t, err)
				require.Equal(t, tc.v, b.read(tc.id, tc.reg))
				return
			}
			b.refuses(tc.code, err)
			if before != 0 {
				require.Equal(t, before, b.read(tc.id, tc.reg))
			}
		})
	}
}

func TestLimitRegisters(t *testing.T) {
	b := newBench(t)
	for _, tc := range []struct {
		limit, goal dynamixel.Register
		v           int32
	}{
		{dynamixel.PWMLimit, dynamixel.GoalPWM, 300},
		{dynamixel.CurrentLimit, dynamixel.GoalCurrent, 400},
		{dynamixel.VelocityLimit, dynamixel.GoalVelocity, 150},
		{dynamixel.MaxPositionLimit, dynamixel.GoalPosition, 3000},
	} {
		b.write(1, tc.limit, tc.v)
		b.refuses(dynamixel.CodeDataLimit, b.bus.Write(1, tc.goal, tc.v+1))
		require.NoError(t, b.bus.Write(1, tc.goal, tc.v))
		require.Equal(t, tc.v, b.read(1, tc.goal))
	}
	b.write(1, dynamixel.MinPositionLimit, 1000)
	b.refuses(dynamixel.CodeDataLimit, b.bus.Write(1, dynamixel.GoalPosition, 999))
	b.mode(1, dynamixel.ModeExtendedPosition)
	require.NoError(t, b.bus.Write(1, dynamixel.GoalPosition, -5000))
}

func TestReadOutsideTheTable(t *testing.T) {
	b := newBench(t)
	for _, addr := range []uint16{148, 255, 300, 661, 662, 65535} {
		p := b.only(b.send(1, dynamixel.InstRead, byte(addr), byte(addr>>8), 2, 0))
		require.Equal(t, dynamixel.CodeAccess, p.Error, addr)
		require.Empty(t, p.Params)
	}
	p := b.only(b.send(1, dynamixel.InstRead, 0, 0, 147, 0))
	require.Zero(t, p.Error)
	require.Equal(t, []byte{0xFC, 0x03, 0, 0, 0, 0, 46, 1, 3, 0}, p.Params[:10])
	require.Len(t, p.Params, 147)
}

func TestWriteOverSeveralItems(t *testing.T) {
	b := newBench(t)
	require.Zero(t, b.only(b.send(1, dynamixel.InstWrite, 76, 0, 1, 0, 2, 0, 3, 0)).Error)
	for i, r := range []dynamixel.Register{dynamixel.VelocityIGain, dynamixel.VelocityPGain, dynamixel.PositionDGain} {
		require.EqualValues(t, i+1, b.read(1, r))
	}
	// One bad item, and none is written.
	require.Equal(t, dynamixel.CodeDataRange, b.only(b.send(1, dynamixel.InstWrite, 76, 0, 9, 0, 0xFF, 0xFF)).Error)
	require.EqualValues(t, 1, b.read(1, dynamixel.VelocityIGain))
}

func TestIndirect(t *testing.T) {
	b := newBench(t)
	// Entries 0 to 3 show the goal position, entry 28 the LED.
	for i := range 4 {
		b.write(1, dynamixel.IndirectAddress(i), int32(dynamixel.GoalPosition.Addr)+int32(i))
	}
	b.write(1, dynamixel.IndirectAddress(28), int32(dynamixel.LED.Addr))
	b.write(1, dynamixel.TorqueEnable, 1)
	window := dynamixel.Register{Addr: 224, Size: 4, Signed: true}
	b.write(1, window, 2222)
	require.EqualValues(t, 2222, b.read(1, dynamixel.GoalPosition))
	require.EqualValues(t, 2222, b.read(1, window))
	b.refuses(dynamixel.CodeDataLimit, b.bus.Write(1, window, 5000))
	b.refuses(dynamixel.CodeDataLength, b.bus.Write(1, dynamixel.IndirectData(2), 1))
	b.write(1, dynamixel.IndirectData(28), 1)
	require.EqualValues(t, 1, b.read(1, dynamixel.LED))
	// An entry that points nowhere else is a byte of its own.
	b.write(1, dynamixel.IndirectData(9), 77)
	require.EqualValues(t, 77, b.read(1, dynamixel.IndirectData(9)))
}

func TestStatusReturnLevel(t *testing.T) {
	for _, tc := range []struct {
		level             int32
		ping, read, write int // how many answers
	}{{0, 1, 0, 0}, {1, 1, 1, 0}, {2, 1, 1, 1}} {
		b := newBench(t)
		b.servos[0].Set(dynamixel.StatusReturnLevel, tc.level)
		require.Len(t, b.send(1, dynamixel.InstPing), tc.ping)
		require.Len(t, b.send(1, dynamixel.InstRead, 132, 0, 4, 0), tc.read)
		require.Len(t, b.send(dynamixel.Broadcast, dynamixel.InstSyncRead, 132, 0, 4, 0, 1), tc.read)
		require.Len(t, b.send(1, dynamixel.InstWrite, 65, 0, 1), tc.write)
		require.EqualValues(t, 1, b.servos[0].Get(dynamixel.LED), "it acts in any case")
	}
}

func TestSecondaryID(t *testing.T) {
	b := newBench(t)
	b.write(2, dynamixel.SecondaryID, 1)
	require.Equal(t, []dynamixel.ID{1}, ids(b.send(1, dynamixel.InstWrite, 65, 0, 1)))
	require.EqualValues(t, 1, b.read(2, dynamixel.LED))
	require.Empty(t, b.send(dynamixel.Broadcast, dynamixel.InstSyncWrite, 65, 0, 1, 0, 1, 0))
	require.Zero(t, b.read(2, dynamixel.LED))
	// Not EEPROM, and not a read.
	b.write(1, dynamixel.MovingThreshold, 99)
	require.EqualValues(t, 10, b.read(2, dynamixel.MovingThreshold))
	require.EqualValues(t, 99, b.read(1, dynamixel.MovingThreshold))
	// 253 and above is off; nobody answers for an absent primary.
	b.write(2, dynamixel.SecondaryID, 77)
	require.Empty(t, b.send(77, dynamixel.InstWrite, 65, 0, 1))
	require.EqualValues(t, 1, b.read(2, dynamixel.LED))
}

func TestReboot(t *testing.T) {
	b := newBench(t)
	b.write(1, dynamixel.MovingThreshold, 99)
	b.write(1, dynamixel.TorqueEnable, 1)
	b.write(1, dynamixel.PositionPGain, 123)
	b.servos[0].RaiseError(dynamixel.HardwareOverload)
	require.NoError(t, b.bus.Reboot(1))
	_, err := b.bus.Ping(1)
	require.ErrorIs(t, err, dynamixel.ErrTimeout)
	b.wait(servotest.DefaultParams().RebootTime)
	for r, want := range map[dynamixel.Register]int32{
		dynamixel.MovingThreshold: 99, dynamixel.PositionPGain: 800, dynamixel.TorqueEnable: 0,
		dynamixel.HardwareErrorStatus: 0, dynamixel.GoalPWM: 885,
	} {
		require.Equal(t, want, b.read(1, r), "%s", r)
	}
}

func TestPowerCut(t *testing.T) {
	b := newBench(t)
	b.write(1, dynamixel.TorqueEnable, 1)
	b.chain.Do(func(s []*servotest.Servo) { s[0].SetPower(b.clock.Now(), false) })
	require.ErrorIs(t, b.bus.Write(1, dynamixel.LED, 1), dynamixel.ErrTimeout)
	b.wait(time.Second)
	require.Zero(t, b.servos[0].Torque())
	b.chain.Do(func(s []*servotest.Servo) { s[0].SetPower(b.clock.Now(), true) })
	b.wait(time.Second)
	require.Zero(t, b.read(1, dynamixel.TorqueEnable))
	require.Zero(t, b.read(1, dynamixel.LED))
}

func TestAnotherBaudRateIsNotHeard(t *testing.T) {
	b := newBench(t)
	b.write(2, dynamixel.BaudRate, 1)
	require.ErrorIs(t, b.bus.Write(2, dynamixel.LED, 1), dynamixel.ErrTimeout)
	b.write(1, dynamixel.LED, 1)
}

func TestNewID(t *testing.T) {
	b := newBench(t)
	b.write(2, dynamixel.ServoID, 42)
	require.EqualValues(t, 42, b.read(42, dynamixel.ServoID))
	_, err := b.bus.Ping(2)
	require.ErrorIs(t, err, dynamixel.ErrTimeout)
}
