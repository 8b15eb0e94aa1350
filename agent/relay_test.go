package agent

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
)

// numbers is a sink that notes the numbers of what it is told.
type numbers struct {
	mu   sync.Mutex
	seen []uint64
}

func (s *numbers) Put(r *twinrig.Report) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, r.Tick)
}

func counting(from, to uint64) (n []uint64) {
	for ; from < to; from++ {
		n = append(n, from)
	}
	return n
}

// Each report goes to those that were set when it was put, in order, whether it is
// relayed or not.
func TestRelay(t *testing.T) {
	both(t, func(t *testing.T, live bool) {
		var r Relay
		if live {
			r.Start()
		}
		put := func(from, to uint64) {
			for n := from; n < to; n++ {
				r.Put(&twinrig.Report{Tick: n})
			}
		}
		a, b, always := &numbers{}, &numbers{}, &numbers{}
		put(0, 10) // for nobody
		r.Set(a, always)
		put(10, 400)
		r.Set(b, always)
		require.Equal(t, counting(10, 400), a.seen, "all of them, once Set returns")
		put(400, 900)
		r.Set()
		put(900, 910)
		r.Close()
		require.Equal(t, counting(10, 400), a.seen)
		require.Equal(t, counting(400, 900), b.seen)
		require.Equal(t, counting(10, 900), always.seen)
		require.Zero(t, r.Dropped())
	})
}

// A sink that is stuck holds nobody up: what finds no room is counted.
func TestRelayNeverWaits(t *testing.T) {
	var r Relay
	r.Start()
	entered, release := make(chan struct{}), make(chan struct{})
	seen := 0
	r.Set(sinkFunc(func(*twinrig.Report) {
		if seen++; seen == 1 {
			close(entered)
			<-release
		}
	}))
	r.Put(&twinrig.Report{})
	<-entered
	for range relayRoom + 6 { // one of the room is the stuck report's
		r.Put(&twinrig.Report{})
	}
	require.Equal(t, uint64(7), r.Dropped())
	close(release)
	r.Close()
	require.Equal(t, relayRoom, seen)
}

func TestRelayDoesNotAllocate(t *testing.T) {
	var r Relay
	r.Start()
	defer r.Close()
	rep := &twinrig.Report{}
	require.Zero(t, testing.AllocsPerRun(1000, func() { r.Put(rep) }))
}

func BenchmarkRelayPut(b *testing.B) {
	var r Relay
	r.Start()
	defer r.Close()
	rep := &twinrig.Report{}
	for b.Loop() {
		r.Put(rep)
		r.taken.Store(r.put.Load()) // nobody else looks this fast
	}
}
