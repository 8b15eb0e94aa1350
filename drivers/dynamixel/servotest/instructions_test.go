package servotest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
)

func TestBroadcasts(t *testing.T) {
	all := []dynamixel.ID{1, 2, 3}
	b := newBench(t)
	ps := b.send(dynamixel.Broadcast, dynamixel.InstPing)
	require.Equal(t, all, ids(ps))
	require.Equal(t, []byte{0x24, 0x04, 46}, ps[2].Params)
	require.Empty(t, b.send(dynamixel.Broadcast, dynamixel.InstWrite, 65, 0, 1))
	require.Empty(t, b.send(dynamixel.Broadcast, dynamixel.InstRead, 65, 0, 1, 0))
	for _, id := range all {
		require.EqualValues(t, 1, b.read(id, dynamixel.LED))
	}
}

// TestSilentID: whether those behind a silent servo answer is an option.
func TestSilentID(t *testing.T) {
	for _, tc := range []struct {
		later bool
		heard []dynamixel.ID
	}{{false, []dynamixel.ID{3}}, {true, []dynamixel.ID{3, 1}}} {
		b := newBench(t, func(s *setup) { s.line.LaterAnswer = tc.later })
		require.Equal(t, tc.heard, ids(b.send(dynamixel.Broadcast, dynamixel.InstSyncRead, 132, 0, 4, 0, 3, 77, 1)))
		require.Equal(t, tc.heard, ids(b.send(dynamixel.Broadcast, dynamixel.InstBulkRead, 3, 132, 0, 4, 0, 77, 132, 0, 4, 0, 1, 144, 0, 2, 0)))
		// A fast status breaks off in any case; its checksum is then not at its end.
		rs := []dynamixel.Reading{{ID: 3, Data: make([]byte, 4)}, {ID: 77, Data: make([]byte, 4)}, {ID: 1, Data: make([]byte, 4)}}
		require.NoError(t, b.bus.FastSyncRead(dynamixel.PresentPosition.Block(), rs))
		require.NoError(t, rs[0].Err)
		require.ErrorIs(t, rs[1].Err, dynamixel.ErrTimeout)
		require.ErrorIs(t, rs[2].Err, dynamixel.ErrTimeout)
	}
}

func TestBulk(t *testing.T) {
	b := newBench(t)
	require.Empty(t, b.send(dynamixel.Broadcast, dynamixel.InstBulkWrite,
		1, 65, 0, 1, 0, 1, // LED
		3, 84, 0, 2, 0, 0x11, 0x22, // position P gain
		2, 80, 0, 2, 0, 7, 0))
	ps := b.send(dynamixel.Broadcast, dynamixel.InstBulkRead, 3, 84, 0, 2, 0, 1, 65, 0, 1, 0, 2, 80, 0, 2, 0)
	require.Equal(t, []dynamixel.ID{3, 1, 2}, ids(ps))
	require.Equal(t, []byte{0x11, 0x22}, ps[0].Params)
	require.Equal(t, []byte{1}, ps[1].Params)
	require.Equal(t, []byte{7, 0}, ps[2].Params)

	fast := b.only(b.send(dynamixel.Broadcast, dynamixel.InstFastBulkRead, 3, 84, 0, 2, 0, 1, 65, 0, 1, 0))
	require.Equal(t, dynamixel.Broadcast, fast.ID)
	require.Equal(t, []byte{0, 3, 0x11, 0x22}, fast.Params[:4])
	require.Equal(t, []byte{0, 1, 1}, fast.Params[6:9])
}

func TestFastReadNeedsFirmware45(t *testing.T) {
	b := newBench(t, func(s *setup) { s.params.Firmware = 44 })
	require.Empty(t, b.send(dynamixel.Broadcast, dynamixel.InstFastSyncRead, 132, 0, 4, 0, 1, 2))
	require.Len(t, b.send(dynamixel.Broadcast, dynamixel.InstSyncRead, 132, 0, 4, 0, 1, 2), 2)
}

func TestRegWrite(t *testing.T) {
	b := newBench(t)
	require.Equal(t, dynamixel.CodeInstruction, b.only(b.send(1, dynamixel.InstAction)).Error)
	for _, id := range []dynamixel.ID{1, 2} {
		require.Zero(t, b.only(b.send(id, dynamixel.InstRegWrite, 65, 0, 1)).Error)
		require.EqualValues(t, 1, b.read(id, dynamixel.RegisteredInstruction))
		require.Zero(t, b.read(id, dynamixel.LED))
	}
	require.Empty(t, b.send(dynamixel.Broadcast, dynamixel.InstAction))
	for _, id := range []dynamixel.ID{1, 2} {
		require.EqualValues(t, 1, b.read(id, dynamixel.LED))
		require.Zero(t, b.read(id, dynamixel.RegisteredInstruction))
	}
}

func TestClear(t *testing.T) {
	b := newBench(t, func(s *setup) { s.shafts[0].Angle = 2.25 * 2 * 3.14159265358979 })
	clearTurns := []byte{0x01, 0x44, 0x58, 0x4C, 0x22}
	b.write(1, dynamixel.OperatingMode, dynamixel.ModeExtendedPosition)
	b.shafts[0].Speed = 5
	b.wait(600 * time.Millisecond)
	require.Greater(t, b.read(1, dynamixel.PresentPosition), int32(4096))
	require.Equal(t, dynamixel.CodeResultFail, b.only(b.send(1, dynamixel.InstClear, clearTurns...)).Error, "it moves")
	b.wait(5 * time.Second)
	require.Zero(t, b.only(b.send(1, dynamixel.InstClear, clearTurns...)).Error)
	require.Less(t, b.read(1, dynamixel.PresentPosition), int32(4096))
	require.Equal(t, dynamixel.CodeInstruction, b.only(b.send(1, dynamixel.InstClear, 1, 2, 3, 4, 5)).Error)
}

func TestFactoryReset(t *testing.T) {
	b := newBench(t)
	b.write(2, dynamixel.MovingThreshold, 99)
	require.Zero(t, b.only(b.send(2, dynamixel.InstFactoryReset, 0x02)).Error)
	b.wait(time.Second)
	require.EqualValues(t, 10, b.read(2, dynamixel.MovingThreshold))
	require.EqualValues(t, 250, b.read(2, dynamixel.ReturnDelayTime))
	require.EqualValues(t, 46, b.read(2, dynamixel.FirmwareVersion))
	// All at once would all get ID 1.
	require.Empty(t, b.send(dynamixel.Broadcast, dynamixel.InstFactoryReset, 0xFF))
	b.wait(time.Second)
	require.EqualValues(t, 3, b.read(3, dynamixel.ServoID))
	// ID and baud rate kept or not.
	require.Zero(t, b.only(b.send(3, dynamixel.InstFactoryReset, 0x01)).Error)
	require.EqualValues(t, 3, b.servos[2].Get(dynamixel.ServoID))
	require.EqualValues(t, 1, b.servos[2].Get(dynamixel.BaudRate))
}

func TestBackup(t *testing.T) {
	b := newBench(t)
	backup := func(option byte) byte {
		return b.only(b.send(1, dynamixel.InstBackup, option, 0x43, 0x54, 0x52, 0x4C)).Error
	}
	require.Equal(t, dynamixel.CodeResultFail, backup(2), "nothing to restore")
	b.write(1, dynamixel.MovingThreshold, 99)
	require.Zero(t, backup(1))
	require.EqualValues(t, 1, b.read(1, dynamixel.BackupReady))
	b.write(1, dynamixel.MovingThreshold, 55)
	b.write(1, dynamixel.TorqueEnable, 1)
	require.Equal(t, dynamixel.CodeResultFail, backup(2), "under torque")
	b.write(1, dynamixel.TorqueEnable, 0)
	require.Zero(t, backup(2))
	b.wait(time.Second)
	require.EqualValues(t, 99, b.read(1, dynamixel.MovingThreshold))
}

func TestUndefinedInstruction(t *testing.T) {
	b := newBench(t)
	require.Equal(t, dynamixel.CodeInstruction, b.only(b.send(1, 0x77)).Error)
	require.Empty(t, b.send(77, 0x77))
	require.Equal(t, dynamixel.CodeDataLength, b.only(b.send(1, dynamixel.InstRead, 1)).Error)
	require.Equal(t, dynamixel.CodeDataLength, b.only(b.send(1, dynamixel.InstWrite, 1)).Error)
	require.Empty(t, b.send(dynamixel.Broadcast, dynamixel.InstSyncRead, 1))
	require.Empty(t, b.send(dynamixel.Broadcast, dynamixel.InstSyncWrite, 65, 0, 1, 0, 1))
}

func TestDamagedInstruction(t *testing.T) {
	b := newBench(t)
	wire := dynamixel.AppendPacket(nil, &dynamixel.Packet{ID: 2, Instruction: dynamixel.InstWrite, Params: []byte{65, 0, 1}})
	wire[10] ^= 1
	p := b.only(b.ask(wire))
	require.Equal(t, dynamixel.ID(2), p.ID)
	require.Equal(t, dynamixel.CodeCRC, p.Error)
	require.EqualValues(t, 1, b.chain.Stats().Damaged)
	require.Zero(t, b.read(2, dynamixel.LED))
}

// TestPauseWithinAnInstruction: more than 1.5 ms, and the servo forgets it.
func TestPauseWithinAnInstruction(t *testing.T) {
	ping := dynamixel.AppendPacket(nil, &dynamixel.Packet{ID: 2, Instruction: dynamixel.InstPing})
	for _, tc := range []struct {
		pause   time.Duration
		answers int
	}{{1400 * time.Microsecond, 1}, {1600 * time.Microsecond, 0}} {
		b := newBench(t)
		_, err := b.pipe.Write(ping[:6])
		require.NoError(t, err)
		b.wait(60*time.Microsecond + tc.pause)
		require.Len(t, b.ask(ping[6:]), tc.answers)
		require.Len(t, b.ask(ping), 1, "the next is heard")
	}
}

// TestCollision: what the host sends into an answer is lost.
func TestCollision(t *testing.T) {
	ping := dynamixel.AppendPacket(nil, &dynamixel.Packet{ID: 2, Instruction: dynamixel.InstPing})
	b := newBench(t)
	_, err := b.pipe.Write(ping)
	require.NoError(t, err)
	b.wait(200 * time.Microsecond) // ping 100, gap 20, then the answer
	require.Len(t, b.ask(ping), 1, "the first answer")
	require.NotZero(t, b.chain.Stats().Collisions)
}

// TestLatencyTimer: the host gets a burst the latency after its last byte.
func TestLatencyTimer(t *testing.T) {
	for _, tc := range []struct {
		latency time.Duration
		gap     time.Duration
		dues    []time.Duration // when the host has something new
	}{
		// Ping of all at 1 Mbit/s: 100 us, then three answers of 140 us.
		{0, 50 * time.Microsecond, []time.Duration{290 * time.Microsecond, 480 * time.Microsecond, 670 * time.Microsecond}},
		{time.Millisecond, 50 * time.Microsecond, []time.Duration{1670 * time.Microsecond}},
		{16 * time.Millisecond, 500 * time.Microsecond, []time.Duration{18020 * time.Microsecond}},
		{100 * time.Microsecond, 500 * time.Microsecond, []time.Duration{840 * time.Microsecond, 1480 * time.Microsecond, 2120 * time.Microsecond}},
	} {
		b := newBench(t, func(s *setup) { s.line.Latency, s.line.ReplyGap = tc.latency, tc.gap })
		_, err := b.pipe.Write(dynamixel.AppendPacket(nil, &dynamixel.Packet{ID: dynamixel.Broadcast, Instruction: dynamixel.InstPing}))
		require.NoError(t, err)
		require.NoError(t, b.pipe.SetReadTimeout(time.Second))
		var dues []time.Duration
		var buf [256]byte
		for n := 0; n < 3*14; {
			m, err := b.pipe.Read(buf[:])
			require.NoError(t, err)
			n += m
			dues = append(dues, b.clock.Now())
		}
		require.Equal(t, tc.dues, dues)
	}
}

// TestReturnDelay counts for every servo in turn.
func TestReturnDelay(t *testing.T) {
	b := newBench(t)
	block := dynamixel.PresentPosition.Block()
	rs := []dynamixel.Reading{{ID: 1, Data: make([]byte, 4)}, {ID: 2, Data: make([]byte, 4)}}
	took := func() time.Duration {
		before := b.clock.Now()
		require.NoError(t, b.bus.SyncRead(block, rs))
		require.NoError(t, rs[1].Err)
		return b.clock.Now() - before
	}
	quick := took()
	b.write(1, dynamixel.ReturnDelayTime, 100)
	b.write(2, dynamixel.ReturnDelayTime, 25)
	require.Equal(t, 250*time.Microsecond, took()-quick)
}

func TestPipeWithoutDeadline(t *testing.T) {
	b := newBench(t)
	_, err := servotest.NewPipe(b.chain, b.clock).Read(make([]byte, 1))
	require.ErrorIs(t, err, servotest.ErrNoDeadline)
}
