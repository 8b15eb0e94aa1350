package mqtt_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
)

// Each servo has a topic of its own, with its newest health once a second of the
// rig's time.
func TestServos(t *testing.T) {
	b := broker(t, 0)
	got := listen(t, b.URL(), "twinrig/bench/servo/#")
	p, _ := open(t, config(b.URL()))
	for at := range time.Duration(3) {
		var r twinrig.Report
		r.State.Stamp = time.Second * (at + 1)
		r.State.NumServos = 2
		for k := range 2 {
			r.State.Servos[k] = twinrig.ServoHealth{Stamp: r.State.Stamp, ID: uint8(4 + 5*k), Axis: k, TemperatureC: 30 + float64(at)}
		}
		p.Put(&r)
		for k := range 2 {
			m := <-got
			require.Equal(t, []string{"twinrig/bench/servo/4", "twinrig/bench/servo/9"}[k], m.topic)
			var h twinrig.ServoHealth
			require.NoError(t, json.Unmarshal([]byte(m.payload), &h))
			require.Equal(t, r.State.Servos[k], h)
		}
		r.State.Stamp += 900 * time.Millisecond // too soon: nothing comes
		p.Put(&r)
	}
	require.Empty(t, got)
}
