package serial

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
)

var _ dynamixel.Port = (*Port)(nil)

// pair opens a pty and a Port on its slave side.
func pair(tb testing.TB) (*os.File, *Port) {
	tb.Helper()
	master, slave, err := pty.Open()
	require.NoError(tb, err)
	tb.Cleanup(func() { _ = master.Close() })
	cfg := Default()
	cfg.Port = slave.Name()
	p, err := Open(cfg)
	require.NoError(tb, err)
	require.NoError(tb, slave.Close())
	tb.Cleanup(func() { _ = p.Close() })
	return master, p
}

func TestBytesPassUnchanged(t *testing.T) {
	master, p := pair(t)
	all := make([]byte, 256) // every byte, control characters included
	for i := range all {
		all[i] = byte(i)
	}
	n, err := p.Write(all)
	require.NoError(t, err)
	require.Equal(t, len(all), n)
	require.Equal(t, all, readFull(t, master.Read, len(all)))

	_, err = master.Write(all)
	require.NoError(t, err)
	require.NoError(t, p.SetReadTimeout(10*time.Second))
	require.Equal(t, all, readFull(t, p.Read, len(all)))
}

func readFull(t *testing.T, read func([]byte) (int, error), n int) []byte {
	t.Helper()
	var got []byte
	b := make([]byte, n)
	for len(got) < n {
		k, err := read(b)
		require.NoError(t, err)
		got = append(got, b[:k]...)
	}
	return got
}

func TestDeadlineCoversEveryReadUntilTheNextCall(t *testing.T) {
	master, p := pair(t)
	b := make([]byte, 8)
	require.Error(t, p.SetReadTimeout(-1))

	require.NoError(t, p.SetReadTimeout(time.Millisecond))
	for range 2 {
		n, err := p.Read(b)
		require.Zero(t, n)
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	}
	_, err := master.Write([]byte{7})
	require.NoError(t, err)
	require.NoError(t, p.SetReadTimeout(10*time.Second))
	n, err := p.Read(b)
	require.NoError(t, err)
	require.Equal(t, []byte{7}, b[:n])

	// Nothing to read into is not a wait.
	n, err = p.Read(nil)
	require.NoError(t, err)
	require.Zero(t, n)
}

func TestCloseEndsAWaitingRead(t *testing.T) {
	_, p := pair(t) // no deadline armed: the Read waits for ever
	waiting := make(chan struct{})
	result := make(chan error)
	go func() {
		close(waiting)
		_, err := p.Read(make([]byte, 8))
		result <- err
	}()
	<-waiting
	require.NoError(t, p.Close())
	require.ErrorIs(t, <-result, fs.ErrClosed)

	require.NoError(t, p.Close(), "idempotent")
	_, err := p.Read(make([]byte, 8))
	require.ErrorIs(t, err, fs.ErrClosed)
	_, err = p.Write([]byte{1})
	require.ErrorIs(t, err, fs.ErrClosed)
}

func TestUnplugIsAnErrorAtOnce(t *testing.T) {
	master, p := pair(t)
	require.NoError(t, p.SetReadTimeout(time.Hour))
	result := make(chan error)
	go func() {
		_, err := p.Read(make([]byte, 8))
		result <- err
	}()
	require.NoError(t, master.Close())
	err := <-result
	require.ErrorIs(t, err, ErrGone)
	require.ErrorContains(t, err, p.Name())
	_, err = p.Write([]byte{1})
	require.ErrorIs(t, err, ErrGone)
}

func TestWriteDoesNotWaitForEver(t *testing.T) {
	_, p := pair(t)
	p.cfg.WriteTimeout = time.Millisecond
	// Nobody reads the master: the kernel's buffer fills up. Small pieces, so
	// that ppoll says no before a write would block.
	for range 1 << 16 {
		if _, err := p.Write(make([]byte, 16)); err != nil {
			require.ErrorIs(t, err, os.ErrDeadlineExceeded)
			return
		}
	}
	t.Fatal("a port that nobody drains took a megabyte")
}

func TestOpenIsExclusive(t *testing.T) {
	_, p := pair(t)
	cfg := Default()
	cfg.Port = p.Name()
	_, err := Open(cfg)
	require.ErrorIs(t, err, ErrBusy)
	require.ErrorContains(t, err, p.Name())
	require.NoError(t, p.Close())
	again, err := Open(cfg)
	require.NoError(t, err)
	require.NoError(t, again.Close())
}

func TestOpenErrorsNamePortAndCure(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "ttyDXL")
	file := filepath.Join(t.TempDir(), "plain")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	for _, c := range []struct {
		name, port string
		is         error
		want       string
	}{
		{"missing", missing, fs.ErrNotExist, "0403"},
		{"no tty", file, nil, "not a tty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := Default()
			cfg.Port = c.port
			_, err := Open(cfg)
			require.ErrorContains(t, err, "serial: open "+c.port)
			require.ErrorContains(t, err, c.want)
			if c.is != nil {
				require.ErrorIs(t, err, c.is)
			}
		})
	}
	// Root may open everything, so the permission case is tried on its error.
	require.Contains(t, cure(&fs.PathError{Op: "open", Path: "/dev/ttyDXL", Err: fs.ErrPermission}), "dialout")
	require.Empty(t, cure(os.ErrDeadlineExceeded))
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*Config)
		want  string
	}{
		{"port", func(c *Config) { c.Port = "" }, "port: is empty"},
		{"baud", func(c *Config) { c.Baud = 250_000 }, "baud: 250000 is none of"},
		{"timeout", func(c *Config) { c.WriteTimeout = 0 }, "write_timeout: 0s is outside 1ms to 1s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := Default()
			require.NoError(t, cfg.Validate())
			c.spoil(&cfg)
			require.ErrorContains(t, cfg.Validate(), c.want)
			_, err := Open(cfg)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func TestEveryBaudOpens(t *testing.T) {
	master, slave, err := pty.Open()
	require.NoError(t, err)
	defer master.Close()
	defer slave.Close()
	for _, baud := range Bauds {
		cfg := Default()
		cfg.Port, cfg.Baud = slave.Name(), baud
		p, err := Open(cfg)
		require.NoError(t, err, "%d", baud)
		_, known := p.LatencyTimer()
		require.False(t, known, "a pty has no latency timer")
		require.NoError(t, p.Close())
	}
}

func TestLatencyTimer(t *testing.T) {
	sys, dev := t.TempDir(), t.TempDir()
	dir := filepath.Join(sys, "bus/usb-serial/devices/ttyUSB3")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	tty := filepath.Join(dev, "ttyUSB3")
	require.NoError(t, os.WriteFile(tty, nil, 0o600))
	link := filepath.Join(dev, "ttyDXL")
	require.NoError(t, os.Symlink(tty, link))
	timer := filepath.Join(dir, "latency_timer")

	_, known := latencyTimer(link, sys)
	require.False(t, known, "no such file")
	require.NoError(t, os.WriteFile(timer, []byte("16\n"), 0o600))
	d, known := latencyTimer(link, sys)
	require.True(t, known)
	require.Equal(t, 16*time.Millisecond, d)

	d, known = lowLatency(-1, link, sys)
	require.True(t, known)
	require.Equal(t, time.Millisecond, d, "written and read back")

	require.NoError(t, os.WriteFile(timer, []byte("soon"), 0o600))
	_, known = latencyTimer(link, sys)
	require.False(t, known, "not a number")
}

func TestReadAndWriteDoNotAllocate(t *testing.T) {
	master, p := pair(t)
	out, in := make([]byte, 14), make([]byte, 189)
	back := make([]byte, 189)
	allocs := testing.AllocsPerRun(200, func() {
		roundTrip(p, master, out, back, in)
		_ = p.SetReadTimeout(0)
		_, _ = p.Read(in) // past the deadline
	})
	require.Zero(t, allocs)
}

func roundTrip(p *Port, master *os.File, out, back, in []byte) {
	_ = p.SetReadTimeout(time.Second)
	_, _ = p.Write(out)
	_, _ = master.Read(back[:len(out)])
	_, _ = master.Write(back)
	for got := 0; got < len(back); {
		n, err := p.Read(in)
		if err != nil {
			return
		}
		got += n
	}
}

// BenchmarkRoundTrip is 14 bytes out and 189 back over a pty, the far side
// another goroutine of this process; no UART and no USB are in it.
func BenchmarkRoundTrip(b *testing.B) {
	master, p := pair(b)
	go func() {
		in, out := make([]byte, 64), make([]byte, 189)
		for {
			if _, err := master.Read(in); err != nil {
				return
			}
			if _, err := master.Write(out); err != nil {
				return
			}
		}
	}()
	out, in := make([]byte, 14), make([]byte, 256)
	took := make([]time.Duration, 0, b.N)
	b.ResetTimer()
	for range b.N {
		t0 := time.Now()
		_ = p.SetReadTimeout(time.Second)
		if _, err := p.Write(out); err != nil {
			b.Fatal(err)
		}
		for got := 0; got < 189; {
			n, err := p.Read(in)
			if err != nil {
				b.Fatal(err)
			}
			got += n
		}
		took = append(took, time.Since(t0))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-us")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-us")
}
