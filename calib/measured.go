package calib

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"
)

// Kinds are the calibrations that a record can hold a Measurement of.
var Kinds = [...]string{"intrinsics", "extrinsics", "joints", "controller"}

// Measurement says how a part of the record came about.
type Measurement struct {
	// Date is when it was solved.
	Date time.Time `yaml:"date"`
	// Method says in words what was solved from what.
	Method string `yaml:"method"`
	// Software is the program's version with its commit.
	Software string `yaml:"software"`
	// Residuals are what the result does not explain, by a name that ends in its
	// unit; Limits are by the same names what they may be.
	Residuals map[string]float64 `yaml:"residuals"`
	Limits    map[string]float64 `yaml:"limits,omitempty"`
	// Forced says that a residual over its limit was saved all the same.
	Forced bool `yaml:"forced,omitempty"`
	// Deviations are standard deviations of what was solved for, by a name that
	// ends in its unit.
	Deviations map[string]float64 `yaml:"standard_deviations,omitempty"`
	// Inputs are the files that it was solved from.
	Inputs []Input `yaml:"inputs,omitempty"`
}

// Input is a file that a calibration was solved from.
type Input struct {
	Name   string `yaml:"name"`
	SHA256 string `yaml:"sha256"`
}

// OverLimit names each residual that is above its limit, sorted.
func (m *Measurement) OverLimit() []string {
	var over []string
	for _, k := range slices.Sorted(maps.Keys(m.Limits)) {
		v, known := m.Residuals[k]
		switch {
		case !known:
			over = append(over, fmt.Sprintf("%s has a limit of %.3g and no value", k, m.Limits[k]))
		case !(v <= m.Limits[k]):
			over = append(over, fmt.Sprintf("%s %.3g is over its limit of %.3g", k, v, m.Limits[k]))
		}
	}
	return over
}

// Warnings names each calibration that was saved by force: whatever is done with
// the record must say so.
func (r *Record) Warnings() []string {
	var all []string
	for _, kind := range Kinds {
		m, ok := r.Measured[kind]
		if !ok {
			continue
		}
		for _, over := range m.OverLimit() {
			all = append(all, fmt.Sprintf("%s of %s: %s, saved by force", kind, m.Date.Format(time.DateOnly), over))
		}
	}
	return all
}

func (r *Record) validateMeasured() error {
	for _, kind := range slices.Sorted(maps.Keys(r.Measured)) {
		if !slices.Contains(Kinds[:], kind) {
			return fmt.Errorf("measured: %q is none of %v", kind, Kinds)
		}
		m := r.Measured[kind]
		if err := m.validate(); err != nil {
			return fmt.Errorf("measured.%s.%w", kind, err)
		}
	}
	return nil
}

func (m *Measurement) validate() error {
	if m.Date.IsZero() {
		return fmt.Errorf("date: is missing")
	}
	for _, of := range []struct {
		key    string
		values map[string]float64
	}{{"residuals", m.Residuals}, {"limits", m.Limits}, {"standard_deviations", m.Deviations}} {
		for _, k := range slices.Sorted(maps.Keys(of.values)) {
			if v := of.values[k]; !(v >= 0 && v <= math.MaxFloat64) {
				return fmt.Errorf("%s.%s: %v is not a finite number of at least 0", of.key, k, v)
			}
		}
	}
	if over := m.OverLimit(); len(over) > 0 && !m.Forced {
		return fmt.Errorf("residuals: %s; calibrate again, or force it", over[0])
	}
	return nil
}
