package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"twinrig/calib"
	"twinrig/calib/page"
)

// saving is a calibration on its way into its folder.
type saving struct {
	dir string
	// kind is one of calib.Kinds, what says in words what it measures.
	kind, what string
	now        time.Time
}

// record writes rec, with what was measured in it already, and m as how. A
// measurement over its limit is one by force. It returns the file.
func (s *saving) record(rec *calib.Record, m *calib.Measurement, residuals map[string]float64) (string, error) {
	m.Forced = len(m.OverLimit()) > 0
	if rec.Measured == nil {
		rec.Measured = map[string]calib.Measurement{}
	}
	if rec.Residuals == nil {
		rec.Residuals = map[string]float64{}
	}
	if rec.Date == calib.Nominal().Date {
		rec.Source = s.what + " was measured, see measured; all else: " + rec.Source
	}
	rec.Date = s.now.Format(time.DateOnly)
	for name, v := range residuals {
		rec.Residuals[name] = v
	}
	rec.Measured[s.kind] = *m
	if err := os.MkdirAll(s.dir, 0o755); err != nil {
		return "", fmt.Errorf("calib %s: %w", s.kind, err)
	}
	path := filepath.Join(s.dir, recordFile)
	return path, rec.Save(path)
}

// writePage writes a calibration's page, and its folder if need be.
func writePage(path string, pg *page.Page) error {
	var b bytes.Buffer
	if err := pg.HTML(&b); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("calib: %w", err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("calib: %w", err)
	}
	return nil
}
