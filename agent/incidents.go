package agent

import (
	"fmt"
	"sync"
	"time"

	"twinrig"
)

// Kinds of the events that Incidents makes.
const (
	EventGuard     = "guard"      // the guard began to clip or refuse for a reason
	EventGuardOver = "guard_over" // and has not done so for a while
)

const (
	// incidentRest is how long a reason must be absent for its next time to be a new
	// incident.
	incidentRest = 500 * time.Millisecond
	// incidentRoom is how many incidents wait for Drain.
	incidentRoom = 64
)

// Incidents turns what the guard did, tick by tick, into events: one when it begins to
// clip or refuse for a reason, with what was asked and what is allowed, and one when
// that is over. It is a Sink; Drain is for one other goroutine.
type Incidents struct {
	cfg GuardConfig
	kin Forwarder

	mu      sync.Mutex // of open, any, dropped; Finish may come while a tick ends
	open    [NumInterventions]incident
	any     bool // one is open
	dropped int  // that found no room since the last that did
	// made waits for Drain, as values: a Sink does not allocate.
	made chan incident
}

// incident is one reason's time.
type incident struct {
	reason      int
	begun, last time.Duration
	ticks       int // 0: none is open
	over        bool
	dropped     int
	report      twinrig.Report // of its first tick
}

// NewIncidents makes a sink. Nobody else may use kin.
func NewIncidents(cfg GuardConfig, kin Forwarder) *Incidents {
	return &Incidents{cfg: cfg, kin: kin, made: make(chan incident, incidentRoom)}
}

// Put implements Sink.
func (n *Incidents) Put(r *twinrig.Report) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if r.Guard == 0 && !n.any {
		return
	}
	n.any = false
	for i := range n.open {
		c := &n.open[i]
		switch {
		case r.Guard&(1<<i) != 0 && c.ticks == 0:
			*c = incident{reason: i, begun: r.Now, last: r.Now, ticks: 1, report: *r}
			n.send(c)
		case r.Guard&(1<<i) != 0:
			c.last = r.Now
			c.ticks++
		case c.ticks > 0 && r.Now-c.last >= incidentRest:
			c.over = true
			n.send(c)
			c.ticks = 0
		}
		n.any = n.any || c.ticks > 0
	}
}

func (n *Incidents) send(c *incident) {
	c.dropped = n.dropped
	select {
	case n.made <- *c:
		n.dropped = 0
	default:
		n.dropped++
	}
}

// Drain hands out the events since the last Drain, in order; Trial is empty.
func (n *Incidents) Drain(put func(twinrig.Event)) {
	for {
		select {
		case c := <-n.made:
			put(n.event(&c))
		default:
			return
		}
	}
}

// Finish closes what is open and drains it.
func (n *Incidents) Finish(put func(twinrig.Event)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.Drain(put)
	for i := range n.open {
		if c := &n.open[i]; c.ticks > 0 {
			c.over, c.dropped = true, n.dropped
			put(n.event(c))
			c.ticks, n.dropped = 0, 0
		}
	}
	n.any = false
}

func (n *Incidents) event(c *incident) twinrig.Event {
	name := twinrig.Intervention(1 << c.reason).Names()[0]
	e := twinrig.Event{Stamp: c.begun, Kind: EventGuard}
	if c.over {
		e.Stamp, e.Kind = c.last, EventGuardOver
		e.Detail = fmt.Sprintf("%s: %d ticks within %.2f s", name, c.ticks, (c.last - c.begun).Seconds())
	} else {
		e.Detail = name + ": " + n.why(twinrig.Intervention(1<<c.reason), &c.report)
	}
	if c.dropped > 0 {
		e.Detail += fmt.Sprintf(" (%d events before it were lost)", c.dropped)
	}
	return e
}
