package record

import "fmt"

// Config describes how trials are recorded.
type Config struct {
	// Synchronous writes every message before its Put returns: nothing is ever
	// dropped, and the bytes depend on the calls alone. It is for virtual time;
	// a real loop must not wait for a disk.
	Synchronous bool `yaml:"synchronous"`
	// Ticks, Frames and Others (gaps and events) are how many messages may wait
	// for the disk.
	Ticks  int `yaml:"queue_ticks"`
	Frames int `yaml:"queue_frames"`
	Others int `yaml:"queue_others"`
	// Compression is "none", "lz4" or "zstd".
	Compression string `yaml:"compression"`
	// ChunkBytes is the size at which a chunk is written, before compression.
	ChunkBytes int `yaml:"chunk_bytes"`
	// Quality is the JPEG quality of frames, 1 to 100.
	Quality int `yaml:"jpeg_quality"`
}

// DefaultConfig holds four seconds of a 500 Hz loop while the disk is busy.
func DefaultConfig() Config {
	return Config{
		Ticks:       2048,
		Frames:      8,
		Others:      256,
		Compression: "zstd",
		ChunkBytes:  128 << 10,
		Quality:     90,
	}
}

// Validate names the key that is out of its range.
func (c *Config) Validate() error {
	for _, q := range []struct {
		key   string
		value int
		max   int
	}{
		{"queue_ticks", c.Ticks, 1 << 20},
		{"queue_frames", c.Frames, 1 << 10},
		{"queue_others", c.Others, 1 << 20},
	} {
		if q.value < 1 || q.value > q.max {
			return fmt.Errorf("%s: %d is not 1 to %d", q.key, q.value, q.max)
		}
	}
	if c.ChunkBytes < 1<<10 || c.ChunkBytes > 16<<20 {
		return fmt.Errorf("chunk_bytes: %d is not %d to %d", c.ChunkBytes, 1<<10, 16<<20)
	}
	if c.Quality < 1 || c.Quality > 100 {
		return fmt.Errorf("jpeg_quality: %d is not 1 to 100", c.Quality)
	}
	if _, err := compressionOf(c.Compression); err != nil {
		return fmt.Errorf("compression: %w", err)
	}
	return nil
}
