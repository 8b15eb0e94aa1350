package record

import "sync"

// queue is a preallocated ring. put never waits for the disk: when the ring is
// full it counts the value as dropped.
type queue[T any] struct {
	move func(dst, src *T) // copies a value, reusing dst's memory

	mu      sync.Mutex
	ring    []T
	head, n int
	dropped uint64
}

func newQueue[T any](size int, move func(dst, src *T)) *queue[T] {
	return &queue[T]{move: move, ring: make([]T, size)}
}

func (q *queue[T]) put(v *T) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.n == len(q.ring) {
		q.dropped++
		return
	}
	q.move(&q.ring[(q.head+q.n)%len(q.ring)], v)
	q.n++
}

// take moves the oldest value into v; false when there is none.
func (q *queue[T]) take(v *T) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.n == 0 {
		return false
	}
	q.move(v, &q.ring[q.head])
	q.head = (q.head + 1) % len(q.ring)
	q.n--
	return true
}

func (q *queue[T]) lost() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.dropped
}

// assign is the move of a value without memory of its own.
func assign[T any](dst, src *T) { *dst = *src }
