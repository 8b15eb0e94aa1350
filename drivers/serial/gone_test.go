package serial

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
)

// socket is a stable name that leads to a pty, and can be pulled and plugged in
// again as another pty.
type socket struct {
	t      *testing.T
	link   string
	master *os.File
}

func newSocket(t *testing.T) *socket {
	s := &socket{t: t, link: filepath.Join(t.TempDir(), "ttyDXL")}
	s.plug()
	return s
}

func (s *socket) plug() {
	master, slave, err := pty.Open()
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = master.Close() })
	require.NoError(s.t, os.Symlink(slave.Name(), s.link))
	// The slave stays open, as its first close would hang the master up.
	s.t.Cleanup(func() { _ = slave.Close() })
	s.master = master
}

func (s *socket) pull() {
	require.NoError(s.t, s.master.Close())
	require.NoError(s.t, os.Remove(s.link))
}

func (s *socket) open() *Port {
	cfg := Default()
	cfg.Port = s.link
	p, err := Open(cfg)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = p.Close() })
	return p
}

func TestReopenAfterUnplug(t *testing.T) {
	s := newSocket(t)
	p := s.open()
	b := make([]byte, 8)
	for range 3 {
		require.NoError(t, p.SetReadTimeout(time.Hour))
		s.pull()
		_, err := p.Read(b)
		require.ErrorIs(t, err, ErrGone)
		require.ErrorContains(t, err, s.link)

		// Still missing: path and cure are named, and it stays gone.
		err = p.Reopen()
		require.ErrorIs(t, err, ErrGone)
		require.ErrorIs(t, err, fs.ErrNotExist)
		require.ErrorContains(t, err, "serial: open "+s.link)
		require.ErrorContains(t, err, "0403")
		_, err = p.Read(b)
		require.ErrorIs(t, err, ErrGone)
		_, err = p.Write(b)
		require.ErrorIs(t, err, ErrGone)

		s.plug()
		require.NoError(t, p.Reopen())
		_, err = p.Write([]byte("to"))
		require.NoError(t, err)
		require.Equal(t, "to", string(readFull(t, s.master.Read, 2)))
		_, err = s.master.Write([]byte("from"))
		require.NoError(t, err)
		require.NoError(t, p.SetReadTimeout(10*time.Second))
		require.Equal(t, "from", string(readFull(t, p.Read, 4)))
	}
	// The new line is locked as the first was, and freed by Close.
	cfg := Default()
	cfg.Port = s.link
	_, err := Open(cfg)
	require.ErrorIs(t, err, ErrBusy)
	require.NoError(t, p.Close())
	require.ErrorIs(t, p.Reopen(), fs.ErrClosed)
	again, err := Open(cfg)
	require.NoError(t, err)
	require.NoError(t, again.Close())
}

// TestReopenOfALivePort begins with a clean line.
func TestReopenOfALivePort(t *testing.T) {
	s := newSocket(t)
	p := s.open()
	_, err := s.master.Write([]byte("stale"))
	require.NoError(t, err)
	require.NoError(t, p.Reopen())
	require.NoError(t, p.SetReadTimeout(0))
	_, err = p.Read(make([]byte, 8))
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
}

// TestReopenBusy: what came back is in somebody else's hands.
func TestReopenBusy(t *testing.T) {
	s := newSocket(t)
	p := s.open()
	s.pull()
	s.plug()
	other := s.open()
	err := p.Reopen()
	require.ErrorIs(t, err, ErrBusy)
	require.NotErrorIs(t, err, ErrGone)
	require.NoError(t, other.Close())
	require.NoError(t, p.Reopen())
}

// TestCloseDuringReopen: whoever comes first, the port ends closed and nothing
// leaks: the lock is free.
func TestCloseDuringReopen(t *testing.T) {
	s := newSocket(t)
	for range 50 {
		p := s.open()
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := p.Reopen(); err != nil {
				require.ErrorIs(t, err, fs.ErrClosed)
			}
		})
		wg.Go(func() { _, _ = p.Read(make([]byte, 1)) })
		wg.Go(func() { _ = p.Close() })
		wg.Wait()
		require.ErrorIs(t, p.Reopen(), fs.ErrClosed)
	}
	require.NoError(t, s.open().Close())
}

func TestUnplugged(t *testing.T) {
	p := &Port{}
	require.NotErrorIs(t, p.failed("read", fs.ErrPermission), ErrGone)
	require.ErrorIs(t, p.failed("read", fs.ErrPermission), fs.ErrPermission)
}
