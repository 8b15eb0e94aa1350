package main

import (
	"context"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"twinrig"
	"twinrig/agent"
	"twinrig/agent/record"
	"twinrig/agent/telemetry/mqtt"
	"twinrig/configs"
	"twinrig/drivers/serial"
	"twinrig/sim"
	"twinrig/sim/mirror"
	"twinrig/sim/virtual"
)

// threadCPU is a sink that reads, on the loop's own thread, how much CPU time that
// thread has used.
type threadCPU struct{ now atomic.Pointer[cpuWindow] }

// cpuWindow is one measurement of want ticks.
type cpuWindow struct {
	want, ticks int
	first       time.Duration
	each        chan time.Duration // CPU time of a tick, once all are counted
}

// Put implements agent.Sink.
func (c *threadCPU) Put(*twinrig.Report) {
	w := c.now.Load()
	if w == nil {
		return
	}
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		panic(err)
	}
	now := time.Duration(ts.Nano())
	if w.ticks == 0 {
		w.first = now
	}
	if w.ticks == w.want {
		w.each <- (now - w.first) / time.Duration(w.want)
		c.now.Store(nil)
	}
	w.ticks++
}

// BenchmarkSinks is what mirror, recorder and telemetry cost the paced loop's thread:
// CPU time of a tick over the pty with and without them, in turn. The limit is 2 %.
func BenchmarkSinks(b *testing.B) {
	const rounds, ticks = 7, 600
	d, err := configs.LoadDemo("")
	require.NoError(b, err)
	require.NoError(b, fitRate(&d.Rig, &d))
	clock, err := agent.OpenClock()
	require.NoError(b, err)
	rig, err := virtual.Serve(d.Virtual, clock.Now, func() { agent.LockThread(fifoPriority + 1) })
	require.NoError(b, err)
	defer rig.Close()
	cfg := d.Rig
	cfg.Serial.Port = rig.PortPath()
	port, err := serial.Open(cfg.Serial)
	require.NoError(b, err)
	defer port.Close()
	cal, err := cfg.Calibration()
	require.NoError(b, err)
	c, err := openArm(cfg, cal, port)
	require.NoError(b, err)
	cpu := &threadCPU{}
	kin := sim.NewKinematics()
	c.loop, err = agent.NewLoop(cfg.Loop, agent.Deps{
		Arm: c.arm, Mode: c.arm.Mode(), Kin: kin, Gravity: kin, Stiffness: c.stiffness(),
		Contacts: contacts(&cfg.Loop.Guard),
		Sinks:    []agent.Sink{cpu, &c.meter, &c.relay},
	})
	require.NoError(b, err)
	c.clock, c.runner = clock.Now, agent.NewRunner(c.loop, agent.Realtime{Clock: clock})
	var closing closers
	require.NoError(b, c.start(context.Background(), false, &closing, func(string) {}))
	defer func() { require.NoError(b, closing.close()) }()

	sc, err := configs.Scene("red_cube_blue_bowl")
	require.NoError(b, err)
	st, err := newStage(sc, c, mirror.Hooks{Clock: clock.Now})
	require.NoError(b, err)
	defer st.mirror.Close()
	place, err := sc.Place(1)
	require.NoError(b, err)
	var rep twinrig.Report
	c.runner.Latest(&rep)
	require.NoError(b, st.mirror.Start(rep.State, sc.Poses(place)))
	rec, err := record.Create(filepath.Join(b.TempDir(), "trial.mcap"), record.Header{Trial: "bench", Kind: "virtual"}, record.DefaultConfig())
	require.NoError(b, err)
	broker, err := mqtt.OpenBroker(0)
	require.NoError(b, err)
	defer broker.Close()
	m := mqtt.DefaultConfig()
	m.Broker = broker.URL()
	tell, err := mqtt.Open(m, "bench", func(error) {})
	require.NoError(b, err)

	cost := func(sinks ...agent.Sink) time.Duration {
		c.watch(sinks...)
		w := &cpuWindow{want: ticks, each: make(chan time.Duration, 1)}
		cpu.now.Store(w)
		return <-w.each
	}
	var ratios, off, on []float64
	for range rounds {
		a, z := cost(), cost(rec, st.mirror, tell)
		off, on = append(off, a.Seconds()*1e6), append(on, z.Seconds()*1e6)
		ratios = append(ratios, z.Seconds()/a.Seconds())
	}
	require.NoError(b, rec.Close())
	require.NoError(b, tell.Close())
	for _, s := range [][]float64{ratios, off, on} {
		slices.Sort(s)
	}
	b.ReportMetric(0, "ns/op") // there is no op
	b.ReportMetric(off[rounds/2], "off-us")
	b.ReportMetric(on[rounds/2], "on-us")
	b.ReportMetric(100*(ratios[rounds/2]-1), "median-more-%")
}
