package servotest_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
)

// ttyPort is the host's end of a pty as a Port: plain reads with a deadline.
type ttyPort struct{ *os.File }

func (p ttyPort) SetReadTimeout(d time.Duration) error {
	return p.SetReadDeadline(time.Now().Add(d))
}

func servePTY(t *testing.T, b *bench, onThread func()) (*servotest.PTY, ttyPort) {
	t.Helper()
	start := time.Now()
	p, err := servotest.ServePTY(b.chain, func() time.Duration { return time.Since(start) }, onThread)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, p.Close()) })
	f, err := os.OpenFile(p.Path(), os.O_RDWR, 0)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return p, ttyPort{f}
}

// patient waits long for answers: what is tested is not this machine's speed.
func patient() dynamixel.Config {
	cfg := dynamixel.Default()
	cfg.Allowance = time.Second
	return cfg
}

// TestPTY talks to the chain through a real terminal, bytes that a terminal
// likes to interpret included.
func TestPTY(t *testing.T) {
	b := newBench(t)
	ready := make(chan struct{})
	_, port := servePTY(t, b, func() { close(ready) })
	<-ready
	bus := dynamixel.NewBus(port, patient())
	for id := dynamixel.ID(1); id <= 3; id++ {
		_, err := bus.Ping(id)
		require.NoError(t, err)
	}
	for v := int32(0); v < 256; v++ {
		require.NoError(t, bus.Write(1, dynamixel.IndirectData(0), v))
		got, err := bus.Read(1, dynamixel.IndirectData(0))
		require.NoError(t, err)
		require.Equal(t, v, got)
	}
	rs := []dynamixel.Reading{{ID: 1, Data: make([]byte, 10)}, {ID: 2, Data: make([]byte, 10)}, {ID: 3, Data: make([]byte, 10)}}
	for range 20 {
		require.NoError(t, bus.SyncRead(dynamixel.Block{Addr: 126, Len: 10}, rs))
		require.NoError(t, bus.FastSyncRead(dynamixel.Block{Addr: 126, Len: 10}, rs))
		for _, r := range rs {
			require.NoError(t, r.Err)
		}
	}
	require.Equal(t, dynamixel.Stats{Transactions: 3 + 512 + 40}, bus.Stats())
}

// TestPTYTakesItsTime: an answer is never earlier than on a real line, and the
// shafts turn although nobody talks.
func TestPTYTakesItsTime(t *testing.T) {
	b := newBench(t, func(s *setup) { s.shafts[0].Friction = 0 })
	_, port := servePTY(t, b, nil)
	bus := dynamixel.NewBus(port, patient())
	require.NoError(t, bus.Write(1, dynamixel.OperatingMode, dynamixel.ModeVelocity))
	require.NoError(t, bus.Write(1, dynamixel.TorqueEnable, 1))
	require.NoError(t, bus.Write(1, dynamixel.GoalVelocity, 100))
	wire := dynamixel.Wire{Baud: 1_000_000, ReplyGap: servotest.Default().ReplyGap, Latency: time.Millisecond}
	before := time.Now()
	const n = 50
	for range n {
		_, err := bus.Read(1, dynamixel.PresentPosition)
		require.NoError(t, err)
	}
	require.GreaterOrEqual(t, time.Since(before), n*wire.Read(4))

	turned := func() (angle float64) {
		b.chain.Do(func([]*servotest.Servo) { angle = b.shafts[0].Angle })
		return angle
	}
	require.Eventually(t, func() bool { return turned() > 1 }, 30*time.Second, time.Millisecond)
}

// TestPTYReopened: the host may close the port and open it again.
func TestPTYReopened(t *testing.T) {
	b := newBench(t)
	p, _ := servePTY(t, b, nil)
	for range 3 {
		f, err := os.OpenFile(p.Path(), os.O_RDWR, 0)
		require.NoError(t, err)
		_, err = dynamixel.NewBus(ttyPort{f}, patient()).Ping(2)
		require.NoError(t, err)
		require.NoError(t, f.Close())
	}
	require.NoError(t, p.Close())
	require.NoError(t, p.Close(), "twice is fine")
}

// TestPTYUnplugged: the device goes away under the host, and comes back under
// the same name.
func TestPTYUnplugged(t *testing.T) {
	b := newBench(t)
	p, port := servePTY(t, b, nil)
	bus := dynamixel.NewBus(port, patient())
	_, err := bus.Ping(2)
	require.NoError(t, err)
	require.NoError(t, b.chain.Inject(servotest.Fault{Kind: servotest.Unplugged, For: 50 * time.Millisecond}))
	require.Eventually(t, func() bool {
		_, err := bus.Ping(2)
		return errors.Is(err, syscall.EIO) || errors.Is(err, io.EOF)
	}, 30*time.Second, time.Millisecond, "the open port is dead")
	var f *os.File
	require.Eventually(t, func() bool {
		f, err = os.OpenFile(p.Path(), os.O_RDWR, 0)
		return err == nil
	}, 30*time.Second, time.Millisecond)
	_, err = dynamixel.NewBus(ttyPort{f}, patient()).Ping(2)
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, p.Close())
	_, err = os.Lstat(p.Path())
	require.ErrorIs(t, err, fs.ErrNotExist, "nothing is left behind")
}
