package doctor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"twinrig/agent"
	"twinrig/drivers/dynamixel"
	"twinrig/drivers/widowx"
)

// cycles is how many readings the cycle rate is measured over.
const cycles = 200

// wireShare is the share of the wire model's rate that a machine should reach.
// A loop that gets less than rateShare of its rate is always late, and one that
// loses more than lostShare of its answers is hardly a loop.
const wireShare, rateShare, lostShare = 0.95, 0.8, 0.1

// stateBlock is what a study reads of every servo in every cycle: current or
// load, velocity and position.
var stateBlock = dynamixel.Block{
	Addr: dynamixel.PresentCurrent.Addr,
	Len:  dynamixel.PresentPosition.Addr + dynamixel.PresentPosition.Size - dynamixel.PresentCurrent.Addr,
}

// reading is what reading all servos again and again came to.
type reading struct {
	mean, p99 time.Duration
	lost      int // servos' answers that did not come, of all cycles
	streak    int // the most readings in a row that were not whole
	fast      bool
}

// checkCycle reads as a study would, and adds the goals, which it does not send,
// as the wire model has them.
func checkCycle(ctx context.Context, b *bench) Result {
	arm, err := widowx.New(nil, b.rig.Arm, b.cal.Arm)
	if err != nil {
		return fail("correct the rig file", "%v", err)
	}
	n, length := len(b.survey.Servos), int(stateBlock.Len)
	wire := b.rig.Bus.Wire()
	write := arm.CycleTime(wire) - readTime(wire, b.rig.Arm.FastSync, n, length)
	got, err := b.read(ctx)
	if err != nil {
		return fail("check plug and cable of the adapter, then run it again", "%v", err)
	}
	model := readTime(wire, got.fast, n, length)
	share := float64(model) / float64(got.mean)
	hz := 1 / (got.mean + write).Seconds()
	what := fmt.Sprintf("%.0f Hz; a reading takes %s (p99 %s), the wire %s: %.0f %%",
		hz, ms(got.mean), ms(got.p99), ms(model), 100*share)
	want := b.rig.Loop.RateHz
	slower := fmt.Sprintf("set loop.rate_hz to %.0f or less, or make the bus faster: serial.baud, a latency timer of 1 ms", wireShare*hz)
	if got.lost > 0 {
		what += fmt.Sprintf("; %d of %d answers were lost, in %d readings in a row", got.lost, cycles*n, got.streak)
	}
	switch {
	case got.streak >= b.rig.Loop.MaxMisses, float64(got.lost) > lostShare*float64(cycles*n):
		return fail(b.lostFix(), "%s", what)
	case hz < rateShare*want:
		return fail(slower, "%s; loop.rate_hz wants %g", what, want)
	case got.lost > 0:
		return warn(b.lostFix(), "%s", what)
	case hz < want:
		return warn(slower, "%s; loop.rate_hz wants %g", what, want)
	case share < wireShare:
		return warn("stop other programs, allow real time (below)", "%s", what)
	}
	return okay("%s", what)
}

// lostFix is what to do about answers that do not come.
func (b *bench) lostFix() string {
	if b.info.USB == nil {
		return "stop other programs, or raise bus.allowance: this port is no USB adapter, and its bytes wait for a core"
	}
	return "reseat the cables, and keep them away from the motors'; raise bus.allowance if the adapter is slow"
}

func readTime(w dynamixel.Wire, fast bool, n, length int) time.Duration {
	if fast {
		return w.FastSyncRead(n, length)
	}
	return w.SyncRead(n, length)
}

// read measures on a thread such as the loop's. If a Fast Sync Read does not get
// through at all it is no use here, as the driver finds too.
func (b *bench) read(ctx context.Context) (r reading, err error) {
	done := make(chan struct{})
	go func() { // the thread ends with the goroutine
		defer close(done)
		agent.LockThread(priority)
		rs := b.readings()
		r.fast = b.rig.Arm.FastSync && b.survey.FastSync() && b.through(rs)
		err = b.measure(ctx, rs, &r)
	}()
	<-done
	return r, err
}

func (b *bench) readings() []dynamixel.Reading {
	rs := make([]dynamixel.Reading, len(b.survey.Servos))
	for i := range rs {
		rs[i] = dynamixel.Reading{ID: b.survey.Servos[i].ID, Data: make([]byte, stateBlock.Len)}
	}
	return rs
}

func (b *bench) through(rs []dynamixel.Reading) bool {
	for range 3 {
		if err := b.bus.FastSyncRead(stateBlock, rs); err == nil && silent(rs) == 0 {
			return true
		}
	}
	return false
}

func silent(rs []dynamixel.Reading) (n int) {
	for i := range rs {
		if rs[i].Err != nil {
			n++
		}
	}
	return n
}

func (b *bench) measure(ctx context.Context, rs []dynamixel.Reading, r *reading) error {
	read := b.bus.SyncRead
	if r.fast {
		read = b.bus.FastSyncRead
	}
	took := make([]time.Duration, 0, cycles)
	streak := 0
	begin := b.clock.Now()
	for range cycles {
		if err := ctx.Err(); err != nil {
			return err
		}
		from := b.clock.Now()
		if err := read(stateBlock, rs); err != nil {
			return err
		}
		took = append(took, b.clock.Now()-from)
		lost := silent(rs)
		if streak++; lost == 0 {
			streak = 0
		}
		r.lost, r.streak = r.lost+lost, max(r.streak, streak)
	}
	r.mean = (b.clock.Now() - begin) / cycles
	slices.Sort(took)
	r.p99 = took[len(took)*99/100]
	return nil
}
