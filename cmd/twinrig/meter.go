package main

import (
	"sync"
	"time"

	"twinrig"
	"twinrig/agent"
	"twinrig/eval"
	"twinrig/policy"
)

// meter measures how well the loop keeps its time in a trial. It is a sink.
type meter struct {
	mu          sync.Mutex
	late        agent.Lateness
	first, last time.Duration
	missed, now uint64 // Report.Misses at the start and at the last tick
}

// Put implements agent.Sink.
func (m *meter) Put(r *twinrig.Report) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.late.N() == 0 {
		m.first = r.Now
	}
	m.late.Add(r.Late)
	m.last, m.now = r.Now, r.Misses
}

// reset begins a trial.
func (m *meter) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.late, m.missed = agent.Lateness{}, m.now
}

// loop is the trial so far.
func (m *meter) loop() *eval.Loop {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := &eval.Loop{
		Ticks:     int(m.late.N()),
		LateP50US: m.late.Quantile(0.5).Seconds() * 1e6,
		LateP99US: m.late.Quantile(0.99).Seconds() * 1e6,
		Misses:    int(m.now - m.missed),
	}
	m.late.Octaves(func(below time.Duration, n uint64) {
		l.Late = append(l.Late, eval.LateBin{UpToUS: below.Seconds() * 1e6, Ticks: int(n)})
	})
	if span := m.last - m.first; span > 0 {
		l.Hz = float64(l.Ticks-1) / span.Seconds()
	}
	return l
}

// inference is how the policy's answers came.
func inference(s *policy.Stats) *eval.Inference {
	in := &eval.Inference{
		Asked: s.Asked, Accepted: s.Accepted, WarmUpMS: ms(s.WarmUp),
		IdleS: s.IdleTotal().Seconds(), Gaps: len(s.Gaps), Unreachable: s.Unreachable, Seams: len(s.Seams),
	}
	for i, n := range s.Refused {
		if n == 0 {
			continue
		}
		if in.Refused == nil {
			in.Refused = map[string]int{}
		}
		in.Refused[policy.Reason(i).String()] = n
	}
	for _, d := range s.Latencies {
		in.LatenciesMS = append(in.LatenciesMS, ms(d))
	}
	for _, jump := range s.Seams {
		in.SeamMaxRad = max(in.SeamMaxRad, jump)
	}
	return in
}
