package policy

import (
	"slices"
	"time"
)

// Gap is a time in which the policy had no goal ready and the arm held.
type Gap struct {
	// Start is when the first idle control step began, Length how long until
	// the next goal began.
	Start, Length time.Duration
}

// Stats is what a Broker saw in one run.
type Stats struct {
	// Asked and Accepted count chunks; Refused counts the others by Reason.
	Asked, Accepted int
	Refused         [NumReasons]int
	// LastRefusal is the newest cause, empty when there was none.
	LastRefusal string
	// Unreachable counts control steps whose target did not advance.
	Unreachable int
	// Idle counts control steps without a goal; Gaps has them by seam.
	Idle int
	Gaps []Gap
	// Seams are, where one answer took over from another before it was used up, how
	// far the most moved joint's goal went in that step, rad.
	Seams []float64
	// WarmUp is the first answer's latency. Latencies are all later ones; the
	// first is kept apart because loading a model is not inference. Errors and
	// answers that did not come in time are neither.
	WarmUp    time.Duration
	Latencies []time.Duration
	// Waited is from the first question to the first goal, 0 if there was none.
	Waited time.Duration

	answered bool // once at least
}

// The room for samples is made before the run: the tick does not allocate.
const (
	roomLatencies = 2048
	roomGaps      = 512
	roomSeams     = 2048
)

func newStats() Stats {
	return Stats{
		Gaps: make([]Gap, 0, roomGaps), Seams: make([]float64, 0, roomSeams),
		Latencies: make([]time.Duration, 0, roomLatencies),
	}
}

// RefusedTotal counts the refused chunks.
func (s *Stats) RefusedTotal() int {
	n := 0
	for _, k := range s.Refused {
		n += k
	}
	return n
}

// IdleTotal is the time spent in closed gaps.
func (s *Stats) IdleTotal() time.Duration {
	var d time.Duration
	for _, g := range s.Gaps {
		d += g.Length
	}
	return d
}

// Latency returns the p quantile (0 to 1) of Latencies, 0 when there are none.
func (s *Stats) Latency(p float64) time.Duration {
	if len(s.Latencies) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s.Latencies))
	return sorted[min(int(p*float64(len(sorted))), len(sorted)-1)]
}

// addLatency tells whether it is an inference's, rather than the warm-up's.
func (s *Stats) addLatency(d time.Duration) bool {
	if !s.answered {
		s.answered, s.WarmUp = true, d
		return false
	}
	if len(s.Latencies) < cap(s.Latencies) {
		s.Latencies = append(s.Latencies, d)
	}
	return true
}

func (s *Stats) addSeam(jump float64) {
	if len(s.Seams) < cap(s.Seams) {
		s.Seams = append(s.Seams, jump)
	}
}

func (s *Stats) addGap(g Gap) {
	if len(s.Gaps) < cap(s.Gaps) {
		s.Gaps = append(s.Gaps, g)
	}
}
