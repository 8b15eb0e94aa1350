package servotest_test

import (
	"bytes"
	"crypto/sha256"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
)

// session moves three servos about over a noisy wire for two seconds and records
// the traffic.
func session(t *testing.T, seed uint64) []servotest.Exchange {
	t.Helper()
	b := newBench(t, func(s *setup) { s.params.CommandDelay = 4 * time.Millisecond })
	rec := &servotest.Record{Port: b.pipe}
	require.NoError(t, drive(rec, func() { b.wait(3 * time.Millisecond) }, func() {
		b.chain.SetNoise(servotest.Noise{Flip: 0.001, Drop: 0.001, Instruction: 0.001, Seed: seed})
	}))
	return rec.Log
}

// drive is the host's side of session; it is the same on any port.
func drive(p dynamixel.Port, wait, ready func()) error {
	bus := dynamixel.NewBus(p, dynamixel.Default())
	rs := make([]dynamixel.Reading, 3)
	items := make([]dynamixel.Item, 3)
	for i := range rs {
		id := dynamixel.ID(i + 1)
		rs[i] = dynamixel.Reading{ID: id, Data: make([]byte, 10)}
		items[i] = dynamixel.Item{ID: id, Data: make([]byte, 4)}
		if err := bus.Write(id, dynamixel.TorqueEnable, 1); err != nil {
			return err
		}
	}
	ready()
	for k := range int32(400) {
		if err := bus.SyncRead(dynamixel.Block{Addr: 126, Len: 10}, rs); err != nil {
			return err
		}
		for i := range items {
			dynamixel.GoalPosition.Put(items[i].Data, 2048+(k%100)*int32(i+1))
		}
		if err := bus.SyncWrite(dynamixel.GoalPosition.Block(), items); err != nil {
			return err
		}
		wait()
	}
	return nil
}

// TestSameSeedSameBytes: a chain is deterministic.
func TestSameSeedSameBytes(t *testing.T) {
	sum := func(seed uint64) [32]byte {
		var text bytes.Buffer
		require.NoError(t, servotest.WriteLog(&text, session(t, seed)))
		return sha256.Sum256(text.Bytes())
	}
	first := sum(1)
	require.Equal(t, first, sum(1))
	require.NotEqual(t, first, sum(2))
}

// TestPlayback: recorded traffic, through its text form, answers the same host.
func TestPlayback(t *testing.T) {
	log := session(t, 3)
	var text bytes.Buffer
	require.NoError(t, servotest.WriteLog(&text, log))
	text.WriteString("\n# the end\n")
	again, err := servotest.ReadLog(&text)
	require.NoError(t, err)
	require.Equal(t, log, again)

	p := &servotest.Playback{Log: again}
	nothing := func() {}
	require.NoError(t, drive(p, nothing, nothing))
	require.NoError(t, p.Close())

	// Something else is noticed: other bytes, too few, too many.
	p = &servotest.Playback{Log: again}
	require.ErrorContains(t, dynamixel.NewBus(p, dynamixel.Default()).Write(1, dynamixel.LED, 1), "exchange 0: wrote FF FF FD 00 01")
	require.ErrorContains(t, p.Close(), "exchanges were not asked for")
	p = &servotest.Playback{Log: again[:10]}
	require.ErrorContains(t, drive(p, nothing, nothing), "after the end")
	p = &servotest.Playback{Log: again[:1]}
	_, err = p.Write(again[0].Wrote)
	require.NoError(t, err)
	require.ErrorContains(t, p.Close(), "bytes of the last answer were not read")
}

func TestReadLogErrors(t *testing.T) {
	for text, want := range map[string]string{
		"> FF 0":        "line 1",
		"< FF":          "line 1: begins with neither",
		"> FF\n\n* 00":  "line 3: begins with neither",
		"# fine\n> zz ": "line 2",
	} {
		_, err := servotest.ReadLog(bytes.NewReader([]byte(text)))
		require.ErrorContains(t, err, want)
	}
}

// TestClock never goes back.
func TestClock(t *testing.T) {
	var c servotest.Clock
	c.AdvanceTo(5)
	c.AdvanceTo(3)
	require.Equal(t, time.Duration(5), c.Now())
}

func TestConfigKeys(t *testing.T) {
	for key, spoil := range map[string]func(*servotest.Config){
		"baud":      func(c *servotest.Config) { c.Baud = 12345 },
		"reply_gap": func(c *servotest.Config) { c.ReplyGap = -1 },
		"latency":   func(c *servotest.Config) { c.Latency = time.Second },
		"step":      func(c *servotest.Config) { c.Step = 0 },
	} {
		cfg := servotest.Default()
		spoil(&cfg)
		require.ErrorContains(t, cfg.Validate(), key+": ")
	}
}

func TestFlywheel(t *testing.T) {
	f := servotest.Flywheels{
		{Inertia: 0.1, Friction: 0.5},              // stuck
		{Inertia: 0.1, Speed: 1, Friction: 0.5},    // stops after 0.1 rad
		{Inertia: 0.1, Load: -1, Low: -1, High: 1}, // falls onto its stop
		{Inertia: 0.1},
	}
	for range 1000 {
		f.Advance(time.Millisecond, []float64{0.4, 0, 0, 0.2})
	}
	require.Zero(t, f[0].Angle)
	require.InDelta(t, 0.1, f[1].Angle, 1e-3)
	require.InDelta(t, -1, f[2].Angle, 0)
	require.Zero(t, f[2].Speed)
	angle, speed := f.Shaft(3)
	require.InDelta(t, 2.0, speed, 1e-9)
	require.InDelta(t, 1.0, angle, 2e-3)
}
