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
	require.NoError(t, b.bus.BulkRead(rs))
	for i, want := range []int32{0x234, 1, 105, 1060} {
		require.NoError(t, rs[i].Err)
		r := dynamixel.Register{Size: rs[i].Block.Len}
		require.Equal(t, want, r.Value(rs[i].Data), "id %d", rs[i].ID)
	}
}

// A silent servo is missing, and so are those behind it; none of them is zero.
func TestBulkReadMissesTheSilentOne(t *testing.T) {
	b := newBench(servotest.Default(), dynamixel.Default())
	b.chain.Do(func(s []*servotest.Servo) { s[4].SetSilent(true) })
	rs := []dynamixel.BulkReading{bulk(2, dynamixel.MovingThreshold), bulk(5, dynamixel.MovingThreshold), bulk(7, dynamixel.LED)}
	rs[1].Data[0] = 0xAB
	require.NoError(t, b.bus.BulkRead(rs))
	require.NoError(t, rs[0].Err)
	require.ErrorIs(t, rs[1].Err, dynamixel.ErrTimeout)
	require.ErrorIs(t, rs[2].Err, dynamixel.ErrTimeout)
	require.Equal(t, byte(0xAB), rs[1].Data[0], "what was there is left alone")
	require.Error(t, b.bus.BulkRead([]dynamixel.BulkReading{{Block: dynamixel.LED.Block()}}))
}
