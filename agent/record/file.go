package record

import (
	"bytes"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/foxglove/mcap/go/mcap"

	"twinrig"
)

// Topics of the messages; a camera's topic is CameraTopic and its name.
const (
	TickTopic   = "/tick"
	GapTopic    = "/gap"
	EventTopic  = "/event"
	ServoTopic  = "/servo"
	CameraTopic = "/camera/"
)

// The ids of schemas and channels. Cameras' channels follow in the order of
// their first frames.
const (
	tickID uint16 = iota + 1
	gapID
	eventID
	servoID
	cameraID
)

// Names of the metadata records.
const (
	trialRecord   = "trial"
	summaryRecord = "summary"
)

//go:embed schema/*.json
var schemas embed.FS

// errBadFrame is a frame that cannot be encoded; the file is not harmed.
var errBadFrame = errors.New("frame left out")

// file encodes messages into an MCAP stream, on one goroutine.
type file struct {
	mcap     *mcap.Writer
	channels map[uint16]uint32 // messages so far
	cameras  map[string]camera
	jpeg     twinrig.JPEGEncoder
	buf      []byte
}

// camera is one camera's channel, and its name in quotes.
type camera struct {
	channel uint16
	quoted  []byte
}

func newFile(w io.Writer, h *Header, cfg *Config) (*file, error) {
	compression, err := compressionOf(cfg.Compression)
	if err != nil {
		return nil, err
	}
	mw, err := mcap.NewWriter(w, &mcap.WriterOptions{
		Chunked:          true,
		ChunkSize:        int64(cfg.ChunkBytes),
		IncludeCRC:       true,
		Compression:      compression,
		CompressionLevel: mcap.CompressionLevelFastest,
	})
	if err != nil {
		return nil, err
	}
	f := &file{
		mcap:     mw,
		channels: make(map[uint16]uint32),
		cameras:  make(map[string]camera),
		jpeg:     twinrig.JPEGEncoder{Quality: cfg.Quality},
	}
	return f, f.begin(h)
}

// begin writes all that comes before the messages.
func (f *file) begin(h *Header) error {
	if err := f.mcap.WriteHeader(&mcap.Header{}); err != nil {
		return err
	}
	if err := f.mcap.WriteMetadata(&mcap.Metadata{Name: trialRecord, Metadata: h.fields()}); err != nil {
		return err
	}
	for _, a := range h.Attachments {
		err := f.mcap.WriteAttachment(&mcap.Attachment{
			Name: a.Name, MediaType: a.MediaType, DataSize: uint64(len(a.Data)), Data: bytes.NewReader(a.Data),
		})
		if err != nil {
			return err
		}
	}
	topics, err := Topics()
	if err != nil {
		return err
	}
	for i := range topics {
		t := &topics[i]
		if err := f.mcap.WriteSchema(&mcap.Schema{ID: t.id, Name: t.SchemaName, Encoding: "jsonschema", Data: []byte(t.Schema)}); err != nil {
			return err
		}
		if t.Name == CameraTopic { // each camera's channel comes with its first frame
			continue
		}
		if err := f.channel(t.id, t.id, t.Name); err != nil {
			return err
		}
	}
	return nil
}

func (f *file) channel(id, schema uint16, topic string) error {
	return f.mcap.WriteChannel(&mcap.Channel{ID: id, SchemaID: schema, Topic: topic, MessageEncoding: "json"})
}

func (f *file) tick(r *twinrig.Report) error {
	f.buf = r.AppendJSON(f.buf[:0])
	return f.message(tickID, r.Now)
}

func (f *file) gap(g *twinrig.Gap) error {
	f.buf = g.AppendJSON(f.buf[:0])
	return f.message(gapID, g.Stamp)
}

func (f *file) event(e *twinrig.Event) error {
	f.buf = e.AppendJSON(f.buf[:0])
	return f.message(eventID, e.Stamp)
}

func (f *file) servo(h *twinrig.ServoHealth) error {
	f.buf = h.AppendJSON(f.buf[:0])
	return f.message(servoID, h.Stamp)
}

func (f *file) frame(v *view) error {
	jpeg, err := f.jpeg.Encode(&v.frame)
	if err != nil {
		return fmt.Errorf("%w: camera %s: %w", errBadFrame, v.camera, err)
	}
	cam, err := f.camera(v.camera)
	if err != nil {
		return err
	}
	f.buf = appendImage(f.buf[:0], cam.quoted, &v.frame, jpeg)
	return f.message(cam.channel, v.frame.Stamp)
}

// AppendImage appends a camera's picture as a message of its topic; jpeg is the frame's.
func AppendImage(b []byte, camera string, frame *twinrig.Frame, jpeg []byte) ([]byte, error) {
	quoted, err := json.Marshal(camera)
	if err != nil {
		return b, fmt.Errorf("record: camera %s: %w", camera, err)
	}
	return appendImage(b, quoted, frame, jpeg), nil
}

func appendImage(b, quoted []byte, frame *twinrig.Frame, jpeg []byte) []byte {
	b = append(b, `{"timestamp":{"sec":`...)
	b = strconv.AppendInt(b, int64(frame.Stamp/time.Second), 10)
	b = append(b, `,"nsec":`...)
	b = strconv.AppendInt(b, int64(frame.Stamp%time.Second), 10)
	b = append(b, `},"frame_id":`...)
	b = append(b, quoted...)
	b = append(b, `,"format":"jpeg","seq":`...)
	b = strconv.AppendUint(b, frame.Seq, 10)
	b = append(b, `,"data":"`...)
	b = base64.StdEncoding.AppendEncode(b, jpeg)
	return append(b, `"}`...)
}

// camera returns the channel of a camera, which begins with its first frame.
func (f *file) camera(name string) (camera, error) {
	if cam, known := f.cameras[name]; known {
		return cam, nil
	}
	quoted, err := json.Marshal(name)
	if err != nil {
		return camera{}, err
	}
	cam := camera{cameraID + uint16(len(f.cameras)), quoted}
	f.cameras[name] = cam
	return cam, f.channel(cam.channel, cameraID, CameraTopic+name)
}

// message writes f.buf.
func (f *file) message(channel uint16, at time.Duration) error {
	seq := f.channels[channel]
	f.channels[channel] = seq + 1
	return f.mcap.WriteMessage(&mcap.Message{
		ChannelID: channel, Sequence: seq, LogTime: uint64(at), PublishTime: uint64(at), Data: f.buf,
	})
}

// end writes the summary and the index.
func (f *file) end(s Stats) error {
	if err := f.mcap.WriteMetadata(&mcap.Metadata{Name: summaryRecord, Metadata: s.fields()}); err != nil {
		return err
	}
	return f.mcap.Close()
}

// compressionOf maps a configured word to MCAP's.
func compressionOf(word string) (mcap.CompressionFormat, error) {
	switch word {
	case "none":
		return mcap.CompressionNone, nil
	case "lz4":
		return mcap.CompressionLZ4, nil
	case "zstd":
		return mcap.CompressionZSTD, nil
	}
	return "", fmt.Errorf("%q is not none, lz4 or zstd", word)
}
