package dynamixel_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
	"twinrig/drivers/serial"
)

// lines are the wires that the cycle's rate is held against: two rates, with the
// adapter's latency timer at 1 ms and without.
func lines(f func(name string, line servotest.Config, cfg dynamixel.Config)) {
	for _, baud := range []int{1_000_000, 4_000_000} {
		for _, latency := range []time.Duration{0, time.Millisecond} {
			line, cfg := servotest.Default(), dynamixel.Default()
			line.Baud, cfg.Baud = baud, baud
			line.Latency, cfg.Latency = latency, latency
			cfg.ReplyGap = line.ReplyGap
			f(fmt.Sprintf("%d Mbps, timer %v", baud/1_000_000, latency), line, cfg)
		}
	}
}

// cycleTime is what the wire takes for a reading of nine servos and goals for
// all of them.
func cycleTime(w dynamixel.Wire, how int) time.Duration {
	read := w.SyncRead(9, int(state.Len))
	if reads[how].name == "fast sync read" {
		read = w.FastSyncRead(9, int(state.Len))
	}
	return read + w.SyncWrite(9, int(dynamixel.GoalPosition.Size))
}

// loop is cycles back to back, as long as more says.
func (b *bench) loop(tb testing.TB, how int, more func() bool) {
	tb.Helper()
	rs := readings(int(state.Len), b.ids...)
	var items []dynamixel.Item
	for _, id := range b.ids {
		items = append(items, dynamixel.Item{ID: id, Data: []byte{0, 8, 0, 0}})
	}
	read := reads[how].read
	for more() {
		err := read(b.bus, state, rs)
		if err == nil {
			err = b.bus.SyncWrite(dynamixel.GoalPosition.Block(), items)
		}
		if err != nil {
			tb.Fatal(err)
		}
	}
}

// TestCycleRate: on virtual time the cycle takes what the wire takes.
func TestCycleRate(t *testing.T) {
	lines(func(name string, line servotest.Config, cfg dynamixel.Config) {
		for how := range reads {
			b := newBench(line, cfg)
			const cycles = 500
			n := 0
			b.loop(t, how, func() bool { n++; return n <= cycles })
			model := cycleTime(cfg.Wire(), how)
			// The last write goes out unanswered, and nobody waits for it.
			took := (b.clock.Now() + cfg.Wire().SyncWrite(9, 4)) / cycles
			share := 100 * model.Seconds() / took.Seconds()
			t.Logf("virtual time, %s, %s: %.1f Hz of %.1f Hz: %.1f %%", name, reads[how].name, 1/took.Seconds(), 1/model.Seconds(), share)
			require.Greater(t, share, 99.0)
			require.Zero(t, b.bus.Stats().Timeouts)
		}
	})
}

// paced is a bus behind a real pty, at the true rates.
func paced(tb testing.TB, line servotest.Config, cfg dynamixel.Config) (*bench, string) {
	tb.Helper()
	b := newBench(line, cfg)
	start := time.Now()
	server, err := servotest.ServePTY(b.chain, func() time.Duration { return time.Since(start) }, realTime)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, server.Close()) })
	return b, server.Path()
}

func (b *bench) open(tb testing.TB, path string) {
	tb.Helper()
	cfg := serial.Default()
	cfg.Port, cfg.Baud = path, b.cfg.Baud
	port, err := serial.Open(cfg)
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, port.Close()) })
	// A pty's bytes wait for the kernel's workers: see configs/demo.yaml.
	b.cfg.Allowance = 6 * time.Millisecond
	b.bus = dynamixel.NewBus(port, b.cfg)
}

// realTime asks for a thread that does not wait for others, if that is allowed.
func realTime() {
	const fifo = 1
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: fifo, Priority: 50}
	_ = unix.SchedSetAttr(0, &attr, 0)
}

// BenchmarkPTYCycle is the cycle over a real pty through the serial driver. Its
// CPU time is this thread's, the kernel's part in it included; the emulated
// servos run on another.
func BenchmarkPTYCycle(bm *testing.B) {
	lines(func(name string, line servotest.Config, cfg dynamixel.Config) {
		for how := range reads {
			bm.Run(strings.ReplaceAll(name+", "+reads[how].name, " ", "_"), func(bm *testing.B) {
				runtime.LockOSThread() // and let it go with the goroutine
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.NumCPU() + 2))
				b, path := paced(bm, line, cfg)
				b.open(bm, path)
				realTime()
				before := threadCPU(bm)
				b.loop(bm, how, bm.Loop)
				cpu := threadCPU(bm) - before
				n := float64(bm.N)
				hz := n / bm.Elapsed().Seconds()
				bm.ReportMetric(hz, "Hz")
				bm.ReportMetric(100*hz*cycleTime(cfg.Wire(), how).Seconds(), "%wire")
				bm.ReportMetric(float64(cpu.Microseconds())/n, "CPU-us/cycle")
				bm.ReportMetric(float64(b.bus.Stats().Timeouts), "timeouts")
			})
		}
	})
}

// BenchmarkPTYCycleSDK is the cycle at 1 Mbps by Fast Sync Read with ROBOTIS'
// Python SDK on the same pty.
func BenchmarkPTYCycleSDK(bm *testing.B) {
	python, err := filepath.Abs("../../.deps/venv/bin/python")
	require.NoError(bm, err)
	if _, err := os.Stat(python); err != nil {
		bm.Skip("needs the tests' Python: run scripts/testenv.sh")
	}
	_, path := paced(bm, servotest.Default(), dynamixel.Default())
	const cycles = 300
	for bm.Loop() {
		out, err := exec.Command(python, "testdata/sdk_cycle.py", path, fmt.Sprint(cycles)).CombinedOutput()
		require.NoError(bm, err, string(out))
		var cpu, hz float64
		_, err = fmt.Sscan(string(out), &cpu, &hz)
		require.NoError(bm, err)
		bm.ReportMetric(cpu, "CPU-us/cycle")
		bm.ReportMetric(hz, "Hz")
	}
}

func threadCPU(tb testing.TB) time.Duration {
	tb.Helper()
	var u unix.Rusage
	require.NoError(tb, unix.Getrusage(unix.RUSAGE_THREAD, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
