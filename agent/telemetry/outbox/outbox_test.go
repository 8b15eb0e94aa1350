package outbox_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig/agent/telemetry/outbox"
)

// add puts a message in whose payload is its id and number.
func add(t *testing.T, b *outbox.Box, key string) bool {
	t.Helper()
	added, err := b.Add(key, "topic", false, func(id string, seq uint64) []byte { return fmt.Appendf(nil, "%s %d", id, seq) })
	require.NoError(t, err)
	return added
}

// drain takes everything out and returns the payloads in order.
func drain(t *testing.T, b *outbox.Box) (out []string) {
	t.Helper()
	for {
		m, err := b.Front()
		require.NoError(t, err)
		if m == nil {
			return out
		}
		out = append(out, string(m.Payload))
		require.NoError(t, b.Remove(m.Seq))
	}
}

func reopen(t *testing.T, path string) *outbox.Box {
	t.Helper()
	b, err := outbox.Open(path, 100)
	require.NoError(t, err)
	t.Cleanup(func() { b.Close() })
	return b
}

// What waits is there after a restart, in order and with the same ids; a number
// is never given twice, even when its message has gone.
func TestKeeps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "box.db")
	b := reopen(t, path)
	for range 5 {
		require.True(t, add(t, b, ""))
	}
	m, err := b.Front()
	require.NoError(t, err)
	require.Equal(t, uint64(1), m.Seq)
	require.NoError(t, b.Remove(1))
	require.NoError(t, b.Remove(1), "twice is once")
	require.Equal(t, 4, b.Len())
	id := string(m.Payload[:len(m.Payload)-len("-1 1")])
	require.NoError(t, b.Close())

	b = reopen(t, path)
	require.Equal(t, 4, b.Len())
	require.Equal(t, []string{id + "-2 2", id + "-3 3", id + "-4 4", id + "-5 5"}, drain(t, b))
	require.NoError(t, b.Close())

	b = reopen(t, path)
	require.True(t, add(t, b, ""))
	require.Equal(t, []string{id + "-6 6"}, drain(t, b))
}

// A key is taken once, delivered or not, restarted or not.
func TestOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "box.db")
	b := reopen(t, path)
	require.True(t, add(t, b, "a"))
	require.False(t, add(t, b, "a"))
	require.Len(t, drain(t, b), 1)
	require.NoError(t, b.Close())
	b = reopen(t, path)
	require.False(t, add(t, b, "a"))
	require.True(t, add(t, b, "b"))
	require.Equal(t, 1, b.Len())
	for _, want := range []bool{true, false} {
		first, err := b.Once("c")
		require.NoError(t, err)
		require.Equal(t, want, first)
	}
	require.False(t, add(t, b, "c"))
}

func TestFull(t *testing.T) {
	b, err := outbox.Open("", 2)
	require.NoError(t, err)
	defer b.Close()
	add(t, b, "")
	add(t, b, "")
	_, err = b.Add("", "topic", false, func(string, uint64) []byte { return nil })
	require.ErrorIs(t, err, outbox.ErrFull)
	require.NoError(t, b.Remove(1))
	require.True(t, add(t, b, ""))
}

func TestRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "box.db")
	b := reopen(t, path)
	_, err := outbox.Open(path, 1)
	require.ErrorContains(t, err, path)
	require.ErrorContains(t, err, "is another agent of this rig running?")
	require.NoError(t, b.Close())

	require.NoError(t, os.WriteFile(path, []byte("this is no database, by any means"), 0o600))
	_, err = outbox.Open(path, 1)
	require.ErrorContains(t, err, "can be moved away")
}
