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
}

func (c *Chain) instructionNoise(x byte) byte {
	if c.noise.Instruction > 0 && c.random.Float64() < c.noise.Instruction {
		return x ^ c.flip()
	}
	return x
}

// replyNoise damages b[from:] and returns what is left of b.
func (c *Chain) replyNoise(b []byte, from int) []byte {
	if c.noise.Flip <= 0 && c.noise.Drop <= 0 {
		return b
	}
	left := b[:from]
	for _, x := range b[from:] {
		if c.random.Float64() < c.noise.Drop {
			continue
		}
		if c.random.Float64() < c.noise.Flip {
			x ^= c.flip()
		}
		left = append(left, x)
	}
	return left
}

// flip returns one bit.
func (c *Chain) flip() byte { return 1 << c.random.IntN(8) }
