package camera_test

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/drivers/camera"
	"twinrig/sim/virtual/webcam"
)

const w, h = 64, 48

// clock is a rig's clock that stands still until it is told.
type clock struct{ now atomic.Int64 }

func (c *clock) read() time.Duration  { return time.Duration(c.now.Load()) }
func (c *clock) set(at time.Duration) { c.now.Store(int64(at)) }

// picture is red on the left, green on the right, blue grows downwards.
func picture(f *twinrig.Frame) error {
	f.W, f.H = w, h
	f.RGB = f.RGB[:0]
	for y := range h {
		for x := range w {
			f.RGB = append(f.RGB, byte(250-3*x), byte(40+3*x), byte(2*y))
		}
	}
	return nil
}

func config(source string) camera.Config {
	cfg := camera.DefaultConfig()
	cfg.Source, cfg.Width, cfg.Height, cfg.Rate = source, w, h, 500
	cfg.Retry = time.Millisecond
	return cfg
}

func open(t *testing.T, cfg camera.Config, c *clock) *camera.Camera {
	t.Helper()
	cam, err := camera.Open(cfg, c.read)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, cam.Close()) })
	return cam
}

func serve(t *testing.T) *webcam.Server {
	t.Helper()
	s, err := webcam.Serve(picture, webcam.Config{Rate: 500, Quality: 95, Noise: 1, Seed: 1})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func TestStream(t *testing.T) {
	var now clock
	cam := open(t, config(serve(t).URL()), &now)
	now.set(7 * time.Second)
	var want, got twinrig.Frame
	require.NoError(t, picture(&want))
	for n := uint64(0); n < 20; n = got.Seq {
		require.NoError(t, cam.Wait(t.Context(), n, &got))
		require.Greater(t, got.Seq, n)
		require.Equal(t, [2]int{w, h}, [2]int{got.W, got.H})
		for i := range want.RGB {
			require.InDelta(t, float64(want.RGB[i]), float64(got.RGB[i]), 24, "byte %d", i)
		}
	}
	require.Equal(t, 7*time.Second, got.Stamp)
}

func TestLatestIsStaleByTheClock(t *testing.T) {
	var now clock
	s := serve(t)
	cam := open(t, config(s.URL()), &now)
	var f twinrig.Frame
	require.NoError(t, cam.Wait(t.Context(), 0, &f))
	require.NoError(t, s.Close())
	waitLost(t, cam)

	now.set(499 * time.Millisecond)
	require.NoError(t, cam.Latest(&f))
	now.set(600 * time.Millisecond)
	err := cam.Latest(&f)
	require.ErrorIs(t, err, camera.ErrStale)
	require.Equal(t, time.Duration(0), f.Stamp, "the last picture is there all the same")
	require.Len(t, f.RGB, 3*w*h)
	health := cam.Health()
	require.True(t, health.Stale)
	require.Equal(t, 600*time.Millisecond, health.Age)
}

func TestFrozen(t *testing.T) {
	var now clock
	s := serve(t)
	cam := open(t, config(s.URL()), &now)
	var f twinrig.Frame
	require.NoError(t, cam.Wait(t.Context(), 20, &f))
	require.NoError(t, cam.Latest(&f), "noise makes a still scene differ")

	s.SetFault(webcam.Frozen)
	for !cam.Health().Frozen {
		require.NoError(t, cam.Wait(t.Context(), f.Seq, &f))
	}
	require.ErrorIs(t, cam.Latest(&f), camera.ErrFrozen)
	hash := cam.Health().Hash

	s.SetFault(webcam.Healthy)
	for cam.Health().Frozen {
		require.NoError(t, cam.Wait(t.Context(), f.Seq, &f))
	}
	require.NoError(t, cam.Latest(&f))
	require.NotEqual(t, hash, cam.Health().Hash)
}

// TestLostStreamIsFoundAgain has a server that sends one picture a connection.
func TestLostStreamIsFoundAgain(t *testing.T) {
	var enc twinrig.JPEGEncoder
	var f twinrig.Frame
	require.NoError(t, picture(&f))
	jpeg, err := enc.Encode(&f)
	require.NoError(t, err)
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "multipart/x-mixed-replace; boundary=b")
		fmt.Fprintf(rw, "--b\r\ncontent-length: %d\r\n\r\n%s\r\n", len(jpeg), jpeg)
	}))
	defer s.Close()
	var now clock
	cam := open(t, config(s.URL), &now)
	for n := uint64(0); n < 4; n = f.Seq {
		require.NoError(t, cam.Wait(t.Context(), n, &f))
	}
	require.GreaterOrEqual(t, cam.Health().Reopened, uint64(3))
}

func TestStreamsThatAreNone(t *testing.T) {
	for _, tc := range []struct{ name, kind, body, want string }{
		{"web page", "text/html", "<html>", `answers 200 OK with "text/html", not an MJPEG stream: correct the source`},
		{"huge picture", "", "--b\r\nContent-Length: 99999999\r\n\r\n", `stream: picture of " 99999999" bytes`},
		{"no picture", "", "--b\r\nContent-Length: 5\r\n\r\nhello\r\n", "stream: not a JPEG"},
		{"cut", "", "--b\r\nContent-Length: 500\r\n\r\nhello", "stream: unexpected EOF"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
				kind := tc.kind
				if kind == "" {
					kind = "multipart/x-mixed-replace; boundary=b"
				}
				rw.Header().Set("Content-Type", kind)
				fmt.Fprint(rw, tc.body)
			}))
			defer s.Close()
			var now clock
			cam, err := camera.Open(config(s.URL), now.read)
			if err == nil {
				defer cam.Close()
				waitLost(t, cam)
				err = cam.Latest(&twinrig.Frame{})
				require.ErrorIs(t, err, twinrig.ErrNoFrame)
			}
			require.ErrorContains(t, err, s.URL+": ")
			require.ErrorContains(t, err, tc.want)
		})
	}
}

// waitLost waits until the camera says why it has no source.
func waitLost(t *testing.T, cam *camera.Camera) {
	t.Helper()
	var f twinrig.Frame
	for cam.Health().Err == nil {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		_ = cam.Wait(ctx, f.Seq, &f)
		cancel()
	}
}

func TestWrongSize(t *testing.T) {
	var now clock
	cfg := config(serve(t).URL())
	cfg.Width = 640
	cam := open(t, cfg, &now)
	waitLost(t, cam)
	require.ErrorContains(t, cam.Latest(&twinrig.Frame{}), "gives 64 x 48 pixels, not the configured 640 x 48")
}

// sequence writes n pictures, each of one colour, and returns their pattern.
func sequence(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		img := image.NewRGBA(image.Rect(0, 0, w, h))
		for p := range w * h {
			img.Set(p%w, p/w, color.RGBA{byte(10 + i), 100, 200, 255})
		}
		f, err := os.Create(filepath.Join(dir, fmt.Sprintf("img%04d.png", i)))
		require.NoError(t, err)
		require.NoError(t, png.Encode(f, img))
		require.NoError(t, f.Close())
	}
	return filepath.Join(dir, "img%04d.png")
}

func TestFileSequence(t *testing.T) {
	var now clock
	cam := open(t, config(sequence(t, 5)), &now)
	var f twinrig.Frame
	var err error
	for err == nil {
		err = cam.Wait(t.Context(), f.Seq, &f)
	}
	require.ErrorContains(t, err, ": ended")
	require.Equal(t, uint64(5), f.Seq)
	require.Equal(t, []byte{14, 100, 200}, f.RGB[:3], "RGB, not BGR")
	require.NoError(t, cam.Latest(&f))
	now.set(time.Second)
	require.ErrorIs(t, cam.Latest(&f), camera.ErrStale)
}

func TestFileLoops(t *testing.T) {
	var now clock
	cfg := config(sequence(t, 3))
	cfg.Loop = true
	cam := open(t, cfg, &now)
	var f twinrig.Frame
	for f.Seq < 10 {
		require.NoError(t, cam.Wait(t.Context(), f.Seq, &f))
	}
	require.GreaterOrEqual(t, cam.Health().Reopened, uint64(3))
}

func TestMissing(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.txt")
	require.NoError(t, os.WriteFile(text, []byte("no video"), 0o600))
	for _, tc := range []struct{ source, want string }{
		{"/dev/video97", "no such device: plug the camera in, or set the source to one that `ls /dev/v4l/by-id/` lists"},
		{"/dev/null", "not a camera, or in use: `fuser -v /dev/null` tells by whom"},
		{"http://127.0.0.1:1/stream.mjpg", "dial tcp 127.0.0.1:1: connect: connection refused: start what serves it, or correct the source"},
		{dir + "/none.mp4", "stat " + dir + "/none.mp4: no such file or directory: a source is a file, /dev/videoN or an http:// address"},
		{text, "not a video or picture sequence that OpenCV can read"},
	} {
		var now clock
		_, err := camera.Open(config(tc.source), now.read)
		require.EqualError(t, err, "camera: "+tc.source+": "+tc.want)
	}
}

func TestBeforeTheFirstPicture(t *testing.T) {
	s, err := webcam.Serve(func(*twinrig.Frame) error { return twinrig.ErrNoFrame }, webcam.DefaultConfig())
	require.NoError(t, err)
	defer s.Close()
	var now clock
	cam := open(t, config(s.URL()), &now)
	var f twinrig.Frame
	require.ErrorIs(t, cam.Latest(&f), twinrig.ErrNoFrame)
	require.Equal(t, camera.Health{Source: s.URL()}, cam.Health())

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, cam.Wait(ctx, 0, &f), context.Canceled)
	require.NoError(t, cam.Close())
	require.Error(t, cam.Wait(t.Context(), 0, &f), "Wait ends with the camera")
}

func TestLatestReusesMemory(t *testing.T) {
	var now clock
	cam := open(t, config(sequence(t, 1)), &now)
	var f twinrig.Frame
	require.NoError(t, cam.Wait(t.Context(), 0, &f))
	require.Zero(t, testing.AllocsPerRun(20, func() {
		if err := cam.Latest(&f); err != nil {
			t.Fatal(err)
		}
	}))
}

func TestValidate(t *testing.T) {
	for _, tc := range []struct {
		edit func(*camera.Config)
		want string
	}{
		{func(c *camera.Config) { c.Source = "" }, "source: is empty"},
		{func(c *camera.Config) { c.Width = 0 }, "width_px: 0 is not 1 to 8192"},
		{func(c *camera.Config) { c.Height = 9000 }, "height_px: 9000 is not 1 to 8192"},
		{func(c *camera.Config) { c.Rate = -1 }, "rate_hz: -1 is not above 0 and at most 1000"},
		{func(c *camera.Config) { c.Format = "YUV" }, `format: "YUV" is not a four-character code`},
		{func(c *camera.Config) { c.StaleAfter = 0 }, "stale_after: 0s is not above 0"},
		{func(c *camera.Config) { c.FrozenAfter = 1 }, "frozen_after_frames: 1 is not 0 (never) or at least 2"},
		{func(c *camera.Config) { c.Retry = 0 }, "retry: 0s is not above 0"},
		{func(c *camera.Config) { c.Controls.Exposure = new(time.Duration) }, "controls: exposure: 0s is below 100µs"},
		{func(c *camera.Config) { hz := 55; c.Controls.PowerLine = &hz }, "controls: power_line_hz: 55 is not 0, 50 or 60"},
	} {
		cfg := camera.DefaultConfig()
		require.NoError(t, cfg.Validate())
		tc.edit(&cfg)
		require.EqualError(t, cfg.Validate(), tc.want)
		_, err := camera.Open(cfg, nil)
		require.EqualError(t, err, "camera: "+tc.want)
	}
}
