package dynamixel_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
)

// state is the block that an arm reads each cycle.
var state = dynamixel.Block{Addr: dynamixel.PresentCurrent.Addr, Len: 10}

// bench is a Bus on nine emulated servos, IDs 1 to 9, in lockstep.
type bench struct {
	bus   *dynamixel.Bus
	chain *servotest.Chain
	clock *servotest.Clock
	cfg   dynamixel.Config
	ids   []dynamixel.ID
}

func newBench(line servotest.Config, cfg dynamixel.Config) *bench {
	b := &bench{clock: &servotest.Clock{}, cfg: cfg}
	code, _ := dynamixel.CodeFromBaud(line.Baud)
	var servos []*servotest.Servo
	for id := dynamixel.ID(1); id <= 9; id++ {
		model := &dynamixel.XM430W350
		if id >= 8 {
			model = &dynamixel.XL430W250
		}
		s := servotest.NewServo(model, id, servotest.DefaultParams())
		s.Set(dynamixel.BaudRate, code)
		s.Set(dynamixel.MovingThreshold, 100+int32(id))
		servos = append(servos, s)
		b.ids = append(b.ids, id)
	}
	b.chain = servotest.NewChain(line, servos, servotest.NewFlywheels(len(servos)))
	b.bus = dynamixel.NewBus(servotest.NewPipe(b.chain, b.clock), cfg)
	return b
}

func TestNoAllocations(t *testing.T) {
	b := newBench(servotest.Default(), dynamixel.Default())
	rs := readings(int(state.Len), b.ids...)
	var items []dynamixel.Item
	for _, id := range b.ids {
		items = append(items, dynamixel.Item{ID: id, Data: []byte{0, 8, 0, 0}})
	}
	for name, cycle := range map[string]func() error{
		"sync read":      func() error { return b.bus.SyncRead(state, rs) },
		"fast sync read": func() error { return b.bus.FastSyncRead(state, rs) },
		"sync write":     func() error { return b.bus.SyncWrite(dynamixel.GoalPosition.Block(), items) },
	} {
		// The chain itself is in the count, too: it runs beside real loops.
		allocs := testing.AllocsPerRun(200, func() {
			require.NoError(t, cycle())
			b.clock.AdvanceTo(b.clock.Now() + 5*time.Millisecond)
			b.chain.AdvanceTo(b.clock.Now())
		})
		require.Zero(t, allocs, name)
	}
	for _, r := range rs {
		require.NoError(t, r.Err)
	}
}

// TestTimesAreTheBudget: on the emulated wire a transaction takes exactly what
// Wire says.
func TestTimesAreTheBudget(t *testing.T) {
	for _, baud := range []int{57600, 1_000_000, 4_000_000} {
		line := servotest.Default()
		line.Baud = baud
		cfg := dynamixel.Default()
		cfg.Baud = baud
		cfg.ReplyGap = line.ReplyGap
		b, w := newBench(line, cfg), cfg.Wire()
		rs := readings(int(state.Len), b.ids...)
		for _, tc := range []struct {
			name string
			do   func() error
			want time.Duration
		}{
			{"sync read", func() error { return b.bus.SyncRead(state, rs) }, w.SyncRead(9, 10)},
			{"fast sync read", func() error { return b.bus.FastSyncRead(state, rs) }, w.FastSyncRead(9, 10)},
			{"read", func() error { return errOf(b.bus.Read(5, dynamixel.MovingThreshold)) }, w.Read(4)},
			{"write", func() error { return b.bus.Write(5, dynamixel.MovingThreshold, 105) }, w.Write(4)},
		} {
			before := b.clock.Now()
			require.NoError(t, tc.do())
			// The bytes' times are rounded down to the nanosecond one by one.
			require.InDelta(t, float64(tc.want), float64(b.clock.Now()-before), 10, "%s at %d", tc.name, baud)
		}
		for _, r := range rs {
			require.NoError(t, r.Err)
		}
	}
}

// TestNoisyWire damages and loses bytes in both directions: nothing wrong may
// come out as fresh, and most comes out after all.
func TestNoisyWire(t *testing.T) {
	for _, fast := range []bool{false, true} {
		for seed := range uint64(5) {
			b := newBench(servotest.Default(), dynamixel.Default())
			b.chain.SetNoise(servotest.Noise{Flip: 0.002, Drop: 0.001, Instruction: 0.001, Seed: seed})
			rs := readings(4, b.ids...)
			read := b.bus.SyncRead
			if fast {
				read = b.bus.FastSyncRead
			}
			fresh := 0
			for range 200 {
				require.NoError(t, read(dynamixel.MovingThreshold.Block(), rs))
				for _, r := range rs {
					if r.Err == nil {
						require.EqualValues(t, 100+int(r.ID), dynamixel.MovingThreshold.Value(r.Data))
						fresh++
					}
				}
			}
			require.Greater(t, fresh, 200*9*9/10)
			s := b.bus.Stats()
			require.NotZero(t, s.Retries)
			require.NotZero(t, s.Checksum)
			require.NotZero(t, s.Resyncs)
			require.NotZero(t, s.Timeouts)
		}
	}
}

// TestConcurrentUse: transactions of several goroutines do not mix.
func TestConcurrentUse(t *testing.T) {
	b := newBench(servotest.Default(), dynamixel.Default())
	var wg sync.WaitGroup
	errs := make(chan error, 4*50)
	got := make([]int32, 9)
	for _, id := range []dynamixel.ID{2, 4, 6, 8} {
		wg.Go(func() {
			for range 50 {
				v, err := b.bus.Read(id, dynamixel.MovingThreshold)
				got[id] = v
				errs <- err
			}
		})
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		require.NoError(t, err)
	}
	for _, id := range []int{2, 4, 6, 8} {
		require.EqualValues(t, 100+id, got[id])
	}
	require.EqualValues(t, 200, b.bus.Stats().Transactions)
}

// BenchmarkCycle is a Fast Sync Read of nine servos and a Sync Write to them,
// with the emulated servos beside it, in memory.
func BenchmarkCycle(bm *testing.B) {
	b := newBench(servotest.Default(), dynamixel.Default())
	bm.ReportAllocs()
	b.loop(bm, len(reads)-1, bm.Loop)
	virtual := b.clock.Now().Seconds()
	bm.ReportMetric(virtual/bm.Elapsed().Seconds(), "virtual_s/s")
}
