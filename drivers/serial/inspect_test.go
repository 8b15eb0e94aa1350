package serial

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestMain can be another process that holds a port: see holdPort.
func TestMain(m *testing.M) {
	if path := os.Getenv("SERIAL_TEST_HOLD"); path != "" {
		holdPort(path)
		return
	}
	os.Exit(m.Run())
}

func holdPort(path string) {
	cfg := Default()
	cfg.Port = path
	p, err := Open(cfg)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("open")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	_ = p.Close()
}

// TestInspectTellsWhoHoldsThePort: another process has it open and locked.
func TestInspectTellsWhoHoldsThePort(t *testing.T) {
	s := newSocket(t)
	i, err := Inspect(s.link)
	require.NoError(t, err)
	require.Empty(t, i.Users, "this process has both ends open, and does not count")
	require.NoError(t, s.open().Close(), "Inspect leaves no lock behind")

	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), "SERIAL_TEST_HOLD="+s.link)
	in, err := other.StdinPipe()
	require.NoError(t, err)
	out, err := other.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, other.Start())
	said, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "open\n", said)

	i, err = Inspect(s.link)
	require.NoError(t, err)
	require.Len(t, i.Users, 1)
	require.Equal(t, other.Process.Pid, i.Users[0].PID)
	require.True(t, i.Users[0].Locked)
	require.NotEmpty(t, i.Users[0].Command)
	cfg := Default()
	cfg.Port = s.link
	_, err = Open(cfg)
	require.ErrorIs(t, err, ErrBusy)
	require.ErrorContains(t, err, "stop the other program first")

	_, err = in.Write([]byte("\n"))
	require.NoError(t, err)
	require.NoError(t, other.Wait())
	require.NoError(t, s.open().Close())
}

// TestInspectDisturbsNothing: bytes under way and the line's settings stay.
func TestInspectDisturbsNothing(t *testing.T) {
	s := newSocket(t)
	p := s.open()
	before, err := unix.IoctlGetTermios(p.line.side, unix.TCGETS)
	require.NoError(t, err)
	_, err = s.master.Write([]byte("kept"))
	require.NoError(t, err)
	i, err := Inspect(s.link)
	require.NoError(t, err)
	require.True(t, i.Readable)
	require.True(t, i.Writable)
	require.True(t, i.Stable)
	require.False(t, i.LatencyKnown)
	require.False(t, i.LowLatencyKnown, "a pty has no such flag")
	require.Nil(t, i.USB)
	require.NotEmpty(t, i.Group)
	device, err := filepath.EvalSymlinks(s.link)
	require.NoError(t, err)
	require.Equal(t, device, i.Device)
	after, err := unix.IoctlGetTermios(p.line.side, unix.TCGETS)
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.NoError(t, p.SetReadTimeout(10*time.Second))
	require.Equal(t, "kept", string(readFull(t, p.Read, 4)))
}

// TestInspectUSB: sysfs and /dev as an adapter has them, the tty a pty.
func TestInspectUSB(t *testing.T) {
	_, slave, err := pty.Open()
	require.NoError(t, err)
	defer slave.Close()
	base := filepath.Base(slave.Name())
	h := system{sys: t.TempDir(), dev: t.TempDir(), proc: t.TempDir()}
	adapter := filepath.Join(h.sys, "devices/usb1/1-2")
	tty := filepath.Join(adapter, "1-2:1.0", base, "tty", base)
	for path, text := range map[string]string{
		filepath.Join(adapter, "idVendor"):                                    "0403\n",
		filepath.Join(adapter, "idProduct"):                                   "6014\n",
		filepath.Join(adapter, "product"):                                     "USB <-> Serial Converter\n",
		filepath.Join(adapter, "serial"):                                      "FT4THV0J\n",
		filepath.Join(tty, "dev"):                                             "188:0\n",
		filepath.Join(h.sys, "bus/usb-serial/devices", base, "latency_timer"): "16\n",
		filepath.Join(h.dev, "serial/by-id/usb-FTDI_other"):                   "",
		filepath.Join(h.proc, "locks"):                                        "1: POSIX  ADVISORY  WRITE 7 00:18:5 0 EOF\n2: FLOCK\n",
		filepath.Join(h.proc, "4711/comm"):                                    "minicom\n",
		filepath.Join(h.proc, "4712/comm"):                                    "idle\n",
		filepath.Join(h.proc, fmt.Sprint(os.Getpid()), "comm"):                "us\n",
		filepath.Join(h.proc, "4712/fd/unreadable"):                           "",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	byID := filepath.Join(h.dev, "serial/by-id/usb-FTDI_USB__-__Serial_Converter_FT4THV0J-if00-port0")
	for link, to := range map[string]string{
		filepath.Join(h.sys, "class/tty", base):                tty,
		filepath.Join(tty, "device"):                           filepath.Join(adapter, "1-2:1.0", base),
		byID:                                                   slave.Name(),
		filepath.Join(h.dev, "ttyDXL"):                         slave.Name(),
		filepath.Join(h.proc, "4711/fd/3"):                     slave.Name(),
		filepath.Join(h.proc, fmt.Sprint(os.Getpid()), "fd/5"): slave.Name(),
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(link), 0o700))
		require.NoError(t, os.Symlink(to, link))
	}
	i, err := h.inspect(filepath.Join(h.dev, "ttyDXL"))
	require.NoError(t, err)
	require.Equal(t, &USB{Vendor: 0x0403, Product: 0x6014, Name: "USB <-> Serial Converter", Serial: "FT4THV0J"}, i.USB)
	require.Equal(t, "0403:6014", i.USB.ID())
	require.Equal(t, []string{byID, filepath.Join(h.dev, "ttyDXL")}, i.Names)
	require.True(t, i.LatencyKnown)
	require.Equal(t, 16*time.Millisecond, i.Latency)
	require.Equal(t, []User{{PID: 4711, Command: "minicom"}}, i.Users)
	require.Equal(t, "minicom (pid 4711)", i.Users[0].String())
}

func TestInspectErrors(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "ttyDXL")
	_, err := Inspect(missing)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorContains(t, err, "serial: inspect "+missing)
	require.ErrorContains(t, err, "0403")
	_, err = Inspect(t.TempDir())
	require.ErrorContains(t, err, "not a tty")
}

func TestStable(t *testing.T) {
	for path, want := range map[string]bool{
		"/dev/ttyUSB0": false, "/dev/ttyACM12": false, "/dev/ttyDXL": true, "/dev/ttyUSB": true,
		"/dev/serial/by-id/usb-FTDI_x-if00-port0": true, "/dev/pts/3": true,
	} {
		require.Equal(t, want, Stable(path), path)
	}
}
