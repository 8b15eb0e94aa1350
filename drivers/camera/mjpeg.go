package camera

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"gocv.io/x/gocv"
)

const (
	// linkTimeout is how long a stream may be silent before it counts as lost.
	linkTimeout = 5 * time.Second
	// maxPicture bounds one picture of a stream, bytes.
	maxPicture = 32 << 20
)

// errSilent ends the context of a stream that sends nothing.
var errSilent = fmt.Errorf("silent for %v", linkTimeout)

// mjpeg reads multipart/x-mixed-replace with a Content-Length per picture, as
// webcam servers send it. FFmpeg's reader could not be interrupted, and a
// multipart reader that looks for the boundary is one picture late.
type mjpeg struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	clock  func() time.Duration
	silent *time.Timer // cancels
	body   io.Closer
	r      *bufio.Reader
	jpeg   []byte
}

func openMJPEG(ctx context.Context, url string, clock func() time.Duration) (source, error) {
	s := &mjpeg{clock: clock}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	s.silent = time.AfterFunc(linkTimeout, func() { s.cancel(errSilent) })
	res, err := s.request(url)
	if err != nil {
		s.close()
		return nil, err
	}
	s.body, s.r = res.Body, bufio.NewReaderSize(res.Body, 64<<10)
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if res.StatusCode != http.StatusOK || kind != "multipart/x-mixed-replace" {
		s.close()
		return nil, fmt.Errorf("answers %s with %q, not an MJPEG stream: correct the source", res.Status, kind)
	}
	return s, nil
}

func (s *mjpeg) request(url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(s.ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Do(req)
	if err != nil {
		// The error repeats the address, which is the camera's name already.
		if inner := errors.Unwrap(err); inner != nil {
			err = inner
		}
		return nil, fmt.Errorf("%w: start what serves it, or correct the source", s.why(err))
	}
	return res, nil
}

func (s *mjpeg) read(m *gocv.Mat) (time.Duration, error) {
	s.silent.Reset(linkTimeout)
	n, err := s.head()
	if err != nil {
		return 0, fmt.Errorf("stream: %w", s.why(err))
	}
	if cap(s.jpeg) < n {
		s.jpeg = make([]byte, n+n/4)
	}
	s.jpeg = s.jpeg[:n]
	if _, err := io.ReadFull(s.r, s.jpeg); err != nil {
		return 0, fmt.Errorf("stream: %w", s.why(err))
	}
	stamp := s.clock()
	picture, err := gocv.IMDecode(s.jpeg, gocv.IMReadColor)
	if err != nil {
		return 0, fmt.Errorf("stream: %w", err)
	}
	m.Close()
	*m = picture
	if m.Empty() {
		return 0, errors.New("stream: not a JPEG")
	}
	return stamp, nil
}

// why is the reason for which the context ended, if it did, else err.
func (s *mjpeg) why(err error) error {
	if cause := context.Cause(s.ctx); cause != nil {
		return cause
	}
	return err
}

// head reads on to the next picture and returns its length.
func (s *mjpeg) head() (int, error) {
	length := 0
	for {
		line, err := s.r.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		key, value, isHeader := strings.Cut(strings.TrimSpace(string(line)), ":")
		switch {
		case isHeader && strings.EqualFold(key, "Content-Length"):
			length, err = strconv.Atoi(strings.TrimSpace(value))
			if err != nil || length < 1 || length > maxPicture {
				return 0, fmt.Errorf("picture of %q bytes", value)
			}
		case key == "" && length > 0:
			return length, nil
		}
	}
}

func (s *mjpeg) close() {
	s.silent.Stop()
	s.cancel(nil)
	if s.body != nil {
		s.body.Close()
	}
}
