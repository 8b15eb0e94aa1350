package mirror

import (
	"errors"
	"math"

	"twinrig"
)

// Pooled is the gap of many segments, each state counting once.
type Pooled struct {
	Segments, Steps, Free, Unreachable int
	// As in Replayed: m, rad, openings.
	Position, Rotation, Grip, GripFree Spread
	// Hold is the position error's RMS in m of an arm that never moved.
	Hold float64
	// Lag is the delay at which the pooled position error is least.
	Lag Lag
}

// Pool pools segments that were replayed with one configuration.
func Pool(all []Replayed) (Pooled, error) {
	if len(all) == 0 {
		return Pooled{}, errors.New("mirror: no segments to pool")
	}
	p := Pooled{Segments: len(all)}
	var gaps, free []twinrig.Gap
	var hold float64
	lags := make([]float64, len(all[0].Lags))
	for i := range all {
		a := &all[i]
		p.Unreachable += a.Unreachable
		gaps, free = append(gaps, a.Gaps...), append(free, a.Gaps[:a.Free]...)
		n := float64(a.Steps)
		hold += n * a.Hold.RMS * a.Hold.RMS
		for k, l := range a.Lags {
			lags[k] += n * l.RMS * l.RMS
		}
	}
	s := Summarize(gaps, 0, math.Inf(1))
	p.Steps, p.Free = len(gaps), len(free)
	p.Position, p.Rotation, p.Grip = s.Translation, s.Rotation, s.Grip
	p.GripFree = Summarize(free, 0, math.Inf(1)).Grip
	p.Hold = rootMean(hold, p.Steps)
	for k := range lags {
		if rms := rootMean(lags[k], p.Steps); k == 0 || rms < p.Lag.RMS {
			p.Lag = Lag{all[0].Lags[k].Delay, rms}
		}
	}
	return p, nil
}
