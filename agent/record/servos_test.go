package record_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/agent/record"
)

// Servos are recorded once a second, and at once when an alarm comes or goes.
func TestServos(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trial.mcap")
	w, err := record.Create(path, header, synchronous())
	require.NoError(t, err)
	var r twinrig.Report
	r.State.NumServos = 2
	for i := range 250 { // at 100 Hz
		r.Now = time.Duration(i) * 10 * time.Millisecond
		r.State.Stamp = r.Now
		for k := range 2 {
			r.State.Servos[k] = twinrig.ServoHealth{Stamp: r.Now, ID: uint8(k + 4), Axis: twinrig.Elbow, Missed: uint64(i)}
		}
		if i >= 150 && i < 160 {
			r.State.Servos[1].HardwareError = 0x20
		}
		w.Put(&r)
	}
	require.NoError(t, w.Close())
	var got []twinrig.ServoHealth
	info, err := record.Read(path, record.Visitor{Servo: func(h *twinrig.ServoHealth) error {
		got = append(got, *h)
		return nil
	}})
	require.NoError(t, err)
	var ticks []uint64
	for i := 0; i < len(got); i += 2 {
		require.EqualValues(t, 4, got[i].ID)
		require.EqualValues(t, 5, got[i+1].ID)
		ticks = append(ticks, got[i].Missed)
	}
	require.Equal(t, []uint64{0, 100, 150, 160}, ticks)
	require.EqualValues(t, 0x20, got[5].HardwareError)
	require.EqualValues(t, 8, info.Read.Servos)
	require.EqualValues(t, 8, info.Summary.Servos)
}
