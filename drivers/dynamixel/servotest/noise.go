package servotest

import "math/rand/v2"

// Noise is what the wire does to bytes. Rates are per byte, 0 to 1.
type Noise struct {
	Flip        float64 // a byte of an answer is changed
	Drop        float64 // a byte of an answer is lost
	Instruction float64 // a byte from the host is changed
	Seed        uint64
}

// SetNoise changes the wire from now on.
func (c *Chain) SetNoise(n Noise) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.noise, c.random = n, rand.New(rand.NewPCG(n.Seed, 0))
	c.line = c.lineNow()
}

func (c *Chain) instructionNoise(x byte) byte {
	if c.line.Instruction > 0 && c.random.Float64() < c.line.Instruction {
		return x ^ c.flip()
	}
	return x
}

// replyNoise damages b[from:] and returns what is left of b.
func (c *Chain) replyNoise(b []byte, from int) []byte {
	b = c.junk(b, from)
	if l := &c.line; l.truncated > 0 && c.random.Float64() < l.truncated {
		b = b[:from+(len(b)-from)/2]
	}
	if c.line.Flip <= 0 && c.line.Drop <= 0 {
		return b
	}
	left := b[:from]
	for _, x := range b[from:] {
		if c.random.Float64() < c.line.Drop {
			continue
		}
		if c.random.Float64() < c.line.Flip {
			x ^= c.flip()
		}
		left = append(left, x)
	}
	return left
}

// junk may put random bytes before b[from:].
func (c *Chain) junk(b []byte, from int) []byte {
	if c.line.junk <= 0 || c.random.Float64() >= c.line.junk {
		return b
	}
	n := 1 + c.random.IntN(8)
	for range n {
		b = append(b, 0)
	}
	copy(b[from+n:], b[from:])
	for k := range n {
		b[from+k] = byte(c.random.Uint32())
	}
	return b
}

// flip returns one bit.
func (c *Chain) flip() byte { return 1 << c.random.IntN(8) }
