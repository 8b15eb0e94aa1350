package dynamixel_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
)

// script is a Bus on a port that expects and answers these exchanges, hex.
// Trials are not repeated unless retries says so.
func script(t *testing.T, retries int, lines ...[2]string) *dynamixel.Bus {
	t.Helper()
	p := &servotest.Playback{}
	for _, l := range lines {
		p.Log = append(p.Log, servotest.Exchange{Wrote: unhex(l[0]), Read: unhex(l[1])})
	}
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	cfg := dynamixel.Default()
	cfg.Retries = retries
	return dynamixel.NewBus(p, cfg)
}

func wireOf(t *testing.T, name string) string {
	t.Helper()
	for _, tc := range packets {
		if tc.name == name {
			return tc.wire
		}
	}
	require.FailNow(t, "no packet", name)
	return ""
}

const (
	pingID1 = "FF FF FD 00 01 03 00 01 19 4E"
	pongID1 = "FF FF FD 00 01 07 00 55 00 06 04 26 65 5D"
	readID1 = "FF FF FD 00 01 07 00 02 84 00 04 00 1D 15"
	dataID1 = "FF FF FD 00 01 08 00 55 00 A6 00 00 00 8C C0"
)

func TestPing(t *testing.T) {
	info, err := script(t, 0, [2]string{pingID1, pongID1}).Ping(1)
	require.NoError(t, err)
	require.Equal(t, dynamixel.Info{Model: 1030, Firmware: 38}, info)
}

func TestReadAndWrite(t *testing.T) {
	b := script(t, 0,
		[2]string{readID1, dataID1},
		[2]string{wireOf(t, "write ID1 addr116 =512"), wireOf(t, "status ok ID1")},
		[2]string{wireOf(t, "broadcast write torque (64) = 0"), ""},
		[2]string{wireOf(t, "reboot ID1"), wireOf(t, "status ok ID1")},
	)
	v, err := b.Read(1, dynamixel.PresentPosition)
	require.NoError(t, err)
	require.EqualValues(t, 166, v)
	require.NoError(t, b.Write(1, dynamixel.GoalPosition, 512))
	require.NoError(t, b.WriteAll(dynamixel.TorqueEnable, 0))
	require.NoError(t, b.Reboot(1))
	require.Equal(t, dynamixel.Stats{Transactions: 4}, b.Stats())
}

func TestWriteRefusesWhatDoesNotFit(t *testing.T) {
	b := script(t, 0)
	require.ErrorContains(t, b.Write(1, dynamixel.TorqueEnable, 256), "256 does not fit in 1 bytes")
	require.ErrorContains(t, b.WriteAll(dynamixel.TorqueEnable, -1), "does not fit")
}

// TestAnswers is what may come instead of the answer to readID1, and what the
// bus makes of it without a retry.
func TestAnswers(t *testing.T) {
	fine := func(*testing.T, error) {}
	is := func(target error) func(*testing.T, error) {
		return func(t *testing.T, err error) { require.ErrorIs(t, err, target) }
	}
	for _, tc := range []struct {
		name   string
		answer string
		check  func(*testing.T, error)
		stats  dynamixel.Stats
	}{
		{"nothing", "", is(dynamixel.ErrTimeout), dynamixel.Stats{Timeouts: 1}},
		{"half of it", dataID1[:24], is(dynamixel.ErrTimeout), dynamixel.Stats{Timeouts: 1, Resyncs: 1}},
		{"another servo's", wireOf(t, "status sync read ID2 =2079"), is(dynamixel.ErrTimeout), dynamixel.Stats{Timeouts: 1}},
		{"our own echo, then it", readID1 + dataID1, fine, dynamixel.Stats{}},
		{"noise, then it", "00 FF FF FD FD 13 " + dataID1, fine, dynamixel.Stats{Resyncs: 1}},
		{"false header, then it", "FF FF FD 00 01 40 00 55 " + dataID1, fine, dynamixel.Stats{Resyncs: 1}},
		{"damaged", "FF FF FD 00 01 08 00 55 00 A7 00 00 00 8C C0", is(dynamixel.ErrChecksum), dynamixel.Stats{Checksum: 1, Resyncs: 1}},
		{"damaged, then it", "FF FF FD 00 01 08 00 55 00 A7 00 00 00 8C C0" + dataID1, fine, dynamixel.Stats{Checksum: 1, Resyncs: 1}},
		{"too little data", wireOf(t, "status bulk ID1 =119"), is(dynamixel.ErrChecksum), dynamixel.Stats{Checksum: 1}},
		{"alert, with data", "FF FF FD 00 01 08 00 55 80 A6 00 00 00 " + crcOf("FF FF FD 00 01 08 00 55 80 A6 00 00 00"), fine, dynamixel.Stats{}},
		{"refused", wireOf(t, "status ID1 err 0x07 access"), func(t *testing.T, err error) {
			var refused *dynamixel.StatusError
			require.ErrorAs(t, err, &refused)
			require.Equal(t, dynamixel.StatusError{ID: 1, Code: dynamixel.CodeAccess}, *refused)
			require.EqualError(t, err, "dynamixel: read id 1 present_position: id 1 refused: no access (read only, undefined, or locked by torque) (code 7)")
		}, dynamixel.Stats{Refused: 1}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := script(t, 0, [2]string{readID1, tc.answer})
			v, err := b.Read(1, dynamixel.PresentPosition)
			tc.check(t, err)
			if err == nil {
				require.EqualValues(t, 166, v)
			} else {
				require.Zero(t, v)
			}
			tc.stats.Transactions = 1
			require.Equal(t, tc.stats, b.Stats())
		})
	}
}

func TestRetries(t *testing.T) {
	lost := [2]string{readID1, ""}
	crc := [2]string{readID1, wireOf(t, "status ID1 err 0x03 crc")}
	good := [2]string{readID1, dataID1}
	b := script(t, 2, lost, crc, good)
	v, err := b.Read(1, dynamixel.PresentPosition)
	require.NoError(t, err)
	require.EqualValues(t, 166, v)
	require.Equal(t, dynamixel.Stats{Transactions: 3, Timeouts: 1, Checksum: 1, Refused: 1, Retries: 2}, b.Stats())

	// They are bounded, and a refusal is not retried.
	_, err = script(t, 2, lost, lost, lost).Read(1, dynamixel.PresentPosition)
	require.ErrorIs(t, err, dynamixel.ErrTimeout)
	_, err = script(t, 2, [2]string{readID1, wireOf(t, "status ID1 err 0x04 range")}).Read(1, dynamixel.PresentPosition)
	require.ErrorContains(t, err, "value out of range")
}

// late is a Port whose answer is there only after the first deadline.
type late struct {
	canned
	deadlines []time.Duration
}

func (l *late) SetReadTimeout(d time.Duration) error {
	l.deadlines = append(l.deadlines, d)
	return nil
}

func (l *late) Read(b []byte) (int, error) {
	if len(l.deadlines) < 2 {
		return 0, os.ErrDeadlineExceeded
	}
	return l.canned.Read(b)
}

func TestLatePing(t *testing.T) {
	cfg := dynamixel.Default()
	cfg.Retries = 0
	p := &late{canned: canned{answer: unhex(pongID1)}}
	_, err := dynamixel.NewBus(p, cfg).Ping(1)
	require.ErrorIs(t, err, dynamixel.ErrLate)
	require.ErrorIs(t, err, dynamixel.ErrTimeout)
	require.Len(t, p.deadlines, 2)
	// 24 bytes at 1 Mbit/s, gap, slowest return delay, latency, allowance.
	require.Equal(t, 240*time.Microsecond+50*time.Microsecond+508*time.Microsecond+3700*time.Microsecond, p.deadlines[0])
	require.Equal(t, 20*time.Millisecond, p.deadlines[1])
}

// broken is a Port that is gone.
type broken struct{ write, arm, read error }

func (b *broken) Write(p []byte) (int, error) {
	if b.write == nil {
		return len(p), nil
	}
	return 0, b.write
}
func (b *broken) SetReadTimeout(time.Duration) error { return b.arm }
func (b *broken) Read([]byte) (int, error)           { return 0, b.read }

func TestPortGone(t *testing.T) {
	gone := errors.New("adapter unplugged")
	for name, p := range map[string]*broken{
		"write": {write: gone}, "deadline": {arm: gone}, "read": {read: gone},
	} {
		b := dynamixel.NewBus(p, dynamixel.Default())
		rs := readings(4, 1, 2)
		for what, err := range map[string]error{
			"ping":           errOf(b.Ping(1)),
			"read id 1":      errOf(b.Read(1, dynamixel.PresentPosition)),
			"write id 1":     b.Write(1, dynamixel.LED, 1),
			"sync read":      b.SyncRead(dynamixel.PresentPosition.Block(), rs),
			"fast sync read": b.FastSyncRead(dynamixel.PresentPosition.Block(), rs),
		} {
			require.ErrorIs(t, err, gone, name)
			require.ErrorContains(t, err, "dynamixel: "+what, name)
		}
		require.Error(t, rs[0].Err)
	}
	p := &broken{write: gone}
	require.ErrorIs(t, dynamixel.NewBus(p, dynamixel.Default()).SyncWrite(dynamixel.LED.Block(), nil), gone)
	require.ErrorIs(t, dynamixel.NewBus(p, dynamixel.Default()).WriteAll(dynamixel.LED, 1), gone)
	// A port that returns nothing for ever does not hang the bus.
	require.ErrorIs(t, errOf(dynamixel.NewBus(&broken{}, dynamixel.Default()).Ping(1)), io.ErrNoProgress)
}

// crcOf returns the checksum of hex, as hex.
func crcOf(head string) string {
	c := dynamixel.CRC(0, unhex(head))
	return fmt.Sprintf("%02X %02X", byte(c), c>>8)
}

func errOf[T any](_ T, err error) error { return err }
