package intrinsics

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"twinrig/calib/target"
)

// sampleVersion is the version of the sample files that this package writes.
const sampleVersion = 1

// Sample is what was seen of the board in one picture: all that Solve needs.
type Sample struct {
	Version int `json:"version"`
	// Name is the picture's file, without its folder.
	Name string `json:"name"`
	// PictureSHA256 is the digest of the picture's file, in hex.
	PictureSHA256 string       `json:"picture_sha256"`
	WidthPx       int          `json:"width_px"`
	HeightPx      int          `json:"height_px"`
	Board         target.Board `json:"board"`
	// Method is what found the corners.
	Method string `json:"method"`
	// BlurPx is how wide the squares' edges are, see target.Detection.
	BlurPx  float64         `json:"blur_px"`
	Corners []target.Corner `json:"corners"`
}

// NewSample detects d's board in the picture file's content.
func NewSample(d *target.Detector, board target.Board, name string, data []byte) (Sample, error) {
	p, err := target.Decode(data)
	if err != nil {
		return Sample{}, err
	}
	seen, err := d.Detect(&p)
	if err != nil {
		return Sample{}, err
	}
	return Sample{
		Version: sampleVersion, Name: name, PictureSHA256: digest(data),
		WidthPx: p.W, HeightPx: p.H, Board: board, Method: d.Method(),
		BlurPx: seen.BlurPx, Corners: seen.Corners,
	}, nil
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Validate names what makes the sample unusable.
func (s *Sample) Validate() error {
	if s.Version != sampleVersion {
		return fmt.Errorf("version: %d is not %d, the one this program reads", s.Version, sampleVersion)
	}
	if err := s.Board.Validate(); err != nil {
		return err
	}
	if s.WidthPx < 16 || s.HeightPx < 16 || s.WidthPx > 8192 || s.HeightPx > 8192 {
		return fmt.Errorf("picture of %d x %d pixels is outside 16 to 8192", s.WidthPx, s.HeightPx)
	}
	if !(s.BlurPx >= 0 && s.BlurPx <= 1000) {
		return fmt.Errorf("blur_px: %g is outside 0 to 1000", s.BlurPx)
	}
	seen := make([]bool, s.Board.Corners())
	for _, c := range s.Corners {
		switch {
		case c.ID < 0 || c.ID >= len(seen):
			return fmt.Errorf("corner %d is not on a %s", c.ID, &s.Board)
		case seen[c.ID]:
			return fmt.Errorf("corner %d is there twice", c.ID)
		case !(math.Abs(c.X) <= 2*float64(s.WidthPx) && math.Abs(c.Y) <= 2*float64(s.HeightPx)):
			return fmt.Errorf("corner %d at %g, %g is far outside the picture", c.ID, c.X, c.Y)
		}
		seen[c.ID] = true
	}
	if len(s.Corners) < 6 {
		return fmt.Errorf("has %d corners, at least 6 are needed", len(s.Corners))
	}
	return nil
}

// sampleSuffix ends the name of a sample's file.
const sampleSuffix = ".corners.json"

// Write keeps the sample in dir as NAME.corners.json, whole or not at all. An
// existing file is replaced: the same picture gives the same corners.
func (s *Sample) Write(dir string) error {
	b, err := s.encode()
	if err != nil {
		return err
	}
	path := filepath.Join(dir, s.File())
	if err := os.WriteFile(path+".part", b, 0o644); err != nil {
		return fmt.Errorf("intrinsics: sample: %w", err)
	}
	if err := os.Rename(path+".part", path); err != nil {
		return fmt.Errorf("intrinsics: sample: %w", err)
	}
	return nil
}

// File is the name of the sample's file.
func (s *Sample) File() string { return s.Name + sampleSuffix }

// SHA256 is the digest of the sample's file as Write makes it, in hex.
func (s *Sample) SHA256() (string, error) {
	b, err := s.encode()
	return digest(b), err
}

func (s *Sample) encode() ([]byte, error) {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("intrinsics: sample %s: %w", s.Name, err)
	}
	return append(b, '\n'), nil
}

// ReadSamples reads the sample files of dir, by name.
func ReadSamples(dir string) ([]Sample, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("intrinsics: samples: %w", err)
	}
	var all []Sample
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), sampleSuffix) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("intrinsics: samples: %w", err)
		}
		s, err := decodeSample(b)
		if err != nil {
			return nil, fmt.Errorf("intrinsics: %s: %w; delete or mend it", path, err)
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b Sample) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// decodeSample is strict: an unknown key or a second value is an error.
func decodeSample(b []byte) (Sample, error) {
	var s Sample
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return Sample{}, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return Sample{}, errors.New("holds more than one sample")
	}
	return s, s.Validate()
}
