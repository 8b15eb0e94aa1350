package calib

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Version is the version of the file format that this package reads and writes.
const Version = 1

// Record is everything that was measured on one rig. It is read-only once
// loaded.
type Record struct {
	// Version is the format, see the constant.
	Version int `yaml:"version"`
	// Date is the day of the newest measurement, as in 2026-12-01; "nominal"
	// for a record that no measurement made.
	Date string `yaml:"date"`
	// Source says in words where the numbers come from.
	Source string `yaml:"source"`
	// Residuals are what each calibration could not explain, by a name that
	// ends in its unit (intrinsics_rms_px, extrinsics_rms_m, joints_rms_rad).
	Residuals map[string]float64 `yaml:"residuals,omitempty"`
	// Measured says by kind (see Kinds) how the parts that were measured came
	// about. What it does not name is as shipped, or of an older program.
	Measured map[string]Measurement `yaml:"measured,omitempty"`
	Arm      Arm                    `yaml:"arm"`
	Camera   Camera                 `yaml:"camera"`
}

// Validate checks every number against what a WidowX 250S and a webcam can be.
// The error names the key and the limit.
func (r *Record) Validate() error {
	if r.Version != Version {
		return fmt.Errorf("version: %d is not %d, the one this program reads", r.Version, Version)
	}
	if r.Date == "" {
		return fmt.Errorf("date: is empty; write a day as in 2026-12-01, or nominal")
	}
	for _, k := range slices.Sorted(maps.Keys(r.Residuals)) {
		if v := r.Residuals[k]; !(v >= 0 && v <= math.MaxFloat64) {
			return fmt.Errorf("residuals.%s: %v is not a finite number of at least 0", k, v)
		}
	}
	if err := r.validateMeasured(); err != nil {
		return err
	}
	if err := r.Arm.Validate(); err != nil {
		return fmt.Errorf("arm.%w", err)
	}
	if err := r.Camera.Validate(); err != nil {
		return fmt.Errorf("camera.%w", err)
	}
	return nil
}

// Digest identifies the record in the logs of what was done with it: the first
// 16 hex digits of the SHA-256 of its yaml.
func (r *Record) Digest() (string, error) {
	b, err := r.encode()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8]), nil
}

func (r *Record) encode() ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(r); err != nil {
		return nil, fmt.Errorf("calib: encode: %w", err)
	}
	return b.Bytes(), nil
}

// decode reads one yaml document strictly: a key that is unknown, twice there
// or missing, and a second document, are errors.
func decode(b []byte) (*Record, error) {
	d := yaml.NewDecoder(bytes.NewReader(b))
	d.KnownFields(true)
	r := new(Record)
	if err := d.Decode(r); err != nil {
		return nil, err
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("holds more than one yaml document")
	}
	return r, r.Validate()
}

// inRange is the one check of a number: NaN is outside every range.
func inRange(key string, v, lo, hi float64) error {
	if v >= lo && v <= hi {
		return nil
	}
	return fmt.Errorf("%s: %v is outside %v to %v", key, v, lo, hi)
}
