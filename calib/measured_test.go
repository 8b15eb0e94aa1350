package calib

import (
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func measured() *Record {
	r := Nominal()
	r.Measured = map[string]Measurement{"intrinsics": {
		Date: time.Date(2026, 12, 1, 15, 30, 12, 0, time.UTC), Method: "13 views", Software: "v1+abc",
		Residuals:  map[string]float64{"mean_reprojection_px": 0.16, "held_out_mean_px": 0.17},
		Limits:     map[string]float64{"mean_reprojection_px": 0.5},
		Deviations: map[string]float64{"fx_px": 0.4},
		Inputs:     []Input{{Name: "left01.jpg", SHA256: "00ff"}},
	}}
	return r
}

func TestMeasurementRoundTrips(t *testing.T) {
	r := measured()
	path := filepath.Join(t.TempDir(), "rig.yaml")
	require.NoError(t, r.Save(path))
	got, err := Load(path)
	require.NoError(t, err)
	require.Equal(t, r, got)
	require.Empty(t, got.Warnings())
}

func TestOverTheLimitIsSavedByForceOnly(t *testing.T) {
	r := measured()
	m := r.Measured["intrinsics"]
	m.Residuals["mean_reprojection_px"] = 0.8
	path := filepath.Join(t.TempDir(), "rig.yaml")
	require.ErrorContains(t, r.Save(path), "measured.intrinsics.residuals: mean_reprojection_px 0.8 is over its limit of 0.5")
	require.NoFileExists(t, path)

	m.Forced = true
	r.Measured["intrinsics"] = m
	require.NoError(t, r.Save(path))
	got, err := Load(path)
	require.NoError(t, err)
	require.Equal(t, []string{"intrinsics of 2026-12-01: mean_reprojection_px 0.8 is over its limit of 0.5, saved by force"}, got.Warnings())
}

func TestMeasurementIsValidated(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*Record, *Measurement)
		want  string
	}{
		{"kind", func(r *Record, m *Measurement) { r.Measured["lens"] = *m }, `measured: "lens" is none of`},
		{"date", func(_ *Record, m *Measurement) { m.Date = time.Time{} }, "measured.intrinsics.date: is missing"},
		{"residual", func(_ *Record, m *Measurement) { m.Residuals["a_px"] = math.NaN() }, "measured.intrinsics.residuals.a_px: NaN"},
		{"deviation", func(_ *Record, m *Measurement) { m.Deviations["fx_px"] = -1 }, "measured.intrinsics.standard_deviations.fx_px: -1"},
		{"limit of nothing", func(_ *Record, m *Measurement) { m.Residuals = nil }, "mean_reprojection_px has a limit of 0.5 and no value"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := measured()
			m := r.Measured["intrinsics"]
			c.spoil(r, &m)
			r.Measured["intrinsics"] = m
			require.ErrorContains(t, r.Validate(), c.want)
		})
	}
}
