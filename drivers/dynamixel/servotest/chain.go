package servotest

import (
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"twinrig/drivers/dynamixel"
)

// byteGap is the longest pause within an instruction; after it a servo drops
// what it has and hunts for a header (e-manual, Protocol 2.0).
const byteGap = 1500 * time.Microsecond

// Chain is servos on one bus, with the host's adapter at its end. It is a
// deterministic function of what it is told: same calls, same bytes. It is safe
// for concurrent use, and does not allocate once it has run for a while.
type Chain struct {
	mu     sync.Mutex
	cfg    Config
	servos []*Servo
	shafts Shafts
	torque []float64
	now    time.Duration // everything until here has happened
	inner  time.Duration // the inner loops' last step

	// Bytes from the host, and when each has arrived at the servos.
	in     []byte
	at     []time.Duration
	inFree time.Duration // when the host's last byte is through

	// Bytes to the host. Those before taken are read.
	out      []byte
	taken    int
	parts    []part
	replyEnd time.Duration // when the servos' last byte is through

	noise   Noise
	line    line // noise and the faults of the line
	random  *rand.Rand
	faults  []scheduled
	onFault func(now time.Duration, f Fault, over bool)
	block   [tableSize]byte
	stats   ChainStats
	clash   bool // two servos send the present answer
}

// part is the bytes of one servo's answer; they end at out[:to].
type part struct {
	start, end time.Duration // on the wire
	due        time.Duration // at the host
	to         int
}

// ChainStats counts what the servos saw.
type ChainStats struct {
	Instructions uint64 // whole packets heard
	Damaged      uint64 // packets with a wrong checksum
	Collisions   uint64 // bytes that the host sent into an answer
}

// NewChain puts servos on a bus and their shafts on the mechanics: shaft i is
// servos[i]'s. It powers them up, so what was set in their RAM before is lost.
// cfg is valid.
func NewChain(cfg Config, servos []*Servo, shafts Shafts) *Chain {
	c := &Chain{
		cfg: cfg, servos: servos, shafts: shafts, torque: make([]float64, len(servos)),
		random: rand.New(rand.NewPCG(cfg.Seed, 0)),
	}
	for i, s := range servos {
		s.first = s.ID()
		s.observe(shafts.Shaft(i))
		s.boot(0)
	}
	return c
}

// Do calls f between two inner steps, so that it may use the servos. It must not
// call the chain.
func (c *Chain) Do(f func(servos []*Servo)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(c.servos)
}

// Now returns the time that the chain was advanced to.
func (c *Chain) Now() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Stats returns the counts so far.
func (c *Chain) Stats() ChainStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

// Transmit says that the host gave b to its adapter at now. The bytes follow
// those before at the line's rate; what they cause happens in AdvanceTo.
func (c *Chain) Transmit(now time.Duration, b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.line.unplugged {
		return
	}
	start := max(now, c.now, c.inFree)
	c.inFree = start + c.cfg.byteTime(len(b))
	for k, x := range b {
		c.in = append(c.in, c.instructionNoise(x))
		c.at = append(c.at, start+c.cfg.byteTime(k+1))
	}
	c.collide()
	if c.line.echo {
		c.out = append(c.out, b...)
		c.parts = append(c.parts, part{start: start, end: c.inFree, due: c.inFree + c.cfg.Latency, to: len(c.out)})
	}
}

// Receive copies into b what the host has by now, and returns how much it is.
func (c *Chain) Receive(now time.Duration, b []byte) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.line.unplugged {
		c.out, c.parts, c.taken = c.out[:0], c.parts[:0], 0
	}
	to := c.taken
	for _, p := range c.parts {
		if p.due > now {
			break
		}
		to = p.to
	}
	n := copy(b, c.out[c.taken:to])
	if c.taken += n; c.taken == len(c.out) {
		c.out, c.parts, c.taken = c.out[:0], c.parts[:0], 0
	}
	return n
}

// Next returns when something will happen that the host can see or has caused:
// bytes are due, or an instruction is through. It returns false if nothing is
// under way.
func (c *Chain) Next() (time.Duration, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.parts {
		if p.to > c.taken {
			return p.due, true
		}
	}
	if n := len(c.at); n > 0 && c.at[n-1] > c.now {
		return c.at[n-1], true
	}
	return 0, false
}

// AdvanceTo lets everything happen until t.
func (c *Chain) AdvanceTo(t time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		f, at := c.nextFault(t)
		for c.hear(at) {
		}
		c.stepTo(at)
		if f == nil {
			return
		}
		c.change(f)
	}
}

// hear takes the next packet that has arrived by t, and lets it take effect at
// its time. It returns false when there is none.
func (c *Chain) hear(t time.Duration) bool {
	run, broken := c.run(t)
	if run == 0 {
		return false
	}
	p, n, err := dynamixel.Decode(c.in[:run])
	switch {
	case err == nil:
		c.stats.Instructions++
		c.stepTo(c.at[n-1])
		c.execute(&p)
	case errors.Is(err, dynamixel.ErrChecksum):
		c.stats.Damaged++
		c.stepTo(c.at[run-1])
		c.complain(&p)
	case broken:
		n = run
	}
	c.in = c.in[:copy(c.in, c.in[n:])]
	c.at = c.at[:copy(c.at, c.at[n:])]
	return n > 0
}

// run returns how many bytes have arrived by t without a pause, and whether a
// pause ends them.
func (c *Chain) run(t time.Duration) (n int, broken bool) {
	for n < len(c.at) && c.at[n] <= t {
		if n > 0 && c.at[n]-c.at[n-1] > byteGap {
			return n, true
		}
		n++
	}
	return n, n > 0 && n == len(c.at) && t-c.at[n-1] > byteGap
}

// stepTo runs the inner loops until t.
func (c *Chain) stepTo(t time.Duration) {
	for c.inner+c.cfg.Step <= t {
		for i, s := range c.servos {
			s.step(c.inner, c.cfg.Step)
			c.torque[i] = s.Torque()
		}
		c.shafts.Advance(c.cfg.Step, c.torque)
		c.inner += c.cfg.Step
		for i, s := range c.servos {
			s.observe(c.shafts.Shaft(i))
		}
	}
	c.now = max(c.now, t)
}
