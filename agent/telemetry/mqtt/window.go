package mqtt

import (
	"math"
	"strconv"
	"time"

	"twinrig"
)

// stat is the least, the greatest and the mean of a number since the last
// message. What is not a number does not enter.
type stat struct {
	min, max, sum float64
	n             int
}

func (s *stat) add(v float64) {
	if math.IsNaN(v) {
		return
	}
	if s.n == 0 {
		s.min, s.max = v, v
	}
	s.min, s.max = min(s.min, v), max(s.max, v)
	s.sum += v
	s.n++
}

// of is one of the three; NaN of nothing.
func (s *stat) of(what int) float64 {
	switch {
	case s.n == 0:
		return math.NaN()
	case what == 0:
		return s.min
	case what == 1:
		return s.max
	}
	return s.sum / float64(s.n)
}

// quantity is a key and how many numbers are under it: 0 is one, not in a list.
type quantity struct {
	key string
	n   int
}

func addAll(stats []stat, vs []float64) []stat {
	for i, v := range vs {
		stats[i].add(v)
	}
	return stats[len(vs):]
}

// span is what a window covers, the first and the last one included.
type span struct {
	n        uint64
	from, to time.Duration
}

func (s *span) add(at time.Duration) {
	if s.n == 0 {
		s.from = at
	}
	s.n++
	s.to = at
}

// appendJSON begins a window: how many values of what it covers, and when.
func (s *span) appendJSON(b []byte, what string) []byte {
	b = append(append(append(b, `,"window":{"`...), what...), `":`...)
	b = appendUint(b, s.n)
	b = strconv.AppendInt(append(b, `,"from_ns":`...), int64(s.from), 10)
	return strconv.AppendInt(append(b, `,"to_ns":`...), int64(s.to), 10)
}

// appendStats ends a window.
func appendStats(b []byte, quantities []quantity, stats []stat) []byte {
	for what, word := range [...]string{`,"min":{`, `,"max":{`, `,"mean":{`} {
		b = append(b, word...)
		at := 0
		for i, q := range quantities {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(append(append(b, '"'), q.key...), '"', ':')
			if q.n == 0 {
				b = appendFloat(b, stats[at].of(what))
				at++
				continue
			}
			b = append(b, '[')
			for k := range q.n {
				if k > 0 {
					b = append(b, ',')
				}
				b = appendFloat(b, stats[at].of(what))
				at++
			}
			b = append(b, ']')
		}
		b = append(b, '}')
	}
	return append(b, '}')
}

func appendUint(b []byte, v uint64) []byte { return strconv.AppendUint(b, v, 10) }

func appendFloat(b []byte, v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}

// open takes the closing brace off, for more members.
func open(b []byte) []byte { return b[:len(b)-1] }

const joints = twinrig.NumJoints

var stateQuantities = []quantity{
	{"measured_rad", joints},
	{"velocity_rad_s", joints},
	{"effort_nm", joints},
	{"load_ratio", 2},
	{"grip_ratio", 0},
	{"asked_rad", joints},
	{"sent_rad", joints},
	{"sent_effort_nm", joints},
	{"late_ns", 0},
}

const stateStats = 6*joints + 2 + 2

// stateWindow is what the control loop did since the last message.
type stateWindow struct {
	span
	stats [stateStats]stat
	guard twinrig.Intervention           // any
	alarm [twinrig.NumAxes]uint8         // any
	age   [twinrig.NumAxes]time.Duration // greatest
}

func (w *stateWindow) add(r *twinrig.Report) {
	w.span.add(r.Now)
	s := addAll(w.stats[:], r.State.Measured[:])
	s = addAll(s, r.State.Velocity[:])
	s = addAll(s, r.State.Effort[:])
	s = addAll(s, r.State.Load[:])
	s[0].add(float64(r.State.Grip))
	s = addAll(s[1:], r.Asked.Joints[:])
	s = addAll(s, r.Sent.Joints[:])
	s = addAll(s, r.Sent.Effort[:])
	s[0].add(float64(r.Late))
	w.guard |= r.Guard
	for i := range w.alarm {
		w.alarm[i] |= r.State.HardwareError[i]
		w.age[i] = max(w.age[i], r.State.Age[i])
	}
}

func (w *stateWindow) appendJSON(b []byte) []byte {
	b = w.span.appendJSON(b, "reports")
	b = append(b, `,"guard":[`...)
	for i, name := range w.guard.Names() {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), name...), '"')
	}
	b = append(b, `],"hardware_error":[`...)
	for i, v := range w.alarm {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendUint(b, uint64(v))
	}
	b = append(b, `],"oldest_ns":[`...)
	for i, v := range w.age {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(v), 10)
	}
	return appendStats(append(b, ']'), stateQuantities, w.stats[:])
}

var servoQuantities = []quantity{{"voltage_v", 0}, {"temperature_c", 0}, {"current_a", 0}, {"load_ratio", 0}}

// servoWindow is what one servo did since the last message.
type servoWindow struct {
	span
	stats [4]stat
	alarm uint8 // any
	limp  bool  // torque was off at any time
}

func (w *servoWindow) add(h *twinrig.ServoHealth) {
	w.span.add(h.Stamp)
	w.stats[0].add(h.VoltageV)
	w.stats[1].add(h.TemperatureC)
	w.stats[2].add(h.CurrentA)
	w.stats[3].add(h.Load)
	w.alarm |= h.HardwareError
	w.limp = w.limp || !h.TorqueOn
}

func (w *servoWindow) appendJSON(b []byte) []byte {
	b = w.span.appendJSON(b, "reports")
	b = appendUint(append(b, `,"hardware_error":`...), uint64(w.alarm))
	b = strconv.AppendBool(append(b, `,"torque_off":`...), w.limp)
	return appendStats(b, servoQuantities, w.stats[:])
}

var gapQuantities = []quantity{
	{"joints_rad", joints}, {"velocity_rad_s", joints}, {"translation_m", 0}, {"rotation_rad", 0}, {"grip_ratio", 0}, {"behind_ns", 0},
}

// gapWindow is the gap since the last message.
type gapWindow struct {
	span
	stats [2*joints + 4]stat
}

func (w *gapWindow) add(g *twinrig.Gap) {
	w.span.add(g.Stamp)
	s := addAll(w.stats[:], g.Joints[:])
	s = addAll(s, g.Velocity[:])
	s[0].add(g.Translation)
	s[1].add(g.Rotation)
	s[2].add(float64(g.Grip))
	s[3].add(float64(g.Behind))
}

func (w *gapWindow) appendJSON(b []byte) []byte {
	return appendStats(w.span.appendJSON(b, "gaps"), gapQuantities, w.stats[:])
}
