package servotest

import "time"

// command is a goal on its way to taking effect.
type command struct {
	at   time.Duration
	addr uint16
	v    int32
}

// commands is a queue of bounded length, oldest first.
type commands struct {
	ring     [128]command
	first, n int
}

// push adds c. If there is no room the oldest comes out.
func (q *commands) push(c command) (out command, full bool) {
	if full = q.n == len(q.ring); full {
		out = q.ring[q.first]
		q.drop()
	}
	q.ring[(q.first+q.n)%len(q.ring)] = c
	q.n++
	return out, full
}

// pop takes out the oldest if it is due.
func (q *commands) pop(now time.Duration) (command, bool) {
	if q.n == 0 || q.ring[q.first].at > now {
		return command{}, false
	}
	c := q.ring[q.first]
	q.drop()
	return c, true
}

func (q *commands) drop() {
	q.first = (q.first + 1) % len(q.ring)
	q.n--
}
