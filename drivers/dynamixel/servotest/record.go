package servotest

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"twinrig/drivers/dynamixel"
)

// Exchange is what the host wrote at once, and what it read until it wrote
// again.
type Exchange struct{ Wrote, Read []byte }

// Record is a Port that passes everything on to another and keeps a log. It is
// one goroutine's.
type Record struct {
	dynamixel.Port
	Log []Exchange
}

// Write implements dynamixel.Port.
func (r *Record) Write(b []byte) (int, error) {
	n, err := r.Port.Write(b)
	r.Log = append(r.Log, Exchange{Wrote: bytes.Clone(b[:n])})
	return n, err
}

// Read implements dynamixel.Port.
func (r *Record) Read(b []byte) (int, error) {
	n, err := r.Port.Read(b)
	if len(r.Log) == 0 {
		r.Log = append(r.Log, Exchange{})
	}
	e := &r.Log[len(r.Log)-1]
	e.Read = append(e.Read, b[:n]...)
	return n, err
}

// Playback is a Port that expects exactly what is in Log, and answers from it.
// It is one goroutine's.
type Playback struct {
	Log    []Exchange
	at     int    // of the next exchange
	answer []byte // what is left of the last one's
}

// Write implements dynamixel.Port. It refuses what is not next in the log.
func (p *Playback) Write(b []byte) (int, error) {
	if p.at == len(p.Log) {
		return 0, fmt.Errorf("servotest: playback: exchange %d: wrote % X after the end", p.at, b)
	}
	e := &p.Log[p.at]
	if !bytes.Equal(b, e.Wrote) {
		return 0, fmt.Errorf("servotest: playback: exchange %d: wrote % X, want % X", p.at, b, e.Wrote)
	}
	p.at++
	p.answer = e.Read
	return len(b), nil
}

// Read implements dynamixel.Port. When the answer is used up, the deadline has
// passed.
func (p *Playback) Read(b []byte) (int, error) {
	n := copy(b, p.answer)
	if p.answer = p.answer[n:]; n == 0 && len(b) > 0 {
		return 0, os.ErrDeadlineExceeded
	}
	return n, nil
}

// SetReadTimeout implements dynamixel.Port.
func (p *Playback) SetReadTimeout(time.Duration) error { return nil }

// Close fails if something of the log is left.
func (p *Playback) Close() error {
	var errs []error
	if left := len(p.Log) - p.at; left > 0 {
		errs = append(errs, fmt.Errorf("servotest: playback: %d of %d exchanges were not asked for", left, len(p.Log)))
	}
	if len(p.answer) > 0 {
		errs = append(errs, fmt.Errorf("servotest: playback: %d bytes of the last answer were not read", len(p.answer)))
	}
	return errors.Join(errs...)
}

// WriteLog writes log as text: a line of hex per direction, ">" to the servos
// and "<" from them.
func WriteLog(w io.Writer, log []Exchange) error {
	for _, e := range log {
		if _, err := fmt.Fprintf(w, "> % X\n", e.Wrote); err != nil {
			return err
		}
		if len(e.Read) == 0 {
			continue
		}
		if _, err := fmt.Fprintf(w, "< % X\n", e.Read); err != nil {
			return err
		}
	}
	return nil
}

// ReadLog reads what WriteLog wrote. Empty lines and those that begin with # are
// skipped.
func ReadLog(r io.Reader) ([]Exchange, error) {
	var log []Exchange
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		b, err := hex.DecodeString(strings.ReplaceAll(line[1:], " ", ""))
		switch {
		case err != nil:
			return nil, fmt.Errorf("servotest: log line %d: %w", n, err)
		case line[0] == '>':
			log = append(log, Exchange{Wrote: b})
		case line[0] == '<' && len(log) > 0:
			e := &log[len(log)-1]
			e.Read = append(e.Read, b...)
		default:
			return nil, fmt.Errorf("servotest: log line %d: begins with neither > nor <", n)
		}
	}
	return log, lines.Err()
}
