package controller

import (
	"math"
	"time"

	"twinrig"
	"twinrig/sim/mirror"
)

// Left says what of the held-out gap has a pattern. It explains the gap and is
// never taken off it.
type Left struct {
	// Constant is the RMS in m of each segment's mean offset: what is off from a
	// segment's first moves to its last, such as a start that was not at rest.
	Constant float64
	// Varying is the RMS in m about that mean.
	Varying float64
	// Axes are the RMS offsets in m along x, y and z of B, and Mean the mean.
	Axes, Mean twinrig.Vec3
	// Lag is the delay by which all of the mirror would have to be read earlier
	// for the least gap, and Lagged that gap's RMS in m.
	Lag    time.Duration
	Lagged float64
	// Timing is the RMS in m that the recorded hand moves within Jitter: what
	// stamps that are off by so much cost.
	Timing float64
}

// Jitter is the error of a recording's stamps whose cost Left.Timing tells.
const Jitter = 10 * time.Millisecond

// leftOf looks for patterns in replayed segments.
func leftOf(segments []mirror.Segment, all []mirror.Replayed) (Left, error) {
	var l Left
	pooled, err := mirror.Pool(all)
	if err != nil {
		return l, err
	}
	l.Lag, l.Lagged = pooled.Lag.Delay, pooled.Lag.RMS
	var n, moves float64
	for i := range all {
		var mean twinrig.Vec3
		count := float64(len(all[i].Offsets))
		for _, d := range all[i].Offsets {
			mean = mean.Add(d.Scale(1 / count))
			l.Mean = l.Mean.Add(d)
			for k := range d {
				l.Axes[k] += d[k] * d[k]
			}
		}
		l.Constant += count * mean.Norm() * mean.Norm()
		for _, d := range all[i].Offsets {
			r := d.Sub(mean).Norm()
			l.Varying += r * r
		}
		n += count
		s := segments[i].States
		for t := 1; t < len(s); t++ {
			v := s[t].EE.P.Sub(s[t-1].EE.P).Norm() * segments[i].Hz * Jitter.Seconds()
			l.Timing += v * v
			moves++
		}
	}
	l.Mean = l.Mean.Scale(1 / n)
	for k := range l.Axes {
		l.Axes[k] = math.Sqrt(l.Axes[k] / n)
	}
	l.Constant, l.Varying, l.Timing = math.Sqrt(l.Constant/n), math.Sqrt(l.Varying/n), math.Sqrt(l.Timing/moves)
	return l, nil
}
