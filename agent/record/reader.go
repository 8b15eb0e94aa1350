package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/foxglove/mcap/go/mcap"

	"twinrig"
)

// Visitor is told what a recording holds, in the file's order. What is nil is
// skipped without being decoded. Pointers are valid during the call; an error
// ends the reading and is returned.
type Visitor struct {
	Tick  func(*twinrig.Report) error
	Gap   func(*twinrig.Gap) error
	Event func(*twinrig.Event) error
	Servo func(*twinrig.ServoHealth) error
	Frame func(*Image) error
}

// Image is one recorded picture.
type Image struct {
	// Camera is the name given to PutFrame.
	Camera string
	// Stamp and Seq are the frame's.
	Stamp time.Duration
	Seq   uint64
	// JPEG is the picture; twinrig.DecodeJPEG gives its pixels.
	JPEG []byte
}

// Info describes a recording that has been read.
type Info struct {
	Header
	// Read counts the messages that were read, visited or not.
	Read Stats
	// Summary is what the writer counted; nil when the recording was cut off
	// before its end.
	Summary *Stats
	// Damage is why the reading ended before the end of the recording; nil
	// when it is whole. All before it has been read.
	Damage error
}

// Read reads a recording. A recording that was cut off is not an error: all
// its whole chunks are read, and Info.Damage tells where it ends.
func Read(path string, v Visitor) (*Info, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	defer f.Close()
	info, err := read(f, v)
	if err != nil {
		return nil, fmt.Errorf("record: %s: %w", path, err)
	}
	return info, nil
}

// ErrNoRecording is a file that does not even begin as a recording.
var ErrNoRecording = errors.New("not a recording")

// reading is one pass over a recording.
type reading struct {
	v       Visitor
	info    Info
	topics  map[uint16]string
	started bool // a header has been seen
	ended   bool // the end of the messages has been seen
}

func read(src io.Reader, v Visitor) (*Info, error) {
	r := reading{v: v, topics: make(map[uint16]string)}
	lexer, err := mcap.NewLexer(src, &mcap.LexerOptions{
		ValidateChunkCRCs:  true,
		AttachmentCallback: r.attachment,
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoRecording, err)
	}
	defer lexer.Close()
	var buf []byte
	for !r.ended {
		token, record, err := lexer.Next(buf)
		if err != nil {
			r.info.Damage = r.damage(err)
			break
		}
		if cap(record) > cap(buf) {
			buf = record
		}
		if err := r.record(token, record); err != nil {
			return nil, err
		}
	}
	if r.info.Damage != nil {
		r.info.Summary = nil // it comes before the last chunk
	}
	if !r.started {
		return nil, fmt.Errorf("%w: %w", ErrNoRecording, r.info.Damage)
	}
	return &r.info, nil
}

// damage describes where a recording ends too early.
func (r *reading) damage(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("cut off after %d ticks and %d frames: %w", r.info.Read.Ticks, r.info.Read.Frames, err)
}

// record takes one record in.
func (r *reading) record(token mcap.TokenType, record []byte) error {
	switch token {
	case mcap.TokenHeader:
		r.started = true
	case mcap.TokenDataEnd:
		r.ended = true
	case mcap.TokenChannel:
		c, err := mcap.ParseChannel(record)
		if err != nil {
			return err
		}
		r.topics[c.ID] = c.Topic
	case mcap.TokenMetadata:
		m, err := mcap.ParseMetadata(record)
		if err != nil {
			return err
		}
		return r.metadata(m)
	case mcap.TokenMessage:
		m, err := mcap.ParseMessage(record)
		if err != nil {
			return err
		}
		return r.message(r.topics[m.ChannelID], m)
	}
	return nil
}

func (r *reading) metadata(m *mcap.Metadata) error {
	switch m.Name {
	case trialRecord:
		attachments := r.info.Attachments
		r.info.Header = headerOf(m.Metadata)
		r.info.Attachments = attachments
	case summaryRecord:
		s, err := statsOf(m.Metadata)
		if err != nil {
			return err
		}
		r.info.Summary = &s
	}
	return nil
}

func (r *reading) attachment(a *mcap.AttachmentReader) error {
	data, err := io.ReadAll(a.Data())
	if err != nil {
		return err
	}
	if uint64(len(data)) != a.DataSize {
		return io.ErrUnexpectedEOF
	}
	r.info.Attachments = append(r.info.Attachments, Attachment{a.Name, a.MediaType, data})
	return nil
}

// message visits one message.
func (r *reading) message(topic string, m *mcap.Message) error {
	n := &r.info.Read
	switch {
	case topic == TickTopic:
		return visit(&n.Ticks, r.v.Tick, m.Data)
	case topic == GapTopic:
		return visit(&n.Gaps, r.v.Gap, m.Data)
	case topic == EventTopic:
		return visit(&n.Events, r.v.Event, m.Data)
	case topic == ServoTopic:
		return visit(&n.Servos, r.v.Servo, m.Data)
	case strings.HasPrefix(topic, CameraTopic):
		return visit(&n.Frames, r.v.Frame, m.Data)
	}
	return nil // somebody else's topic
}

func visit[T any](n *uint64, f func(*T) error, data []byte) error {
	*n++
	if f == nil {
		return nil
	}
	var v T
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	return f(&v)
}

// UnmarshalJSON reads foxglove.CompressedImage.
func (i *Image) UnmarshalJSON(data []byte) error {
	var in struct {
		Timestamp struct {
			Sec  int64 `json:"sec"`
			Nsec int64 `json:"nsec"`
		} `json:"timestamp"`
		FrameID string `json:"frame_id"`
		Seq     uint64 `json:"seq"`
		Data    []byte `json:"data"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("image: %w", err)
	}
	stamp := time.Duration(in.Timestamp.Sec)*time.Second + time.Duration(in.Timestamp.Nsec)
	*i = Image{in.FrameID, stamp, in.Seq, in.Data}
	return nil
}
