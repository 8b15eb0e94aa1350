package record_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/foxglove/mcap/go/mcap"
	"github.com/stretchr/testify/require"

	"twinrig/agent/record"
)

// TestCut cuts a recording at many places, as a killed process does, and
// expects everything up to the last whole chunk.
func TestCut(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "trial.mcap")
	cfg := synchronous()
	cfg.ChunkBytes = 8 << 10
	want := write(t, path, cfg, 200)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	chunks := chunksOf(t, path)
	require.Greater(t, len(chunks), 10)
	first := int(chunks[0].ChunkStartOffset)

	for at := first; at < len(data); at += 2503 {
		cut := filepath.Join(dir, "cut")
		require.NoError(t, os.WriteFile(cut, data[:at], 0o600))
		var got log
		info, err := record.Read(cut, got.visitor())
		require.NoError(t, err, "cut at %d", at)
		require.Equal(t, header, info.Header)

		// Whatever is there is a beginning of what was written.
		require.Equal(t, head(want.ticks, len(got.ticks)), got.ticks, "cut at %d", at)
		require.Equal(t, head(want.frames, len(got.frames)), got.frames)
		require.Equal(t, head(want.events, len(got.events)), got.events)
		require.Equal(t, head(want.gaps, len(got.gaps)), got.gaps)

		// And it is all that whole chunks hold.
		messages := uint64(0)
		for _, c := range chunks {
			if end := c.ChunkStartOffset + c.ChunkLength; end <= uint64(at) {
				messages += chunkMessages(t, data[c.ChunkStartOffset:end])
			}
		}
		n := info.Read
		require.Equal(t, messages, n.Ticks+n.Gaps+n.Events+n.Frames, "cut at %d", at)
		if last := chunks[len(chunks)-1]; uint64(at) < last.ChunkStartOffset+last.ChunkLength {
			require.ErrorContains(t, info.Damage, "cut off after ")
			require.Nil(t, info.Summary)
		}
	}
}

func TestCutInsideTheHeader(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "trial.mcap")
	write(t, path, synchronous(), 10)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	for at := len(mcap.Magic); at < int(chunksOf(t, path)[0].ChunkStartOffset); at++ {
		cut := filepath.Join(dir, "cut")
		require.NoError(t, os.WriteFile(cut, data[:at], 0o600))
		info, err := record.Read(cut, record.Visitor{})
		if err != nil {
			require.ErrorContains(t, err, "not a recording")
			continue
		}
		require.Error(t, info.Damage, "cut at %d", at)
		require.Zero(t, info.Read)
	}
}

func TestFlippedBit(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "trial.mcap")
	cfg := synchronous()
	cfg.ChunkBytes = 8 << 10
	want := write(t, path, cfg, 200)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	chunk := chunksOf(t, path)[5]
	data[chunk.ChunkStartOffset+chunk.ChunkLength/2] ^= 4
	require.NoError(t, os.WriteFile(path, data, 0o600))
	var got log
	info, err := record.Read(path, got.visitor())
	require.NoError(t, err)
	require.Error(t, info.Damage)
	require.NotEmpty(t, got.ticks)
	require.Equal(t, head(want.ticks, len(got.ticks)), got.ticks)
}

func TestRepair(t *testing.T) {
	dir := t.TempDir()
	path, cut, repaired := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "c")
	cfg := synchronous()
	cfg.ChunkBytes = 8 << 10
	write(t, path, cfg, 200)
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(cut, data[:len(data)/2], 0o600))

	info, err := record.Repair(cut, repaired)
	require.NoError(t, err)
	require.ErrorContains(t, info.Damage, "cut off after ")
	var before, after log
	_, err = record.Read(cut, before.visitor())
	require.NoError(t, err)
	info, err = record.Read(repaired, after.visitor())
	require.NoError(t, err)
	require.NoError(t, info.Damage, "it is whole now")
	require.Nil(t, info.Summary, "but its writer never finished")
	require.Equal(t, header, info.Header)
	require.Equal(t, before, after)
	require.NotEmpty(t, chunksOf(t, repaired), "the index is back")
}

// chunksOf reads the index.
func chunksOf(t *testing.T, path string) []*mcap.ChunkIndex {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	r, err := mcap.NewReader(f)
	require.NoError(t, err)
	defer r.Close()
	info, err := r.Info()
	require.NoError(t, err)
	return info.ChunkIndexes
}

// chunkMessages counts the messages in one chunk's record.
func chunkMessages(t *testing.T, record []byte) uint64 {
	t.Helper()
	lexer, err := mcap.NewLexer(bytes.NewReader(record), &mcap.LexerOptions{SkipMagic: true})
	require.NoError(t, err)
	defer lexer.Close()
	n := uint64(0)
	for {
		token, _, err := lexer.Next(nil)
		if err != nil {
			return n
		}
		if token == mcap.TokenMessage {
			n++
		}
	}
}

// head is the first n values; nil when there are none.
func head[T any](s []T, n int) []T {
	if n == 0 {
		return nil
	}
	return s[:n]
}
