package dynamixel_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/drivers/dynamixel"
	"twinrig/drivers/dynamixel/servotest"
)

var (
	campaignCycles = flag.Int("campaign-cycles", 20_000, "cycles of each TestDamagedBytes")
	campaignSeed   = flag.Uint64("campaign-seed", 1, "seed of TestDamagedBytes")
)

// damage is a line that changes bytes, in both directions.
type damage struct {
	dynamixel.Port
	rate   float64
	bit    bool // one bit of a damaged byte, or all of it
	random *rand.Rand
	next   int // bytes until the next damaged one
	done   int // bytes damaged
	buf    []byte
}

func newDamage(p dynamixel.Port, rate float64, bit bool, seed uint64) *damage {
	d := &damage{Port: p, rate: rate, bit: bit, random: rand.New(rand.NewPCG(seed, 0))}
	d.draw()
	return d
}

// draw is the geometric distribution: each byte is hit with the same chance.
func (d *damage) draw() {
	d.next = int(math.Log(1-d.random.Float64()) / math.Log(1-d.rate))
}

func (d *damage) hit(b []byte) {
	for d.next < len(b) {
		if d.bit {
			b[d.next] ^= 1 << d.random.IntN(8)
		} else {
			b[d.next] ^= byte(1 + d.random.IntN(255))
		}
		b = b[d.next+1:]
		d.done++
		d.draw()
	}
	d.next -= len(b)
}

func (d *damage) Write(b []byte) (int, error) {
	d.buf = append(d.buf[:0], b...)
	d.hit(d.buf)
	return d.Port.Write(d.buf)
}

func (d *damage) Read(b []byte) (int, error) {
	n, err := d.Port.Read(b)
	d.hit(b[:n])
	return n, err
}

// stage moves the shafts: 600 pulses either way in 2.8 s, 2 rad/s at most, each
// at its own phase. They stand still during a reading, so that it is known to
// the bit what it must say.
type stage struct{ now time.Duration }

func (s *stage) Advance(time.Duration, []float64) {}

func (s *stage) Shaft(i int) (angle, speed float64) {
	const amplitude, omega = 600 * dynamixel.RadPerPulse, 2 * math.Pi / 2.8
	phase := omega*s.now.Seconds() + 2*math.Pi/9*float64(i)
	return amplitude * math.Sin(phase), amplitude * omega * math.Cos(phase)
}

// toll is what became of a campaign's readings.
type toll struct {
	readings, missing int
	wrong             int   // delivered as valid, but not what the servo showed
	stale             int   // of these, what it showed in an earlier cycle
	passed            int   // of these, how many a check of plausibility lets through
	refused           int   // right values that the check refuses
	clean, unread     int   // cycles without damage, and readings missing in them
	streaks           []int // of cycles missed in a row, by length
}

// campaign is nine servos read and written over a line that damages bytes.
type campaign struct {
	bench
	stage  stage
	line   *damage
	rs     []dynamixel.Reading
	items  []dynamixel.Item
	shown  [9][10]byte // what a servo shows in this cycle
	before [9][8][10]byte
	missed [9]int
	judge  [9]plausible
	toll
}

func newCampaign(bit bool, seed uint64) *campaign {
	c := &campaign{bench: *newBench(servotest.Default(), dynamixel.Default())}
	c.streaks = make([]int, 1)
	var servos []*servotest.Servo
	c.chain.Do(func(all []*servotest.Servo) { servos = all })
	c.chain = servotest.NewChain(servotest.Default(), servos, &c.stage)
	c.line = newDamage(servotest.NewPipe(c.chain, c.clock), 0.01, bit, seed)
	c.bus = dynamixel.NewBus(c.line, c.cfg)
	c.rs = readings(int(state.Len), c.ids...)
	for _, id := range c.ids {
		c.items = append(c.items, dynamixel.Item{ID: id, Data: make([]byte, 4)})
	}
	return c
}

// run is some cycles of: write, read.
func (c *campaign) run(tb testing.TB, cycles, how int) {
	tb.Helper()
	for cycle := range cycles {
		damaged := c.line.done
		for i := range c.items {
			dynamixel.GoalPosition.Put(c.items[i].Data, int32(cycle%4096))
		}
		require.NoError(tb, c.bus.SyncWrite(dynamixel.GoalPosition.Block(), c.items))
		c.move(cycle)
		require.NoError(tb, reads[how].read(c.bus, state, c.rs))
		unread := 0
		for i := range c.rs {
			unread += c.count(i, cycle)
		}
		if c.line.done == damaged {
			c.clean++
			c.unread += unread
		}
	}
}

// move puts the shafts where they are in a cycle, and notes what servos show.
func (c *campaign) move(cycle int) {
	c.stage.now = c.clock.Now()
	c.wait(2 * time.Millisecond)
	c.chain.Do(func(servos []*servotest.Servo) {
		for i, s := range servos {
			c.before[i][cycle%8] = c.shown[i]
			b := &c.shown[i]
			load := dynamixel.PresentCurrent
			if s.Model() == &dynamixel.XL430W250 {
				load = dynamixel.PresentLoad
			}
			load.Put(b[:], s.Get(load))
			dynamixel.PresentVelocity.Put(b[2:], s.Get(dynamixel.PresentVelocity))
			dynamixel.PresentPosition.Put(b[6:], s.Get(dynamixel.PresentPosition))
		}
	})
}

// count is what became of reading i; it returns 1 if it is missing.
func (c *campaign) count(i, cycle int) int {
	r := &c.rs[i]
	c.readings++
	if r.Err != nil {
		c.missing++
		c.missed[i]++
		return 1
	}
	for len(c.streaks) <= c.missed[i] {
		c.streaks = append(c.streaks, 0)
	}
	c.streaks[c.missed[i]]++
	c.missed[i] = 0
	passes := c.judge[i].admit(c.stage.now, r.Data)
	if bytes.Equal(r.Data, c.shown[i][:]) {
		if !passes {
			c.refused++
		}
		return 0
	}
	c.wrong++
	if passes {
		c.passed++
	}
	for _, old := range c.before[i] {
		if bytes.Equal(r.Data, old[:]) {
			c.stale++
			break
		}
	}
	return 0
}

// plausible is what an arm can ask of a reading that the bus gives it: no servo
// is faster than it can turn, and its velocity is that of its positions, but for
// the time that it needs to change.
type plausible struct {
	known    bool
	at       time.Duration
	position int32
}

const (
	fastestRadS = 6.4 // an XL430 without load, at 12 V
	slackPulses = 4
	lagRadS     = 0.5
	mostCurrent = 1193 // steps; more is beyond Current Limit's range
)

func (p *plausible) admit(now time.Duration, b []byte) bool {
	position := dynamixel.PresentPosition.Value(b[6:])
	velocity := float64(dynamixel.PresentVelocity.Value(b[2:])) * dynamixel.RadPerSecPerStep
	current := dynamixel.PresentCurrent.Value(b)
	dt := (now - p.at).Seconds()
	moved := float64(position-p.position) * dynamixel.RadPerPulse
	ok := math.Abs(velocity) <= fastestRadS && max(current, -current) <= mostCurrent
	if p.known {
		ok = ok && math.Abs(moved) <= fastestRadS*dt+slackPulses*dynamixel.RadPerPulse &&
			math.Abs(velocity-moved/dt) <= lagRadS
	}
	if ok {
		*p = plausible{known: true, at: now, position: position}
	}
	return ok
}

// TestDamagedBytes: one byte of a hundred is damaged, both ways. What is
// delivered is right, and a cycle that meets no damage delivers all, whatever
// happened before it: recovery takes the same cycle, or the next that the line
// lets through.
//
// With one bit of a byte wrong the CRC finds all. With whole bytes wrong one
// packet in some millions has a right CRC all the same, as any 16 bits would.
// For a reading what is left then is to ask whether it is plausible; an
// instruction may make servos answer something long, over the next cycles.
func TestDamagedBytes(t *testing.T) {
	for how := range reads {
		for _, bit := range []bool{true, false} {
			what := fmt.Sprintf("%s, %s wrong", reads[how].name, map[bool]string{true: "bits", false: "bytes"}[bit])
			t.Run(what, func(t *testing.T) {
				c := newCampaign(bit, *campaignSeed)
				c.run(t, *campaignCycles, how)
				t.Logf("virtual: %s: %d cycles, 1 %% of bytes damaged: %d wrong values (%d stale), %d after a plausibility check that refused %d right ones; %.1f %% missing, %d in the %d undamaged cycles; read after n missed cycles: %v",
					what, *campaignCycles, c.wrong, c.stale, c.passed, c.refused,
					100*float64(c.missing)/float64(c.readings), c.unread, c.clean, c.streaks)
				require.Zero(t, c.stale)
				require.Zero(t, c.passed)
				require.Greater(t, c.clean, *campaignCycles/50)
				if bit {
					require.Zero(t, c.wrong)
					require.Zero(t, c.unread)
				} else {
					require.LessOrEqual(t, c.wrong, c.readings/500_000)
					require.LessOrEqual(t, c.unread, c.clean/1000)
				}
			})
		}
	}
}
