package record

import (
	"fmt"
	"maps"
	"strconv"
)

// Header describes a trial, before it begins.
type Header struct {
	// Trial and Rig are their ids.
	Trial, Rig string
	// Kind is what moved: "real", "virtual" or "sim".
	Kind string
	// Fields are further descriptions: scene, policy, seed, digests.
	Fields map[string]string
	// Attachments are whole files, such as the resolved configuration and the
	// calibration.
	Attachments []Attachment
}

// Attachment is a file inside the recording.
type Attachment struct {
	Name, MediaType string
	Data            []byte
}

func (h *Header) fields() map[string]string {
	m := maps.Clone(h.Fields)
	if m == nil {
		m = make(map[string]string)
	}
	m["trial"], m["rig"], m["kind"] = h.Trial, h.Rig, h.Kind
	return m
}

func headerOf(m map[string]string) Header {
	h := Header{Trial: m["trial"], Rig: m["rig"], Kind: m["kind"]}
	for k, v := range m {
		if k == "trial" || k == "rig" || k == "kind" {
			continue
		}
		if h.Fields == nil {
			h.Fields = make(map[string]string)
		}
		h.Fields[k] = v
	}
	return h
}

// Stats counts messages.
type Stats struct {
	// Written messages.
	Ticks, Gaps, Events, Servos, Frames uint64
	// Messages that found their queue full.
	DroppedTicks, DroppedGaps, DroppedEvents, DroppedFrames uint64
}

// Dropped is the number of all dropped messages.
func (s *Stats) Dropped() uint64 {
	return s.DroppedTicks + s.DroppedGaps + s.DroppedEvents + s.DroppedFrames
}

// list names the counts, in the words of the file.
func (s *Stats) list() []count {
	return []count{
		{"ticks", &s.Ticks},
		{"gaps", &s.Gaps},
		{"events", &s.Events},
		{"servos", &s.Servos},
		{"frames", &s.Frames},
		{"dropped_ticks", &s.DroppedTicks},
		{"dropped_gaps", &s.DroppedGaps},
		{"dropped_events", &s.DroppedEvents},
		{"dropped_frames", &s.DroppedFrames},
	}
}

type count struct {
	key   string
	value *uint64
}

func (s *Stats) fields() map[string]string {
	m := make(map[string]string)
	for _, c := range s.list() {
		m[c.key] = strconv.FormatUint(*c.value, 10)
	}
	return m
}

func statsOf(m map[string]string) (Stats, error) {
	var s Stats
	for _, c := range s.list() {
		text, there := m[c.key]
		if !there && c.value == &s.Servos {
			continue // older than the servos' messages
		}
		v, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return Stats{}, fmt.Errorf("summary: %s: %w", c.key, err)
		}
		*c.value = v
	}
	return s, nil
}
