package camera

import (
	"math"
	"time"
)

// rateWindow is how many pictures the measured rate is taken over.
const rateWindow = 30

// monitor judges a stream of pictures by their arrival and their content.
type monitor struct {
	rate        float64 // expected, Hz
	frozenAfter int

	seq, dropped uint64
	last         time.Duration
	hash         uint32
	equal        int // pictures in a row with this hash
	stamps       [rateWindow]time.Duration
	n            int // stamps taken
}

// observe takes one picture in and returns its sequence number, which leaves
// out the numbers of the pictures that must have been dropped before it.
func (m *monitor) observe(stamp time.Duration, hash uint32) uint64 {
	if m.seq > 0 {
		// A late picture is not a dropped one: only a gap of more than one and
		// a half periods is.
		if missing := math.Round((stamp-m.last).Seconds()*m.rate) - 1; missing > 0 {
			m.dropped += uint64(missing)
			m.seq += uint64(missing)
		}
	}
	m.seq++
	m.last = stamp
	if m.equal++; hash != m.hash {
		m.hash, m.equal = hash, 1
	}
	m.stamps[m.n%rateWindow] = stamp
	m.n++
	return m.seq
}

// frozen tells whether the last pictures were all the same.
func (m *monitor) frozen() bool {
	return m.frozenAfter > 0 && m.equal >= m.frozenAfter
}

// measured is the rate of the last pictures in Hz; 0 before the second.
func (m *monitor) measured() float64 {
	n := min(m.n, rateWindow)
	if n < 2 {
		return 0
	}
	first := m.stamps[(m.n-n)%rateWindow]
	if m.last <= first {
		return 0
	}
	return float64(n-1) / (m.last - first).Seconds()
}
