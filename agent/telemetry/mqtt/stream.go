package mqtt

import (
	"encoding/json"
	"log/slog"
	"sync"
	"time"

	"twinrig"
)

// StreamStats counts the messages of one stream.
type StreamStats struct {
	Topic string
	// Published are those that went out, Dropped those that found Waiting at
	// its limit.
	Published, Dropped uint64
	Waiting            int
}

// stateMessage is the newest report, and what it stands for.
type stateMessage struct {
	report twinrig.Report
	window stateWindow
	mark   mark
}

// servoMessage is the newest health of every servo, and what that stands for.
type servoMessage struct {
	n      int
	health [twinrig.MaxServos]twinrig.ServoHealth
	window [twinrig.MaxServos]servoWindow
	mark   mark
}

// loopStreams is what the control loop feeds. Their putter never waits, wakes
// nobody and allocates nothing.
type loopStreams struct {
	statePace, servoPace pace
	states               lane[stateMessage]
	servos               lane[servoMessage]
}

// put takes a report in. A message that is dropped is not lost as far as its
// window goes: the next one covers it too.
func (s *loopStreams) put(r *twinrig.Report) {
	if s.statePace.period > 0 {
		s.putState(r)
	}
	if s.servoPace.period > 0 && r.State.NumServos > 0 {
		s.putServos(&r.State)
	}
}

func (s *loopStreams) putState(r *twinrig.Report) {
	m := s.states.next()
	m.window.add(r)
	if !s.statePace.over(r.Now) {
		return
	}
	mark := s.states.mark()
	if s.states.full() {
		return
	}
	m.report, m.mark = *r, mark
	s.states.push()
	s.states.next().window = stateWindow{}
}

func (s *loopStreams) putServos(r *twinrig.State) {
	m := s.servos.next()
	for i := range r.NumServos {
		m.window[i].add(&r.Servos[i])
	}
	if !s.servoPace.over(r.Stamp) {
		return
	}
	mark := s.servos.mark()
	if s.servos.full() {
		return
	}
	m.n, m.mark = copy(m.health[:], r.Servos[:r.NumServos]), mark
	s.servos.push()
	clear(s.servos.next().window[:])
}

func (m *stateMessage) appendJSON(b []byte) []byte {
	b = m.window.appendJSON(open(m.report.AppendJSON(b)))
	return append(m.mark.appendJSON(b), '}')
}

func (m *servoMessage) appendJSON(b []byte, i int) []byte {
	b = m.window[i].appendJSON(open(m.health[i].AppendJSON(b)))
	return append(m.mark.appendJSON(b), '}')
}

// gapStream is fed by the mirrors.
type gapStream struct {
	mu   sync.Mutex // of the putters
	pace pace
	lane lane[gapMessage]
}

type gapMessage struct {
	gap    twinrig.Gap
	window gapWindow
	mark   mark
}

// put takes a gap in, and tells whether there is a message now.
func (s *gapStream) put(g *twinrig.Gap) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pace.period == 0 {
		return false
	}
	m := s.lane.next()
	m.window.add(g)
	if !s.pace.over(g.Stamp) {
		return false
	}
	mark := s.lane.mark()
	if s.lane.full() {
		return false
	}
	m.gap, m.mark = *g, mark
	s.lane.push()
	s.lane.next().window = gapWindow{}
	return true
}

func (m *gapMessage) appendJSON(b []byte) []byte {
	b = m.window.appendJSON(open(m.gap.AppendJSON(b)))
	return append(m.mark.appendJSON(b), '}')
}

// textStream is fed with JSON objects, from any goroutine.
type textStream struct {
	mu   sync.Mutex // of the putters
	lane lane[[]byte]
}

// put takes an object in.
func (s *textStream) put(v any) {
	object, err := json.Marshal(v)
	if err != nil {
		panic(err) // strings and numbers
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	mark := s.lane.mark()
	if !s.lane.full() {
		*s.lane.next() = append(mark.appendJSON(open(object)), '}')
		s.lane.push()
	}
}

// Progress is how far a study is. It does not name policies: whoever scores the
// trials may be reading it.
type Progress struct {
	Study string
	// Trial is the trial that begins, or, if Finished, has ended.
	Trial, Scene string
	Attempt      int
	Finished     bool
	// Done and Total are the trials that count, and those that are wanted.
	Done, Total int
	// Elapsed is since the study began to run, Left what it may take on; 0
	// while nothing is known.
	Elapsed, Left time.Duration
}

// MarshalJSON puts the units into the keys.
func (p Progress) MarshalJSON() ([]byte, error) {
	out := struct {
		Study    string   `json:"study"`
		Trial    string   `json:"trial"`
		Scene    string   `json:"scene"`
		Attempt  int      `json:"attempt"`
		Finished bool     `json:"finished"`
		Done     int      `json:"done"`
		Total    int      `json:"total"`
		Elapsed  float64  `json:"elapsed_s"`
		Left     *float64 `json:"left_s"`
	}{p.Study, p.Trial, p.Scene, p.Attempt, p.Finished, p.Done, p.Total, p.Elapsed.Seconds(), nil}
	if p.Left > 0 {
		left := p.Left.Seconds()
		out.Left = &left
	}
	return json.Marshal(out)
}

// logLine is one line of the program's own.
type logLine struct {
	At      time.Time  `json:"at"`
	Level   slog.Level `json:"level"`
	Message string     `json:"message"`
}
