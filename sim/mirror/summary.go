package mirror

import (
	"math"
	"slices"
	"time"

	"twinrig"
)

// Never is the time of what did not happen.
const Never = time.Duration(-1)

// Spread describes how large a set of errors is.
type Spread struct{ RMS, P95, Max float64 }

// Summary is the gap of one trial.
type Summary struct {
	// Gaps counts the comparisons that the figures below are made of.
	Gaps int
	// Translation is in m, Rotation in rad, Grip in openings.
	Translation, Rotation, Grip Spread
	// JointRMS and VelocityRMS are rad and rad/s.
	JointRMS, VelocityRMS twinrig.Joints
	// DivergedAt is when, since the start, Translation first passed
	// Config.Diverged; Never if it did not.
	DivergedAt time.Duration
	// Reports counts what the mirror was given. Dropped of them were lost
	// because the queue was full; Stale were not compared because the reading
	// was not new on every axis.
	Reports, Dropped, Stale int
	// Behind is the longest time between a reading and its comparison, 0
	// without a clock.
	Behind time.Duration
}

// Complete tells whether the mirror saw every report: if not, the goals it
// missed are part of its gap, and the trial is to be marked.
func (s *Summary) Complete() bool { return s.Dropped == 0 }

// Summarize computes the figures of a trial that began at start from its gaps.
// The counts of reports are the caller's to fill in.
func Summarize(gaps []twinrig.Gap, start time.Duration, diverged float64) Summary {
	s := Summary{Gaps: len(gaps), DivergedAt: Never}
	dist, angle, grip := make([]float64, len(gaps)), make([]float64, len(gaps)), make([]float64, len(gaps))
	for i := range gaps {
		g := &gaps[i]
		dist[i], angle[i], grip[i] = g.Translation, g.Rotation, math.Abs(float64(g.Grip))
		for k := range g.Joints {
			s.JointRMS[k] += g.Joints[k] * g.Joints[k]
			s.VelocityRMS[k] += g.Velocity[k] * g.Velocity[k]
		}
		if s.DivergedAt == Never && g.Translation > diverged {
			s.DivergedAt = g.Stamp - start
		}
		s.Behind = max(s.Behind, g.Behind)
	}
	for k := range s.JointRMS {
		s.JointRMS[k] = rootMean(s.JointRMS[k], len(gaps))
		s.VelocityRMS[k] = rootMean(s.VelocityRMS[k], len(gaps))
	}
	s.Translation, s.Rotation, s.Grip = spread(dist), spread(angle), spread(grip)
	return s
}

// spread reorders its argument. P95 is interpolated linearly between
// neighbours, as everywhere in twinrig's reports.
func spread(v []float64) Spread {
	if len(v) == 0 {
		return Spread{}
	}
	var sum float64
	for _, x := range v {
		sum += x * x
	}
	slices.Sort(v)
	last := len(v) - 1
	at := 0.95 * float64(last)
	i := int(at)
	p95 := v[i] + (at-float64(i))*(v[min(i+1, last)]-v[i])
	return Spread{RMS: rootMean(sum, len(v)), P95: p95, Max: v[last]}
}

func rootMean(sum float64, n int) float64 {
	if n == 0 {
		return 0
	}
	return math.Sqrt(sum / float64(n))
}
