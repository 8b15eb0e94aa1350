package webcam

import (
	"math"
	"math/rand/v2"
)

// noiseLen is the length of the noise table, a prime, so that the pattern does
// not line up with the rows of a picture.
const noiseLen = 65521

// noise adds seeded Gaussian sensor noise from a table that is entered at a
// different place for every picture.
type noise struct {
	table []int8
	rng   *rand.Rand
}

func newNoise(sigma float64, seed uint64) *noise {
	n := &noise{rng: rand.New(rand.NewPCG(seed, 0x77656263616d))}
	if sigma == 0 {
		return n
	}
	n.table = make([]int8, noiseLen)
	for i := range n.table {
		n.table[i] = int8(min(max(math.Round(n.rng.NormFloat64()*sigma), -127), 127))
	}
	return n
}

// add changes rgb in place.
func (n *noise) add(rgb []byte) {
	if n.table == nil {
		return
	}
	j := n.rng.IntN(noiseLen)
	for i, v := range rgb {
		rgb[i] = byte(min(max(int(v)+int(n.table[j]), 0), 255))
		if j++; j == noiseLen {
			j = 0
		}
	}
}
