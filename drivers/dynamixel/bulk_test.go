package dynamixel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
)

func bulk(id dynamixel.ID, r dynamixel.Register) dynamixel.BulkReading {
	return dynamixel.BulkReading{
		Block:   r.Block(),
		Reading: dynamixel.Reading{ID: id, Data: make([]byte, r.Size)},
	}
}

func TestBulkReadAndWrite(t *testing.T) {
	b := newBench(servotest.Default(), dynamixel.Default())
	require.NoError(t, b.bus.BulkWrite([]dynamixel.BulkItem{
		{ID: 2, Addr: dynamixel.LED.Addr, Data: []byte{1}},
		{ID: 9, Addr: dynamixel.PositionPGain.Addr, Data: []byte{0x34, 0x02}},
	}))
	rs := []dynamixel.BulkReading{
		bulk(9, dynamixel.PositionPGain), bulk(2, dynamixel.LED), bulk(5, dynamixel.MovingThreshold), bulk(8, dynamixel.ModelNumber),
	}
	for name, read := range map[string]func([]dynamixel.BulkReading) error{"bulk": b.bus.BulkRead, "fast": b.bus.FastBulkRead} {
		for i := range rs {
			clear(rs[i].Data)
		}
		require.NoError(t, read(rs), name)
		for i, want := range []int32{0x234, 1, 105, 1060} {
			require.NoError(t, rs[i].Err, name)
			r := dynamixel.Register{Size: rs[i].Block.Len}
			require.Equal(t, want, r.Value(rs[i].Data), "%s, id %d", name, rs[i].ID)
		}
	}
}

// TestFastBulkReadOnTheWire is the e-manual's example, with the checksum that it
// misprints.
func TestFastBulkReadOnTheWire(t *testing.T) {
	b := script(t, 0, [2]string{wireOf(t, "fast bulk read 3:132/4 7:124/2 4:146/1"), wireOf(t, "fast bulk status full")})
	rs := []dynamixel.BulkReading{bulk(3, dynamixel.PresentPosition), bulk(7, dynamixel.PresentPWM), bulk(4, dynamixel.PresentTemperature)}
	require.NoError(t, b.FastBulkRead(rs))
	for i, want := range []string{"A6 00 00 00", "A5 01", "1F"} {
		require.NoError(t, rs[i].Err)
		require.Equal(t, unhex(want), rs[i].Data)
	}
}

// A silent servo is missing, and none of those behind it is zero: they come the
// next time at the latest.
func TestBulkReadMissesTheSilentOne(t *testing.T) {
	for _, fast := range []bool{false, true} {
		b := newBench(servotest.Default(), dynamixel.Default())
		b.chain.Do(func(s []*servotest.Servo) { s[4].SetSilent(true) })
		rs := []dynamixel.BulkReading{bulk(5, dynamixel.MovingThreshold), bulk(2, dynamixel.MovingThreshold), bulk(7, dynamixel.ModelNumber)}
		read := b.bus.BulkRead
		if fast {
			read = b.bus.FastBulkRead
		}
		for cycle := range 2 {
			for i := range rs {
				copy(rs[i].Data, unhex("AB AB AB AB"))
			}
			require.NoError(t, read(rs))
			require.ErrorIs(t, rs[0].Err, dynamixel.ErrTimeout)
			require.Equal(t, unhex("AB AB AB AB"), rs[0].Data, "what was there is left alone")
			for i, want := range map[int]string{1: "66 00 00 00", 2: "FC 03"} {
				if rs[i].Err != nil {
					require.Zero(t, cycle)
					want = "AB AB AB AB"[:len(want)]
				}
				require.Equal(t, unhex(want), rs[i].Data)
			}
		}
	}
	b := newBench(servotest.Default(), dynamixel.Default())
	require.ErrorContains(t, b.bus.BulkRead([]dynamixel.BulkReading{{Block: dynamixel.LED.Block()}}), "id 0: 0 bytes for a block of 1")
	require.NoError(t, b.bus.FastBulkRead(nil))
}
