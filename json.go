package twinrig

import (
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// The JSON form of Report, Gap and Event is one for logs, telemetry and pages.
// Each number's key ends in its unit; times are nanoseconds on the rig's
// monotonic clock; a number that is not finite is null. Keys come in a fixed
// order, and numbers are the shortest that read back as the same float64, so
// that equal values give equal bytes.

// AppendJSON appends r as one JSON object. It allocates only to grow b.
func (r *Report) AppendJSON(b []byte) []byte {
	b = appendInt(append(b, `{"tick":`...), r.Tick)
	b = appendInt(append(b, `,"now_ns":`...), r.Now)
	b = r.State.appendJSON(append(b, `,"state":`...))
	b = r.Asked.appendJSON(append(b, `,"asked":{`...))
	b = r.Sent.Goal.appendJSON(append(b, `},"sent":{`...))
	b = appendFloats(append(b, `,"effort_nm":`...), r.Sent.Effort[:])
	b = r.Guard.appendJSON(append(b, `},"guard":`...))
	b = appendInt(append(b, `,"late_ns":`...), r.Late)
	b = appendInt(append(b, `,"misses":`...), r.Misses)
	b = appendInt(append(b, `,"step":`...), r.Step)
	return append(b, '}')
}

func (s *State) appendJSON(b []byte) []byte {
	b = appendInt(append(b, `{"stamp_ns":`...), s.Stamp)
	b = appendFloats(append(b, `,"measured_rad":`...), s.Measured[:])
	b = appendFloats(append(b, `,"velocity_rad_s":`...), s.Velocity[:])
	b = appendFloats(append(b, `,"effort_nm":`...), s.Effort[:])
	b = appendFloats(append(b, `,"load_ratio":`...), s.Load[:])
	b = appendFloat(append(b, `,"grip_ratio":`...), float64(s.Grip))
	b = appendInts(append(b, `,"age_ns":`...), s.Age[:])
	b = appendInts(append(b, `,"hardware_error":`...), s.HardwareError[:])
	return append(b, '}')
}

// appendJSON appends the members, without braces: Command adds one more.
func (g *Goal) appendJSON(b []byte) []byte {
	b = appendFloats(append(b, `"joints_rad":`...), g.Joints[:])
	b = appendFloats(append(b, `,"velocity_rad_s":`...), g.Velocity[:])
	return appendFloat(append(b, `,"grip_ratio":`...), float64(g.Grip))
}

func (v Intervention) appendJSON(b []byte) []byte {
	b = append(b, '[')
	first := true
	for i, name := range interventionNames {
		if v&(1<<i) == 0 {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = appendString(b, name)
	}
	return append(b, ']')
}

// AppendJSON appends g as one JSON object. It allocates only to grow b.
func (g *Gap) AppendJSON(b []byte) []byte {
	b = appendInt(append(b, `{"stamp_ns":`...), g.Stamp)
	b = appendInt(append(b, `,"step":`...), g.Step)
	b = appendFloats(append(b, `,"joints_rad":`...), g.Joints[:])
	b = appendFloats(append(b, `,"velocity_rad_s":`...), g.Velocity[:])
	b = appendFloat(append(b, `,"translation_m":`...), g.Translation)
	b = appendFloat(append(b, `,"rotation_rad":`...), g.Rotation)
	b = appendFloat(append(b, `,"grip_ratio":`...), float64(g.Grip))
	b = appendInt(append(b, `,"behind_ns":`...), g.Behind)
	return append(b, '}')
}

// AppendJSON appends e as one JSON object. It allocates only to grow b.
func (e *Event) AppendJSON(b []byte) []byte {
	b = appendInt(append(b, `{"stamp_ns":`...), e.Stamp)
	b = appendString(append(b, `,"kind":`...), e.Kind)
	b = appendString(append(b, `,"trial":`...), e.Trial)
	b = appendString(append(b, `,"detail":`...), e.Detail)
	return append(b, '}')
}

// MarshalJSON is AppendJSON for encoding/json.
func (r Report) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil), nil }

// MarshalJSON is AppendJSON for encoding/json.
func (g Gap) MarshalJSON() ([]byte, error) { return g.AppendJSON(nil), nil }

// MarshalJSON is AppendJSON for encoding/json.
func (e Event) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil), nil }

// integer is any whole number that a report holds.
type integer interface {
	int | uint64 | uint8 | time.Duration
}

func appendInt[T integer](b []byte, v T) []byte {
	if v < 0 {
		return strconv.AppendInt(b, int64(v), 10)
	}
	return strconv.AppendUint(b, uint64(v), 10)
}

func appendInts[T integer](b []byte, vs []T) []byte {
	b = append(b, '[')
	for i, v := range vs {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendInt(b, v)
	}
	return append(b, ']')
}

func appendFloat(b []byte, v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}

func appendFloats(b []byte, vs []float64) []byte {
	b = append(b, '[')
	for i, v := range vs {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendFloat(b, v)
	}
	return append(b, ']')
}

func appendBool(b []byte, v bool) []byte { return strconv.AppendBool(b, v) }

func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < 0x20:
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
