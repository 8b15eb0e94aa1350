package extrinsics

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"twinrig"
	"twinrig/calib/intrinsics"
)

// sampleVersion is the format of sample files.
const sampleVersion = 1

// Where a board was when a sample was taken.
const (
	InHand  = "hand"
	OnTable = "table"
)

// Sample is a picture's corners with the joints at its exposure.
type Sample struct {
	Version int `json:"version"`
	// Where the board was: InHand or OnTable.
	Where string `json:"where"`
	// Joints are the measured ones in rad, in the mean over the time about the
	// exposure; Spread is how far any of them was off that mean meanwhile.
	Joints twinrig.Joints `json:"joints_rad"`
	Spread float64        `json:"spread_rad"`
	// Grip is how far the gripper was open.
	Grip twinrig.Grip `json:"grip"`
	// View is what the camera saw. Views are in the order of their names.
	View intrinsics.Sample `json:"view"`
}

// NewSample is a sample of this version.
func NewSample(where string, joints twinrig.Joints, spread float64, grip twinrig.Grip, view intrinsics.Sample) Sample {
	return Sample{Version: sampleVersion, Where: where, Joints: joints, Spread: spread, Grip: grip, View: view}
}

// Validate names what makes the sample unusable.
func (s *Sample) Validate() error {
	switch {
	case s.Version != sampleVersion:
		return fmt.Errorf("version: %d is not %d, the one this program reads", s.Version, sampleVersion)
	case s.Where != InHand && s.Where != OnTable:
		return fmt.Errorf("where: %q is neither %q nor %q", s.Where, InHand, OnTable)
	case !(s.Spread >= 0 && s.Spread <= 10):
		return fmt.Errorf("spread_rad: %g is outside 0 to 10", s.Spread)
	case !(s.Grip >= -0.5 && s.Grip <= 1.5):
		return fmt.Errorf("grip: %g is outside -0.5 to 1.5", float64(s.Grip))
	case !s.Joints.Finite() || s.Joints.MaxAbs() > 7:
		return fmt.Errorf("joints_rad: %v are not within a turn", s.Joints)
	}
	return s.View.Validate()
}

// sampleSuffix ends the name of a sample's file.
const sampleSuffix = ".pose.json"

// File is the name of the sample's file.
func (s *Sample) File() string { return s.View.Name + sampleSuffix }

// SHA256 is the digest of the sample's file as Write makes it, in hex.
func (s *Sample) SHA256() (string, error) {
	b, err := s.encode()
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), err
}

func (s *Sample) encode() ([]byte, error) {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("extrinsics: sample %s: %w", s.View.Name, err)
	}
	return append(b, '\n'), nil
}

// Write keeps the sample in dir, whole or not at all.
func (s *Sample) Write(dir string) error {
	b, err := s.encode()
	if err != nil {
		return err
	}
	path := filepath.Join(dir, s.File())
	if err := os.WriteFile(path+".part", b, 0o644); err != nil {
		return fmt.Errorf("extrinsics: sample: %w", err)
	}
	if err := os.Rename(path+".part", path); err != nil {
		return fmt.Errorf("extrinsics: sample: %w", err)
	}
	return nil
}

// ReadSamples reads the sample files of dir in the order of their names, which is
// that in which they were taken.
func ReadSamples(dir string) ([]Sample, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("extrinsics: samples: %w", err)
	}
	var all []Sample
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), sampleSuffix) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		b, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("extrinsics: samples: %w", err)
		}
		s, err := decodeSample(b)
		if err != nil {
			return nil, fmt.Errorf("extrinsics: %s: %w; delete or mend it", path, err)
		}
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b Sample) int { return strings.Compare(a.View.Name, b.View.Name) })
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
