package record_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/agent/record"
)

// BenchmarkTick writes ticks through each compression; size_bytes is what one
// takes in the file.
func BenchmarkTick(b *testing.B) {
	for _, compression := range []string{"none", "lz4", "zstd"} {
		b.Run(compression, func(b *testing.B) {
			cfg := synchronous()
			cfg.Compression = compression
			path := filepath.Join(b.TempDir(), "trial.mcap")
			w, err := record.Create(path, header, cfg)
			require.NoError(b, err)
			tr := newTrial(1)
			ticks := make([]twinrig.Report, 512)
			for i := range ticks {
				ticks[i] = tr.tick(i)
			}
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				w.Put(&ticks[n%len(ticks)])
				n++
			}
			require.NoError(b, w.Close())
			info, err := os.Stat(path)
			require.NoError(b, err)
			b.ReportMetric(float64(info.Size())/float64(n), "size_bytes/op")
		})
	}
}

// BenchmarkFrame does the same with noisy pictures of 640 x 480.
func BenchmarkFrame(b *testing.B) {
	for _, compression := range []string{"none", "lz4", "zstd"} {
		b.Run(compression, func(b *testing.B) {
			cfg := synchronous()
			cfg.Compression = compression
			path := filepath.Join(b.TempDir(), "trial.mcap")
			w, err := record.Create(path, header, cfg)
			require.NoError(b, err)
			rng := newTrial(1).rng
			f := twinrig.Frame{Seq: 1, W: 640, H: 480, RGB: make([]byte, 3*640*480)}
			for i := range f.RGB {
				f.RGB[i] = byte(i/9000 + rng.IntN(4))
			}
			n := 0
			for b.Loop() {
				w.PutFrame("front", &f)
				n++
			}
			require.NoError(b, w.Close())
			info, err := os.Stat(path)
			require.NoError(b, err)
			b.ReportMetric(float64(info.Size())/float64(n), "size_bytes/op")
		})
	}
}
