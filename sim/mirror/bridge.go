package mirror

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"twinrig"
)

// BridgeSegment is a stretch of recorded motion as the Bridge data set stores
// it, raw: what the numbers mean is policy's to say. Each state and action has
// seven: position (m), Euler angles (rad), gripper. Action[t] was sent when
// State[t] was measured.
type BridgeSegment struct {
	ID          string           `json:"id"`
	Instruction string           `json:"instruction"`
	Hz          float64          `json:"hz"`
	State       []twinrig.Action `json:"state"`
	Action      []twinrig.Action `json:"action"`
}

// ReadBridge reads a file of one JSON segment a line. It is strict: an unknown
// key, a vector that has not seven numbers, or states and actions that do not
// pair up are errors that name file and line.
func ReadBridge(path string) ([]BridgeSegment, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("mirror: %w", err)
	}
	defer f.Close()
	var segments []BridgeSegment
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		s, err := parseBridge(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("mirror: %s: line %d: %w", path, n, err)
		}
		segments = append(segments, s)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("mirror: %s: %w", path, err)
	}
	if len(segments) == 0 {
		return nil, fmt.Errorf("mirror: %s: no segment", path)
	}
	return segments, nil
}

func parseBridge(line []byte) (BridgeSegment, error) {
	// encoding/json fits short and long arrays into a fixed one, so the
	// vectors are read as slices first.
	var raw struct {
		ID          string      `json:"id"`
		Instruction string      `json:"instruction"`
		Hz          float64     `json:"hz"`
		State       [][]float64 `json:"state"`
		Action      [][]float64 `json:"action"`
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&raw); err != nil {
		return BridgeSegment{}, err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return BridgeSegment{}, errors.New("more than one value")
	}
	if raw.ID == "" {
		return BridgeSegment{}, errors.New("id: missing")
	}
	s := BridgeSegment{ID: raw.ID, Instruction: raw.Instruction, Hz: raw.Hz}
	if !(s.Hz > 0 && s.Hz <= 1000) {
		return s, fmt.Errorf("hz: %g is outside 0 to 1000", s.Hz)
	}
	if len(raw.State) != len(raw.Action) || len(raw.State) < 2 {
		return s, fmt.Errorf("%d states and %d actions: must be equally many, at least 2", len(raw.State), len(raw.Action))
	}
	var err error
	if s.State, err = vectors("state", raw.State); err != nil {
		return s, err
	}
	s.Action, err = vectors("action", raw.Action)
	return s, err
}

func vectors(key string, rows [][]float64) ([]twinrig.Action, error) {
	out := make([]twinrig.Action, len(rows))
	for i, row := range rows {
		if len(row) != len(out[i]) {
			return nil, fmt.Errorf("%s[%d]: %d numbers, must be %d", key, i, len(row), len(out[i]))
		}
		copy(out[i][:], row)
		for k := range 6 {
			if math.Abs(row[k]) > 10 {
				return nil, fmt.Errorf("%s[%d][%d]: %g is no position in m nor angle in rad", key, i, k, row[k])
			}
		}
	}
	return out, nil
}
