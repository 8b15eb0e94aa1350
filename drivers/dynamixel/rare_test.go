package dynamixel_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
)

func TestPingAll(t *testing.T) {
	b := newBench(servotest.Default(), dynamixel.Default())
	b.chain.Do(func(s []*servotest.Servo) { s[3].SetSilent(true) })
	found, err := b.bus.PingAll()
	require.NoError(t, err)
	var ids []dynamixel.ID
	for _, f := range found {
		ids = append(ids, f.ID)
		want := dynamixel.XM430W350.Number
		if f.ID >= 8 {
			want = dynamixel.XL430W250.Number
		}
		require.Equal(t, want, f.Model)
		require.Equal(t, uint8(46), f.Firmware)
	}
	require.Equal(t, []dynamixel.ID{1, 2, 3, 5, 6, 7, 8, 9}, ids, "a silent servo mutes nobody here")
}

func TestRegWriteWaitsForAction(t *testing.T) {
	b := newBench(servotest.Default(), dynamixel.Default())
	require.NoError(t, b.bus.RegWrite(2, dynamixel.LED, 1))
	require.NoError(t, b.bus.RegWrite(7, dynamixel.LED, 1))
	require.Zero(t, b.read(t, 2, dynamixel.LED))
	require.NoError(t, b.bus.RegWrite(9, dynamixel.LED, 1))
	require.NoError(t, b.bus.Action(9))
	require.EqualValues(t, 1, b.read(t, 9, dynamixel.LED))
	var refused *dynamixel.StatusError
	require.ErrorAs(t, b.bus.Action(9), &refused, "once")
	require.Equal(t, dynamixel.CodeInstruction, refused.Code)
	require.NoError(t, b.bus.ActionAll())
	for id, want := range map[dynamixel.ID]int32{2: 1, 7: 1, 3: 0} {
		require.Equal(t, want, b.read(t, id, dynamixel.LED), "id %d", id)
	}
}

func TestBackupAndRestore(t *testing.T) {
	b := newBench(servotest.Default(), dynamixel.Default())
	require.NoError(t, b.bus.Backup(5))
	require.NoError(t, b.bus.Write(5, dynamixel.MovingThreshold, 77))
	require.NoError(t, b.bus.Restore(5))
	b.wait(time.Second)
	require.Equal(t, int32(105), b.read(t, 5, dynamixel.MovingThreshold))
	require.NoError(t, b.bus.Write(5, dynamixel.TorqueEnable, 1))
	var refused *dynamixel.StatusError
	require.ErrorAs(t, b.bus.Backup(5), &refused)
	require.Equal(t, dynamixel.CodeResultFail, refused.Code)
}

func TestFactoryResetNeedsItsFlag(t *testing.T) {
	b := newBench(servotest.Default(), dynamixel.Default())
	require.ErrorContains(t, b.bus.FactoryReset(6, dynamixel.KeepIDAndBaud), "factory_reset: true")
	require.Zero(t, b.bus.Stats().Transactions, "not even asked")
	require.Equal(t, int32(106), b.read(t, 6, dynamixel.MovingThreshold))
}

func TestFactoryResetKeepsWhatItShould(t *testing.T) {
	for _, tc := range []struct {
		keep     dynamixel.Keep
		id, baud int32
	}{
		{dynamixel.KeepIDAndBaud, 6, 3}, {dynamixel.KeepID, 6, 1}, {dynamixel.KeepNothing, 1, 1},
	} {
		cfg := dynamixel.Default()
		cfg.FactoryReset = true
		b := newBench(servotest.Default(), cfg)
		require.ErrorContains(t, b.bus.FactoryReset(6, 0x03), "unknown")
		require.ErrorContains(t, b.bus.FactoryReset(dynamixel.Broadcast, dynamixel.KeepID), "one servo at a time")
		require.NoError(t, b.bus.FactoryReset(6, tc.keep))
		b.wait(time.Second)
		b.chain.Do(func(s []*servotest.Servo) {
			require.Equal(t, int32(10), s[5].Get(dynamixel.MovingThreshold))
			require.Equal(t, tc.id, s[5].Get(dynamixel.ServoID))
			require.Equal(t, tc.baud, s[5].Get(dynamixel.BaudRate))
		})
	}
}

func TestClearTurns(t *testing.T) {
	b := newBench(servotest.Default(), dynamixel.Default())
	require.NoError(t, b.bus.ClearTurns(4))
	require.ErrorIs(t, b.bus.ClearTurns(44), dynamixel.ErrTimeout)
}

func (b *bench) read(t *testing.T, id dynamixel.ID, r dynamixel.Register) int32 {
	t.Helper()
	v, err := b.bus.Read(id, r)
	require.NoError(t, err)
	return v
}

// wait lets virtual time pass.
func (b *bench) wait(d time.Duration) {
	b.clock.AdvanceTo(b.clock.Now() + d)
	b.chain.AdvanceTo(b.clock.Now())
}
