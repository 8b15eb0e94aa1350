package policy

import (
	"fmt"
	"math"
	"time"

	"twinrig"
)

// line is where a Broker is on the line of all actions, which are counted from 0 in the
// order in which they are begun.
type line struct {
	begun  int      // how many actions were begun
	base   int      // the number of the first action of the answer in use
	now    Composer // as it stands after the last one begun
	recent [8]time.Duration
	known  int // how many of recent are there
}

// note remembers how long an answer took.
func (l *line) note(d time.Duration) {
	l.recent[l.known%len(l.recent)] = d
	l.known++
}

// expected is how long the next answer is expected to take: the longest of the last
// ones.
func (l *line) expected() time.Duration {
	var d time.Duration
	for _, r := range l.recent {
		d = max(d, r)
	}
	return d
}

// prefix is how many of the waiting actions will be begun until an answer to a question
// asked now is there: all of them, where nothing is known of the policy's speed.
func (b *Broker) prefix(now time.Duration) int {
	if b.line.known == 0 {
		return len(b.queue)
	}
	left := now + b.line.expected() - b.due
	if left < 0 {
		return 0
	}
	return min(1+int(left/b.period), len(b.queue))
}

// wants tells whether it is time to ask. Where an answer takes the place of what waits,
// it is not asked for while as much waits as it will have: nothing would be left of it.
func (b *Broker) wants() bool {
	starving := len(b.queue) <= b.cfg.Ahead
	if b.cfg.Chunking != Sequential && len(b.queue) >= b.spec.Horizon {
		return false
	}
	switch b.cfg.Chunking {
	case RealTime:
		return starving || b.line.begun-b.line.base >= b.spec.Execute
	case Ensemble:
		return starving || b.line.begun > b.call.base
	default:
		return starving
	}
}

// splice takes a good answer's goals. In Sequential they follow those that wait;
// otherwise they take the place of those that the answer was not told of.
func (b *Broker) splice() {
	b.refusedRow = 0
	if b.cfg.Chunking == Sequential {
		b.stats.Accepted++
		b.composer = b.call.composer
		b.queue = append(b.queue, b.call.steps...)
		return
	}
	// Of the answer's actions the first skipped ones were to be begun from what
	// waited; if more were, it came later than expected. Some are left: fewer waited
	// than an answer has (see wants).
	fresh, keep := b.call.steps, b.call.skip-(b.line.begun-b.call.base)
	if keep < 0 {
		fresh, keep = fresh[-keep:], 0
	}
	if b.line.begun > 0 {
		before := b.line.now.goal
		if keep > 0 {
			before = b.queue[keep-1].goal
		}
		jump := fresh[0].goal.Joints.Sub(before.Joints).MaxAbs()
		if jump > b.cfg.MaxJointStep {
			b.refuse(ReasonSeam, fmt.Errorf("policy: the chunk begins %.2f rad from what it follows, must be at most %.2f", jump, b.cfg.MaxJointStep))
			return
		}
		b.stats.addSeam(jump)
	}
	b.stats.Accepted++
	if b.cfg.Chunking == Ensemble {
		b.call.ensemble.keep()
	}
	b.line.base = b.call.base
	b.queue = append(b.queue[:keep], fresh...)
}

// ensemble keeps what was predicted for actions that are still to come.
type ensemble struct {
	// chunks has those that were taken, the oldest first, and after the used ones that
	// which add was given last.
	chunks []predicted
	used   int
	blend  Chunk
}

// predicted is a chunk and the number of its first action.
type predicted struct {
	base    int
	actions Chunk
}

// newEnsemble has room for every chunk that can reach one action.
func newEnsemble(horizon int) ensemble {
	e := ensemble{chunks: make([]predicted, horizon), blend: make(Chunk, horizon)}
	for i := range e.chunks {
		e.chunks[i].actions = make(Chunk, horizon)
	}
	return e
}

// keep has the chunk that add was given last count from now on: it was not refused.
func (e *ensemble) keep() { e.used++ }

// add takes a chunk whose first action is number base, and returns the weighted means
// from there on: of all predictions of an action the i-th, oldest first, weighs
// exp(-decay i). The chunk is forgotten at the next add, unless it is kept.
func (e *ensemble) add(base int, c Chunk, decay float64) Chunk {
	// The oldest go first: those that reach no action from base on.
	kept := 0
	for i := range e.used {
		if p := &e.chunks[i]; p.base+len(p.actions) > base {
			e.chunks[kept], e.chunks[i] = e.chunks[i], e.chunks[kept]
			kept++
		}
	}
	if kept == len(e.chunks) { // cannot be with one question a step
		first := e.chunks[0]
		copy(e.chunks, e.chunks[1:])
		kept--
		e.chunks[kept] = first
	}
	e.chunks[kept].base = base
	copy(e.chunks[kept].actions, c)
	e.used = kept
	for k := range e.blend {
		var sum twinrig.Action
		total, rank := 0.0, 0
		for i := range e.used + 1 {
			p := &e.chunks[i]
			at := base + k - p.base
			if at < 0 || at >= len(p.actions) {
				continue
			}
			w := math.Exp(-decay * float64(rank))
			rank++
			total += w
			for axis, v := range p.actions[at] {
				sum[axis] += w * v
			}
		}
		for axis := range sum {
			sum[axis] /= total
		}
		e.blend[k] = sum
	}
	return e.blend
}
