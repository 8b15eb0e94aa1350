package mqtt

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"sync"

	"twinrig"
)

// picture is the newest frame as JPEG that waits, and its counters.
type picture struct {
	mu    sync.Mutex
	pace  pace
	enc   twinrig.JPEGEncoder
	data  []byte // nil: none waits
	seq   uint64 // messages made
	sent  uint64
	drops uint64 // replaced by newer ones
}

// put makes f the newest picture if one is due.
func (p *picture) put(f *twinrig.Frame) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.pace.over(f.Stamp) {
		return false, nil
	}
	jpeg, err := p.enc.Encode(f)
	if err != nil {
		return false, err
	}
	if p.data != nil {
		p.drops++
	}
	p.seq++
	b := fmt.Appendf(nil, `{"stamp_ns":%d,"frame":%d,"width_px":%d,"height_px":%d`, int64(f.Stamp), f.Seq, f.W, f.H)
	b = append(mark{p.seq, p.drops}.appendJSON(b), '}')
	p.data = commented(jpeg, b)
	return true, nil
}

// take takes the picture that waits; nil if there is none.
func (p *picture) take() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	data := p.data
	p.data = nil
	return data
}

// done counts a picture that was taken.
func (p *picture) done(sent bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if sent {
		p.sent++
	} else {
		p.drops++
	}
}

func (p *picture) stats() StreamStats {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := StreamStats{Topic: "camera/jpeg", Published: p.sent, Dropped: p.drops}
	if p.data != nil {
		s.Waiting = 1
	}
	return s
}

// commented puts a comment (marker COM) into a JPEG, after its first marker.
func commented(jpeg, comment []byte) []byte {
	out := make([]byte, 0, len(jpeg)+len(comment)+4)
	out = append(out, jpeg[:2]...)
	out = append(out, 0xff, 0xfe)
	out = binary.BigEndian.AppendUint16(out, uint16(len(comment)+2))
	return append(append(out, comment...), jpeg[2:]...)
}

// PictureInfo is the JSON that a picture of the camera topic carries as its
// JPEG comment; nil if it has none.
func PictureInfo(jpeg []byte) []byte {
	if len(jpeg) < 6 || !bytes.Equal(jpeg[2:4], []byte{0xff, 0xfe}) {
		return nil
	}
	n := int(binary.BigEndian.Uint16(jpeg[4:]))
	if n < 2 || 4+n > len(jpeg) {
		return nil
	}
	return jpeg[6 : 4+n]
}
