package dynamixel_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
)

// TestWireBudget holds the budget against the cycles of a nine servo arm: bytes
// as counted by hand, 10 bits each.
func TestWireBudget(t *testing.T) {
	const state, current, position = 10, 2, 4 // bytes of a servo's block
	for _, tc := range []struct {
		name             string
		fast             bool
		writes           []int // block length of each sync write to all nine
		bytes            int
		hz1, hz1l        float64 // at 1 Mbit/s; with 1 ms latency
		hz4, hz4l        float64 // at 4 Mbit/s
		gap50us, gap50u4 float64 // with 50 us reply gap at 1 and 4 Mbit/s; 0 is not known
	}{
		{"sync read + current", false, []int{current}, 253, 395.3, 283.3, 1581.0, 612.6, 0, 0},
		{"sync read + position", false, []int{position}, 271, 369.0, 269.5, 1476.0, 596.1, 316.5, 886.9},
		{"sync read + both", false, []int{current, position}, 312, 320.5, 242.7, 1282.1, 561.8, 0, 0},
		{"fast read + current", true, []int{current}, 198, 505.1, 335.6, 2020.2, 668.9, 0, 0},
		{"fast read + position", true, []int{position}, 216, 463.0, 316.5, 1851.9, 649.4, 0, 0},
		{"fast read + both", true, []int{current, position}, 257, 389.1, 280.1, 1556.4, 608.8, 0, 0},
	} {
		cycle := func(w dynamixel.Wire) time.Duration {
			d := w.SyncRead(9, state)
			if tc.fast {
				d = w.FastSyncRead(9, state)
			}
			for _, n := range tc.writes {
				d += w.SyncWrite(9, n)
			}
			return d
		}
		hz := func(w dynamixel.Wire) float64 { return float64(time.Second) / float64(cycle(w)) }
		const mega = 1_000_000
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, time.Duration(tc.bytes)*10*time.Microsecond, cycle(dynamixel.Wire{Baud: mega}))
			require.InDelta(t, tc.hz1, hz(dynamixel.Wire{Baud: mega}), 0.05)
			require.InDelta(t, tc.hz1l, hz(dynamixel.Wire{Baud: mega, Latency: time.Millisecond}), 0.05)
			require.InDelta(t, tc.hz4, hz(dynamixel.Wire{Baud: 4 * mega}), 0.05)
			require.InDelta(t, tc.hz4l, hz(dynamixel.Wire{Baud: 4 * mega, Latency: time.Millisecond}), 0.05)
			if tc.gap50us > 0 {
				gap := 50 * time.Microsecond
				require.InDelta(t, tc.gap50us, hz(dynamixel.Wire{Baud: mega, ReplyGap: gap}), 0.05)
				require.InDelta(t, tc.gap50u4, hz(dynamixel.Wire{Baud: 4 * mega, ReplyGap: gap}), 0.05)
			}
		})
	}
}

func TestWireOtherRates(t *testing.T) {
	for _, tc := range []struct {
		baud int
		hz   float64
	}{{57600, 21.3}, {2_000_000, 738.0}, {3_000_000, 1107.0}} {
		w := dynamixel.Wire{Baud: tc.baud}
		require.InDelta(t, tc.hz, float64(time.Second)/float64(w.SyncRead(9, 10)+w.SyncWrite(9, 4)), 0.05)
	}
	// The default return delay of nine servos.
	for baud, hz := range map[int]float64{1_000_000: 138.7, 4_000_000: 193.1} {
		w := dynamixel.Wire{Baud: baud, ReplyGap: 500 * time.Microsecond}
		require.InDelta(t, hz, float64(time.Second)/float64(w.SyncRead(9, 10)+w.SyncWrite(9, 4)), 0.05)
	}
	w := dynamixel.Wire{Baud: 1_000_000, ReplyGap: 20 * time.Microsecond, Latency: time.Millisecond}
	require.Equal(t, 290*time.Microsecond+1020*time.Microsecond, w.Read(4))
	require.Equal(t, 270*time.Microsecond+1020*time.Microsecond, w.Write(4))
}
