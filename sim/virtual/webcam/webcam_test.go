package webcam_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/sim/virtual/webcam"
)

// still is a scene in which nothing moves.
func still(f *twinrig.Frame) error {
	f.W, f.H = 64, 48
	f.RGB = f.RGB[:0]
	for y := range f.H {
		for x := range f.W {
			f.RGB = append(f.RGB, byte(4*x), byte(5*y), 60)
		}
	}
	return nil
}

func fast() webcam.Config {
	cfg := webcam.DefaultConfig()
	cfg.Rate = 500
	return cfg
}

func serve(t *testing.T, src webcam.Source, cfg webcam.Config) *webcam.Server {
	t.Helper()
	s, err := webcam.Serve(src, cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// watch opens the stream and returns a function that reads its next picture.
func watch(t *testing.T, url string) func() []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, http.NoBody)
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	t.Cleanup(func() { _ = res.Body.Close() })
	kind, params, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	require.NoError(t, err)
	require.Equal(t, "multipart/x-mixed-replace", kind)
	parts := multipart.NewReader(res.Body, params["boundary"])
	return func() []byte {
		p, err := parts.NextPart()
		require.NoError(t, err)
		require.Equal(t, "image/jpeg", p.Header.Get("Content-Type"))
		data, err := io.ReadAll(p)
		require.NoError(t, err)
		return data
	}
}

func TestPicturesArrive(t *testing.T) {
	next := watch(t, serve(t, still, fast()).URL())
	var want, got twinrig.Frame
	require.NoError(t, still(&want))
	for range 5 {
		require.NoError(t, twinrig.DecodeJPEG(next(), &got))
		require.Equal(t, [2]int{64, 48}, [2]int{got.W, got.H})
		for i := range want.RGB {
			require.InDelta(t, float64(want.RGB[i]), float64(got.RGB[i]), 24)
		}
	}
}

func TestNoPictureNothingSent(t *testing.T) {
	var calls atomic.Int64
	next := watch(t, serve(t, func(f *twinrig.Frame) error {
		if calls.Add(1) <= 3 {
			return twinrig.ErrNoFrame
		}
		return still(f)
	}, fast()).URL())
	next()
	require.GreaterOrEqual(t, calls.Load(), int64(4))
}

func TestFaults(t *testing.T) {
	s := serve(t, still, fast())
	next := watch(t, s.URL())

	// Healthy: the noise makes every picture of the still scene different.
	last := next()
	for range 10 {
		p := next()
		require.False(t, bytes.Equal(last, p))
		last = p
	}
	// Frozen: at last all pictures are equal.
	s.SetFault(webcam.Frozen)
	for equal := 0; equal < 10; {
		p := next()
		if equal++; !bytes.Equal(last, p) {
			equal = 0
		}
		last = p
	}
	// Healthy again.
	s.SetFault(webcam.Healthy)
	for p := last; bytes.Equal(last, p); {
		p = next()
	}
}

func TestWithoutNoiseStillIsStill(t *testing.T) {
	cfg := fast()
	cfg.Noise = 0
	next := watch(t, serve(t, still, cfg).URL())
	require.Equal(t, next(), next())
}

// TestSlowReader has one reader that never reads, beside one that gets more
// than all buffers between the first and the server can hold.
func TestSlowReader(t *testing.T) {
	cfg := fast()
	cfg.Noise, cfg.Quality = 30, 100 // noise does not compress
	s := serve(t, still, cfg)

	u, err := url.Parse(s.URL())
	require.NoError(t, err)
	slow, err := net.Dial("tcp", u.Host)
	require.NoError(t, err)
	defer slow.Close()
	require.NoError(t, slow.(*net.TCPConn).SetReadBuffer(4096))
	_, err = fmt.Fprintf(slow, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", u.Path, u.Host)
	require.NoError(t, err)

	next := watch(t, s.URL())
	for total := 0; total < 2<<20; {
		total += len(next())
	}
}

func TestCloseEndsReaders(t *testing.T) {
	s := serve(t, still, fast())
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, s.URL(), http.NoBody)
	require.NoError(t, err)
	res, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer res.Body.Close()
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	_, _ = io.Copy(io.Discard, res.Body) // returns at all
	_, err = http.DefaultClient.Do(req)  //nolint:bodyclose // there is none
	require.Error(t, err)
}

func TestValidate(t *testing.T) {
	for _, tc := range []struct {
		name string
		edit func(*webcam.Config)
		want string
	}{
		{"rate", func(c *webcam.Config) { c.Rate = 0 }, "rate_hz: 0 is not above 0 and at most 1000"},
		{"quality", func(c *webcam.Config) { c.Quality = 101 }, "jpeg_quality: 101 is not 1 to 100"},
		{"noise", func(c *webcam.Config) { c.Noise = -1 }, "noise_levels: -1 is not 0 to 30"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			cfg := webcam.DefaultConfig()
			require.NoError(t, cfg.Validate())
			tc.edit(&cfg)
			require.EqualError(t, cfg.Validate(), tc.want)
			_, err := webcam.Serve(still, cfg)
			require.EqualError(t, err, "webcam: "+tc.want)
		})
	}
}

func BenchmarkNoiseAndJPEG(b *testing.B) {
	s, err := webcam.Serve(func(f *twinrig.Frame) error {
		f.W, f.H = 640, 480
		if len(f.RGB) == 0 {
			f.RGB = make([]byte, 3*f.W*f.H)
		}
		return nil
	}, webcam.Config{Rate: 1000, Quality: 90, Noise: 1})
	require.NoError(b, err)
	defer s.Close()
	res, err := http.Get(s.URL())
	require.NoError(b, err)
	defer res.Body.Close()
	_, params, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	require.NoError(b, err)
	parts := multipart.NewReader(res.Body, params["boundary"])
	for b.Loop() {
		_, err := parts.NextPart()
		require.NoError(b, err)
	}
}
