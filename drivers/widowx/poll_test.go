package widowx_test

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/widowx"
)

// liar is a bus whose readings of one servo are changed although their checksum
// was right.
type liar struct {
	*dynamixel.Bus
	id  dynamixel.ID
	lie func(data []byte)
}

func (b *liar) SyncRead(blk dynamixel.Block, rs []dynamixel.Reading) error {
	err := b.Bus.SyncRead(blk, rs)
	for i := range rs {
		if rs[i].ID == b.id && blk.Len == 10 && b.lie != nil {
			b.lie(rs[i].Data)
		}
	}
	return err
}

// A damaged packet whose checksum happens to be right does not move the arm; one
// that says so again and again is believed.
func TestImplausibleReadingsAreMissing(t *testing.T) {
	at := func(offset int, v uint32) func([]byte) {
		return func(b []byte) { binary.LittleEndian.PutUint32(b[offset:], v) }
	}
	for name, lie := range map[string]func([]byte){
		"position": at(6, 2048+900), "other sign": at(6, 1<<31), "velocity": at(2, 5000),
		"current": func(b []byte) { binary.LittleEndian.PutUint16(b, 0x7000) },
	} {
		s := defaults(twinrig.ModePosition)
		s.cfg.FastSync = false
		r := build(t, s)
		bus := &liar{Bus: r.bus, id: 7}
		arm, err := widowx.New(bus, s.cfg, s.cal)
		require.NoError(t, err)
		r.arm = arm
		require.NoError(t, arm.Open())
		require.NoError(t, arm.Enable())
		stay := r.stay()
		r.advance(2 * time.Millisecond)
		good, err := r.cycles(1, stay)
		require.NoError(t, err)

		bus.lie = lie
		for range 2 {
			got, err := r.cycles(1, stay)
			require.NoError(t, err, name)
			require.Equal(t, good.Measured, got.Measured, name)
			require.NotZero(t, got.Age[twinrig.WristAngle], name)
			require.Zero(t, got.Age[twinrig.WristRotate], name)
		}
		bus.lie = nil
		got, err := r.cycles(1, stay)
		require.NoError(t, err, name)
		require.Zero(t, got.Age, name)

		bus.lie = lie
		_, _ = r.cycles(3, stay)
		s3, err := r.read()
		require.True(t, err != nil || s3.Measured != good.Measured || s3.Velocity != good.Velocity || s3.Effort != good.Effort,
			"%s: what is said again and again is believed", name)
	}
}
