package intrinsics

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig/calib/target"
)

func TestSamplesAreKept(t *testing.T) {
	dir := t.TempDir()
	samples := newSynth(t, webcam, 640, 480, 0.2, 1).samples(3)
	for i := range samples {
		require.NoError(t, samples[len(samples)-1-i].Write(dir))
	}
	require.NoError(t, samples[0].Write(dir), "again")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "coverage.png"), nil, 0o600))
	got, err := ReadSamples(dir)
	require.NoError(t, err)
	require.Equal(t, samples, got)

	_, err = ReadSamples(filepath.Join(dir, "absent"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestSpoiltSampleIsNamed(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*Sample)
		want  string
	}{
		{"version", func(s *Sample) { s.Version = 2 }, "version: 2 is not 1"},
		{"board", func(s *Sample) { s.Board.Cols = 1 }, "board: 1 x 6 inner corners"},
		{"size", func(s *Sample) { s.WidthPx = 0 }, "picture of 0 x 480"},
		{"foreign corner", func(s *Sample) { s.Corners[0].ID = 54 }, "corner 54 is not on a 9x6"},
		{"corner twice", func(s *Sample) { s.Corners[0].ID = 1 }, "corner 1 is there twice"},
		{"far corner", func(s *Sample) { s.Corners[0].X = 1e9 }, "corner 0 at 1e+09"},
		{"few", func(s *Sample) { s.Corners = s.Corners[:5] }, "has 5 corners, at least 6"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			s := newSynth(t, webcam, 640, 480, 0.2, 1).samples(1)[0]
			c.spoil(&s)
			require.NoError(t, s.Write(dir))
			_, err := ReadSamples(dir)
			require.ErrorContains(t, err, "view00.png.corners.json: "+c.want)
			require.ErrorContains(t, err, "delete or mend it")
		})
	}
}

func TestNewSampleNamesWhatIsNoBoard(t *testing.T) {
	d, err := target.NewDetector(testBoard(t))
	require.NoError(t, err)
	_, err = NewSample(d, testBoard(t), "notes.txt", []byte("no picture"))
	require.ErrorIs(t, err, target.ErrNoPicture)
}

// What decodes is valid, and comes back when it is written and read.
func FuzzSample(f *testing.F) {
	good, err := json.Marshal(newSynth(f, webcam, 640, 480, 0.2, 1).samples(1)[0])
	require.NoError(f, err)
	f.Add(good)
	f.Add([]byte(`{"version":1}`))
	f.Add([]byte(`{"version":1,"corners":[{"id":-1}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := decodeSample(b)
		if err != nil {
			return
		}
		require.NoError(t, s.Validate())
		again, err := json.Marshal(s)
		require.NoError(t, err)
		back, err := decodeSample(again)
		require.NoError(t, err)
		require.Equal(t, s, back)
	})
}
