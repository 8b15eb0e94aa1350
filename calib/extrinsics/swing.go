package extrinsics

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"twinrig"
	"twinrig/calib/target"
)

// Swing is a board in the hand that swings before the camera: the joints as they
// were read, and the corners as they were seen. Times are in s on one clock.
type Swing struct {
	Version  int          `json:"version"`
	Board    target.Board `json:"board"`
	HeightPx int          `json:"height_px"`
	Track    []Reading    `json:"track"`
	Frames   []SwingFrame `json:"frames"`
}

// Reading is one of all joints, rad.
type Reading struct {
	At     float64        `json:"at_s"`
	Joints twinrig.Joints `json:"joints_rad"`
}

// SwingFrame is what was seen in a frame of that stamp.
type SwingFrame struct {
	At      float64         `json:"stamp_s"`
	Corners []target.Corner `json:"corners"`
}

// SwingFile is the name of a swing's file among the samples.
const SwingFile = "swing.json"

// Write keeps the swing in dir, whole or not at all.
func (s *Swing) Write(dir string) error {
	s.Version = sampleVersion
	b, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("extrinsics: swing: %w", err)
	}
	path := filepath.Join(dir, SwingFile)
	if err := os.WriteFile(path+".part", append(b, '\n'), 0o644); err != nil {
		return fmt.Errorf("extrinsics: swing: %w", err)
	}
	if err := os.Rename(path+".part", path); err != nil {
		return fmt.Errorf("extrinsics: swing: %w", err)
	}
	return nil
}

// ReadSwing reads the swing among the samples in dir. Where there is none the
// error is os.ErrNotExist.
func ReadSwing(dir string) (*Swing, error) {
	path := filepath.Join(dir, SwingFile)
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("extrinsics: swing: %w", err)
	}
	var s Swing
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return nil, fmt.Errorf("extrinsics: %s: %w; delete or mend it", path, err)
	}
	if err := s.validate(); err != nil {
		return nil, fmt.Errorf("extrinsics: %s: %w; delete or mend it", path, err)
	}
	return &s, nil
}

func (s *Swing) validate() error {
	if s.Version != sampleVersion {
		return fmt.Errorf("version: %d is not %d, the one this program reads", s.Version, sampleVersion)
	}
	if err := s.Board.Validate(); err != nil {
		return err
	}
	if s.HeightPx < 16 || s.HeightPx > 8192 {
		return fmt.Errorf("height_px: %d is outside 16 to 8192", s.HeightPx)
	}
	for i := range s.Frames {
		for _, c := range s.Frames[i].Corners {
			if c.ID < 0 || c.ID >= s.Board.Corners() {
				return fmt.Errorf("frame %d: corner %d is not on a %s", i, c.ID, &s.Board)
			}
		}
	}
	return nil
}
