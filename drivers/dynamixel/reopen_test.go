package dynamixel_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
	"twinrig/drivers/serial"
)

// TestReopen: a bus goes on when the adapter that was unplugged is back.
func TestReopen(t *testing.T) {
	link := filepath.Join(t.TempDir(), "ttyDXL")
	plug := func() *servotest.PTY {
		start := time.Now()
		b := newBench(servotest.Default(), dynamixel.Default())
		server, err := servotest.ServePTY(b.chain, func() time.Duration { return time.Since(start) }, nil)
		require.NoError(t, err)
		t.Cleanup(func() { _ = server.Close() })
		require.NoError(t, os.Symlink(server.Path(), link))
		return server
	}
	server := plug()
	wire := serial.Default()
	wire.Port = link
	port, err := serial.Open(wire)
	require.NoError(t, err)
	defer port.Close()
	cfg := dynamixel.Default()
	cfg.Allowance = time.Second // not this machine's speed is tested
	bus := dynamixel.NewBus(port, cfg)
	rs := readings(4, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	for range 3 {
		for _, how := range reads {
			require.NoError(t, how.read(bus, dynamixel.MovingThreshold.Block(), rs))
			for _, r := range rs {
				require.NoError(t, r.Err)
				require.EqualValues(t, 100+int(r.ID), dynamixel.MovingThreshold.Value(r.Data))
			}
		}
		require.NoError(t, server.Close())
		require.NoError(t, os.Remove(link))
		require.ErrorIs(t, bus.SyncRead(dynamixel.MovingThreshold.Block(), rs), serial.ErrGone)
		for _, r := range rs {
			require.Error(t, r.Err, "not what was read before")
		}
		require.ErrorIs(t, bus.Reopen(), serial.ErrGone)
		require.ErrorIs(t, bus.Write(3, dynamixel.LED, 1), serial.ErrGone)

		server = plug()
		require.NoError(t, bus.Reopen())
	}
	_, err = bus.Ping(9)
	require.NoError(t, err)
	require.NoError(t, dynamixel.NewBus(&canned{}, cfg).Reopen(), "a port that cannot")
}

// strict is a port that takes no deadline in the past, as serial.Port.
type strict struct{ dynamixel.Port }

func (s strict) SetReadTimeout(d time.Duration) error {
	if d < 0 {
		return os.ErrInvalid
	}
	return s.Port.SetReadTimeout(d)
}

// TestNoAllowance: a bus without any is impatient, and nothing worse.
func TestNoAllowance(t *testing.T) {
	cfg := dynamixel.Default()
	cfg.Allowance = 0
	b := newBench(servotest.Default(), cfg)
	b.bus = dynamixel.NewBus(strict{servotest.NewPipe(b.chain, b.clock)}, cfg)
	for _, how := range reads {
		for _, ids := range [][]dynamixel.ID{{4}, b.ids} {
			rs := readings(4, ids...)
			for cycle := range 20 {
				b.silence(4, cycle%4 == 1)
				require.NoError(t, how.read(b.bus, dynamixel.MovingThreshold.Block(), rs))
				b.wait(2 * time.Millisecond)
			}
			for _, r := range rs {
				require.NoError(t, r.Err)
			}
		}
	}
}
