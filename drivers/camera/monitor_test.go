package camera

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMonitor(t *testing.T) {
	const ms = time.Millisecond
	type picture struct {
		stamp time.Duration
		hash  uint32
	}
	for _, tc := range []struct {
		name     string
		pictures []picture
		seq      uint64
		dropped  uint64
		frozen   bool
		rate     float64
	}{
		{"first", []picture{{500 * ms, 1}}, 1, 0, false, 0},
		{"steady", []picture{{0, 1}, {100 * ms, 2}, {200 * ms, 3}}, 3, 0, false, 10},
		{"late is not dropped", []picture{{0, 1}, {145 * ms, 2}, {200 * ms, 3}}, 3, 0, false, 10},
		{"one dropped", []picture{{0, 1}, {200 * ms, 2}, {300 * ms, 3}}, 4, 1, false, 20.0 / 3},
		{"five dropped", []picture{{0, 1}, {610 * ms, 2}}, 7, 5, false, 1 / 0.61},
		{"burst", []picture{{0, 1}, {0, 2}, {0, 3}}, 3, 0, false, 0},
		{"almost frozen", []picture{{0, 7}, {100 * ms, 7}}, 2, 0, false, 10},
		{"frozen", []picture{{0, 7}, {100 * ms, 7}, {200 * ms, 7}}, 3, 0, true, 10},
		{"thawed", []picture{{0, 7}, {100 * ms, 7}, {200 * ms, 7}, {300 * ms, 8}}, 4, 0, false, 10},
		{"frozen at hash zero", []picture{{0, 0}, {100 * ms, 0}, {200 * ms, 0}}, 3, 0, true, 10},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := monitor{rate: 10, frozenAfter: 3}
			var seq uint64
			for _, p := range tc.pictures {
				seq = m.observe(p.stamp, p.hash)
			}
			require.Equal(t, tc.seq, seq)
			require.Equal(t, tc.dropped, m.dropped)
			require.Equal(t, tc.frozen, m.frozen())
			require.InDelta(t, tc.rate, m.measured(), 1e-9)
		})
	}
}

func TestMonitorRateForgets(t *testing.T) {
	m := monitor{rate: 100}
	stamp := time.Duration(0)
	for i := range 200 {
		period := 10 * time.Millisecond
		if i >= 100 {
			period = 20 * time.Millisecond
		}
		stamp += period
		m.observe(stamp, 0)
	}
	require.InDelta(t, 50, m.measured(), 1e-9)
	require.False(t, m.frozen(), "0 never says frozen")
}
