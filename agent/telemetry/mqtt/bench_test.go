package mqtt_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/agent/telemetry/mqtt"
)

// BenchmarkPut is what telemetry costs the control loop: reports of a 500 Hz
// loop with nine servos, while messages go out to a broker. One in 25 makes a
// message of all since the last, which is what p99 is about; it includes two
// readings of the clock.
func BenchmarkPut(b *testing.B) {
	broker, err := mqtt.OpenBroker(0)
	require.NoError(b, err)
	defer broker.Close()
	cfg := mqtt.DefaultConfig()
	cfg.Broker = broker.URL()
	p, err := mqtt.Open(cfg, "bench", func(err error) { b.Error(err) })
	require.NoError(b, err)
	defer p.Close()
	var r twinrig.Report
	r.State.NumServos = 9
	took := make([]time.Duration, 0, 1<<22)
	b.ReportAllocs()
	for b.Loop() {
		r.Now += 2 * time.Millisecond
		r.State.Stamp = r.Now
		began := time.Now()
		p.Put(&r)
		if d := time.Since(began); len(took) < cap(took) {
			took = append(took, d)
		}
		for p.Streams()[0].Waiting > 4 {
			time.Sleep(time.Millisecond) // a rig's clock is not as fast
		}
	}
	require.Zero(b, p.Streams()[0].Dropped)
	slices.Sort(took)
	for name, share := range map[string]int{"p50-ns": 50, "p99-ns": 99} {
		b.ReportMetric(float64(took[len(took)*share/100].Nanoseconds()), name)
	}
}
