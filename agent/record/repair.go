package record

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/foxglove/mcap/go/mcap"
)

// repairRecord names the metadata of a repaired recording; its "damage" says
// what the original lacked.
const repairRecord = "repair"

// Repair copies what can be read of the recording at src to a whole recording
// at dst, with an index, so that other programs open it. It never overwrites.
func Repair(src, dst string) (*Info, error) {
	in, err := os.Open(src)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	defer in.Close()
	info, err := read(in, Visitor{})
	if err != nil {
		return nil, fmt.Errorf("record: %s: %w", src, err)
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	out, err := os.OpenFile(dst, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	buffered := bufio.NewWriterSize(out, 1<<20)
	err = rewrite(in, buffered, info)
	for _, finish := range []func() error{buffered.Flush, out.Sync, out.Close} {
		if e := finish(); err == nil {
			err = e
		}
	}
	if err != nil {
		return nil, fmt.Errorf("record: %s: %w", dst, err)
	}
	return info, nil
}

// rewrite copies records until the first that cannot be read.
func rewrite(src io.Reader, dst io.Writer, info *Info) error {
	w, err := mcap.NewWriter(dst, &mcap.WriterOptions{
		Chunked:          true,
		ChunkSize:        int64(DefaultConfig().ChunkBytes),
		IncludeCRC:       true,
		Compression:      mcap.CompressionZSTD,
		CompressionLevel: mcap.CompressionLevelFastest,
	})
	if err != nil {
		return err
	}
	lexer, err := mcap.NewLexer(src, &mcap.LexerOptions{
		ValidateChunkCRCs: true,
		AttachmentCallback: func(a *mcap.AttachmentReader) error {
			data, err := io.ReadAll(a.Data())
			if err != nil || uint64(len(data)) != a.DataSize {
				return io.ErrUnexpectedEOF
			}
			return w.WriteAttachment(&mcap.Attachment{
				LogTime: a.LogTime, CreateTime: a.CreateTime, Name: a.Name, MediaType: a.MediaType,
				DataSize: a.DataSize, Data: bytes.NewReader(data),
			})
		},
	})
	if err != nil {
		return err
	}
	defer lexer.Close()
	for {
		token, record, err := lexer.Next(nil)
		if err != nil || token == mcap.TokenDataEnd {
			break
		}
		if err := copyRecord(w, token, record, info.Damage == nil); err != nil {
			return err
		}
	}
	if info.Damage != nil {
		err := w.WriteMetadata(&mcap.Metadata{
			Name: repairRecord, Metadata: map[string]string{"damage": info.Damage.Error()},
		})
		if err != nil {
			return err
		}
	}
	return w.Close()
}

// copyRecord copies one record. Indexes are made anew, and the summary of what
// is not all there any more is left out.
func copyRecord(w *mcap.Writer, token mcap.TokenType, record []byte, whole bool) error {
	switch token {
	case mcap.TokenHeader:
		return copyParsed(record, mcap.ParseHeader, w.WriteHeader)
	case mcap.TokenMetadata:
		return copyParsed(record, mcap.ParseMetadata, func(m *mcap.Metadata) error {
			if m.Name == summaryRecord && !whole {
				return nil
			}
			return w.WriteMetadata(m)
		})
	case mcap.TokenSchema:
		return copyParsed(record, mcap.ParseSchema, w.WriteSchema)
	case mcap.TokenChannel:
		return copyParsed(record, mcap.ParseChannel, w.WriteChannel)
	case mcap.TokenMessage:
		return copyParsed(record, mcap.ParseMessage, w.WriteMessage)
	}
	return nil
}

func copyParsed[T any](record []byte, parse func([]byte) (*T, error), write func(*T) error) error {
	v, err := parse(record)
	if err != nil {
		return err
	}
	return write(v)
}
