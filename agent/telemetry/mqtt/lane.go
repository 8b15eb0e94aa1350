package mqtt

import (
	"sync/atomic"
	"time"
)

// laneDepth is how many messages of one stream may wait for the network.
const laneDepth = 8

// lane takes messages from one goroutine to another. Neither ever waits for the
// other: there is no lock that the control loop could find taken.
type lane[T any] struct {
	slots   [laneDepth + 1]T // one is always the putter's
	taken   atomic.Uint64
	put     atomic.Uint64
	dropped atomic.Uint64
}

// next is the message that the putter is making. Called by the putter alone.
func (l *lane[T]) next() *T { return &l.slots[l.put.Load()%(laneDepth+1)] }

// full tells that too many wait; then the next message is dropped, and counted.
// Called by the putter alone, once a message.
func (l *lane[T]) full() bool {
	full := l.put.Load()-l.taken.Load() == laneDepth
	if full {
		l.dropped.Add(1)
	}
	return full
}

// push hands the next message over. What the one after it is made in holds an
// old message.
func (l *lane[T]) push() { l.put.Add(1) }

// front is the oldest message, nil if there is none. Called by the taker alone.
func (l *lane[T]) front() *T {
	taken := l.taken.Load()
	if taken == l.put.Load() {
		return nil
	}
	return &l.slots[taken%(laneDepth+1)]
}

// pop ends with the front one.
func (l *lane[T]) pop() { l.taken.Add(1) }

func (l *lane[T]) stats(topic string) StreamStats {
	taken := l.taken.Load()
	return StreamStats{Topic: topic, Published: taken, Dropped: l.dropped.Load(), Waiting: int(l.put.Load() - taken)}
}

// mark numbers the messages of one stream: Seq counts all, from 1, those that
// were dropped as well, and Dropped those.
type mark struct{ seq, dropped uint64 }

func (l *lane[T]) mark() mark {
	d := l.dropped.Load()
	return mark{seq: l.put.Load() + d + 1, dropped: d}
}

// appendJSON appends the members, with a comma before them.
func (m mark) appendJSON(b []byte) []byte {
	b = appendUint(append(b, `,"seq":`...), m.seq)
	return appendUint(append(b, `,"dropped":`...), m.dropped)
}

// pace tells when the next message of a stream is due by the rig's clock.
type pace struct {
	period time.Duration // 0: never
	due    time.Duration
}

func paceOf(rate float64) pace {
	if rate == 0 {
		return pace{}
	}
	return pace{period: time.Duration(float64(time.Second) / rate)}
}

// over tells whether one is due now, and if so when the next is.
func (p *pace) over(now time.Duration) bool {
	if p.period == 0 || now < p.due && now >= p.due-p.period {
		return false
	}
	if p.due == 0 {
		p.due = now // the first
	}
	p.due = max(p.due+p.period, now)
	if p.due == now || p.due > now+p.period {
		p.due = now + p.period
	}
	return true
}
