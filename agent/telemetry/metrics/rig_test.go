package metrics_test

import (
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/agent/telemetry/metrics"
)

func scrape(t *testing.T, r *metrics.Rig) string {
	t.Helper()
	h, err := r.Handler()
	require.NoError(t, err)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	require.Equal(t, http.StatusOK, w.Code)
	return w.Body.String()
}

func full() *metrics.Rig {
	loop := metrics.NewLoop()
	for _, late := range []time.Duration{0, 15 * time.Microsecond, 3 * time.Millisecond, time.Second} {
		loop.Put(&twinrig.Report{Late: late})
	}
	return &metrics.Rig{
		Name: "bench", Loop: loop,
		Newest: func(r *twinrig.Report) {
			r.Tick, r.Misses = 41, 3
			r.State.NumServos = 2
			r.State.Servos[0] = twinrig.ServoHealth{
				ID: 2, Axis: 1, TorqueOn: true, TemperatureC: 41, VoltageV: 11.9, CurrentA: -0.25, Load: math.NaN(),
				Missed: 5, Retries: 6,
			}
			r.State.Servos[1] = twinrig.ServoHealth{
				ID: 9, Axis: 6, Silent: true, HardwareError: 0x20, TemperatureC: math.NaN(), VoltageV: math.NaN(),
				CurrentA: math.NaN(), Load: 0.5,
			}
		},
		Interventions: func() map[string]uint64 { return map[string]uint64{"clipped_effort": 7} },
		Faulty:        func() bool { return true },
		Transactions:  func() uint64 { return 1000 },
		BusErrors:     func() map[string]uint64 { return map[string]uint64{"timeout": 8, "checksum": 9} },
		Streams: func() []metrics.Stream {
			return []metrics.Stream{{Name: "state", Published: 10, Dropped: 11, Waiting: 2}}
		},
		Connected: func() bool { return true },
		Study:     func() (metrics.Study, bool) { return metrics.Study{Name: "week12", Done: 12, Total: 120}, true },
	}
}

// Every number is where it belongs, and what is no number is not there.
func TestScrape(t *testing.T) {
	got := scrape(t, full())
	for _, want := range []string{
		`twinrig_loop_lateness_seconds_bucket{rig="bench",le="1e-05"} 1`,
		`twinrig_loop_lateness_seconds_bucket{rig="bench",le="2e-05"} 2`,
		`twinrig_loop_lateness_seconds_bucket{rig="bench",le="0.1"} 3`,
		`twinrig_loop_lateness_seconds_bucket{rig="bench",le="+Inf"} 4`,
		`twinrig_loop_ticks_total{rig="bench"} 42`,
		`twinrig_loop_misses_total{rig="bench"} 3`,
		`twinrig_fault{rig="bench"} 1`,
		`twinrig_guard_interventions_total{reason="clipped_effort",rig="bench"} 7`,
		`twinrig_bus_transactions_total{rig="bench"} 1000`,
		`twinrig_bus_errors_total{kind="timeout",rig="bench"} 8`,
		`twinrig_bus_errors_total{kind="checksum",rig="bench"} 9`,
		`twinrig_servo_temperature_celsius{axis="shoulder",id="2",rig="bench",shadow="false"} 41`,
		`twinrig_servo_voltage_volts{axis="shoulder",id="2",rig="bench",shadow="false"} 11.9`,
		`twinrig_servo_current_amperes{axis="shoulder",id="2",rig="bench",shadow="false"} -0.25`,
		`twinrig_servo_load_ratio{axis="gripper",id="9",rig="bench",shadow="false"} 0.5`,
		`twinrig_servo_hardware_error{axis="gripper",id="9",rig="bench",shadow="false"} 32`,
		`twinrig_servo_torque_on{axis="shoulder",id="2",rig="bench",shadow="false"} 1`,
		`twinrig_servo_torque_on{axis="gripper",id="9",rig="bench",shadow="false"} 0`,
		`twinrig_servo_silent{axis="gripper",id="9",rig="bench",shadow="false"} 1`,
		`twinrig_servo_missed_total{axis="shoulder",id="2",rig="bench",shadow="false"} 5`,
		`twinrig_servo_retries_total{axis="shoulder",id="2",rig="bench",shadow="false"} 6`,
		`twinrig_telemetry_messages_total{rig="bench",stream="state"} 10`,
		`twinrig_telemetry_dropped_total{rig="bench",stream="state"} 11`,
		`twinrig_telemetry_waiting{rig="bench",stream="state"} 2`,
		`twinrig_telemetry_connected{rig="bench"} 1`,
		`twinrig_study_trials_done{rig="bench",study="week12"} 12`,
		`twinrig_study_trials_wanted{rig="bench",study="week12"} 120`,
		"go_goroutines ", "process_resident_memory_bytes ",
	} {
		require.Contains(t, got, want)
	}
	require.NotContains(t, got, "NaN")
	require.NotContains(t, got, `twinrig_servo_temperature_celsius{axis="gripper"`)
	problems, err := promlint.New(strings.NewReader(got)).Lint()
	require.NoError(t, err)
	require.Empty(t, problems)
}

// A rig that knows nothing but its name has no metrics of its own.
func TestNothing(t *testing.T) {
	require.NotContains(t, scrape(t, &metrics.Rig{Name: "bench"}), "twinrig_")
}

func TestPutAllocatesNothing(t *testing.T) {
	loop := metrics.NewLoop()
	r := twinrig.Report{Late: 30 * time.Microsecond}
	require.Zero(t, testing.AllocsPerRun(1000, func() { loop.Put(&r) }))
}

// BenchmarkPut is what metrics cost the control loop.
func BenchmarkPut(b *testing.B) {
	loop := metrics.NewLoop()
	r := twinrig.Report{Late: 30 * time.Microsecond}
	for b.Loop() {
		loop.Put(&r)
	}
}
