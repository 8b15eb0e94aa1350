package dynamixel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
)

// echo is an adapter that gives back what it is given, before the answer and in
// pieces of grain bytes.
type echo struct {
	dynamixel.Port
	grain int
	back  []byte
	spoil bool // the echo is damaged
}

func (e *echo) Write(b []byte) (int, error) {
	e.back = append(e.back, b...)
	if e.spoil {
		e.back[len(e.back)-len(b)+7] ^= 0x10
	}
	return e.Port.Write(b)
}

func (e *echo) Read(b []byte) (int, error) {
	if len(e.back) == 0 {
		return e.Port.Read(b)
	}
	n := copy(b[:min(len(b), e.grain)], e.back)
	e.back = e.back[n:]
	return n, nil
}

// TestEcho: every instruction works as without an echo, and takes as long.
func TestEcho(t *testing.T) {
	quiet := newBench(servotest.Default(), dynamixel.Default())
	useAll(t, quiet)
	for _, grain := range []int{1, 7, 1000} {
		b := newBench(servotest.Default(), dynamixel.Default())
		b.bus = dynamixel.NewBus(&echo{Port: servotest.NewPipe(b.chain, b.clock), grain: grain}, b.cfg)
		useAll(t, b)
		require.Equal(t, quiet.clock.Now(), b.clock.Now(), "pieces of %d", grain)
		require.Equal(t, quiet.bus.Stats(), b.bus.Stats())
	}
}

// TestDamagedEcho: it costs a try at most, and no value is wrong.
func TestDamagedEcho(t *testing.T) {
	b := newBench(servotest.Default(), dynamixel.Default())
	e := &echo{Port: servotest.NewPipe(b.chain, b.clock), grain: 5, spoil: true}
	b.bus = dynamixel.NewBus(e, b.cfg)
	rs := readings(4, b.ids...)
	for _, how := range reads {
		require.NoError(t, how.read(b.bus, dynamixel.MovingThreshold.Block(), rs))
		for _, r := range rs {
			if r.Err == nil {
				require.EqualValues(t, 100+int(r.ID), dynamixel.MovingThreshold.Value(r.Data))
			}
		}
	}
	e.spoil = false
	require.NoError(t, b.bus.SyncRead(dynamixel.MovingThreshold.Block(), rs))
	for _, r := range rs {
		require.NoError(t, r.Err)
	}
}

// useAll gives servos every instruction of a working arm.
func useAll(t *testing.T, b *bench) {
	t.Helper()
	rs := readings(4, b.ids...)
	items := []dynamixel.Item{{ID: 2, Data: []byte{1}}, {ID: 8, Data: []byte{1}}}
	for range 3 {
		for _, how := range reads {
			require.NoError(t, b.bus.SyncWrite(dynamixel.LED.Block(), items))
			require.NoError(t, b.bus.WriteAll(dynamixel.LED, 0))
			require.NoError(t, how.read(b.bus, dynamixel.MovingThreshold.Block(), rs))
			for _, r := range rs {
				require.NoError(t, r.Err, how.name)
				require.EqualValues(t, 100+int(r.ID), dynamixel.MovingThreshold.Value(r.Data))
			}
		}
		require.EqualValues(t, 104, b.read(t, 4, dynamixel.MovingThreshold))
		require.NoError(t, b.bus.Write(4, dynamixel.LED, 1))
		_, err := b.bus.Ping(5)
		require.NoError(t, err)
		bulks := []dynamixel.BulkReading{bulk(9, dynamixel.MovingThreshold), bulk(2, dynamixel.ModelNumber)}
		require.NoError(t, b.bus.BulkRead(bulks))
		require.NoError(t, b.bus.FastBulkRead(bulks))
		require.NoError(t, bulks[0].Err)
		require.NoError(t, bulks[1].Err)
	}
	found, err := b.bus.PingAll()
	require.NoError(t, err)
	require.Len(t, found, 9)
}
