package agent

import "time"

// Pacer is what drives time towards the next tick.
type Pacer interface {
	// WaitUntil returns at due, or later, or at once if that is past. What it
	// returns is the time then.
	WaitUntil(due time.Duration) (now time.Duration)
}

// VirtualClock is a clock that stands still until it is advanced.
type VirtualClock interface {
	Now() time.Duration
	AdvanceTo(t time.Duration)
}

// Lockstep paces by a virtual clock: waiting is advancing it.
type Lockstep struct{ Clock VirtualClock }

// WaitUntil implements Pacer.
func (p Lockstep) WaitUntil(due time.Duration) time.Duration {
	if due > p.Clock.Now() {
		p.Clock.AdvanceTo(due)
	}
	return p.Clock.Now()
}
