package camera

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"gocv.io/x/gocv"
)

// errEnded is a file's end.
var errEnded = errors.New("ended")

// source gives pictures one after the other, to one goroutine.
type source interface {
	// read waits for the next picture, puts it into m as BGR and returns when
	// it came. Where it can, it returns soon when the context of its opening
	// ends.
	read(m *gocv.Mat) (time.Duration, error)
	// close releases the source.
	close()
}

// openSource opens what the configuration names. An error tells the cure.
func (c *Camera) openSource(ctx context.Context) (source, error) {
	switch name := c.cfg.Source; {
	case strings.HasPrefix(name, "http://"), strings.HasPrefix(name, "https://"):
		return openMJPEG(ctx, name, c.clock)
	case strings.HasPrefix(name, "/dev/"):
		return openDevice(&c.cfg, c.clock)
	default:
		return openFile(ctx, &c.cfg, c.clock)
	}
}

// device is a V4L2 camera. It knows no context; its read gives up after
// OpenCV's ten seconds.
type device struct {
	capture *gocv.VideoCapture
	clock   func() time.Duration
}

func openDevice(cfg *Config, clock func() time.Duration) (source, error) {
	if _, err := os.Stat(cfg.Source); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, errors.New("no such device: plug the camera in, or set the source to one that `ls /dev/v4l/by-id/` lists")
		}
		return nil, err
	}
	if f, err := os.OpenFile(cfg.Source, os.O_RDWR, 0); err == nil {
		f.Close()
	} else if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("%w: add yourself to the group video (`sudo usermod -aG video $USER`) and log in again", err)
	}
	capture, err := gocv.VideoCaptureFileWithAPI(cfg.Source, gocv.VideoCaptureV4L2)
	if err != nil {
		capture.Close()
		return nil, errors.New("not a camera, or in use: `fuser -v " + cfg.Source + "` tells by whom")
	}
	if cfg.Format != "" {
		capture.Set(gocv.VideoCaptureFOURCC, capture.ToCodec(cfg.Format))
	}
	capture.Set(gocv.VideoCaptureFrameWidth, float64(cfg.Width))
	capture.Set(gocv.VideoCaptureFrameHeight, float64(cfg.Height))
	capture.Set(gocv.VideoCaptureFPS, cfg.Rate)
	if err := setControls(cfg.Source, cfg.Controls.settings()); err != nil {
		capture.Close()
		return nil, err
	}
	return &device{capture, clock}, nil
}

func (d *device) read(m *gocv.Mat) (time.Duration, error) {
	if !d.capture.Read(m) || m.Empty() {
		return 0, errors.New("no picture: unplugged, or its USB link is too slow")
	}
	return d.clock(), nil
}

func (d *device) close() { d.capture.Close() }

// file plays a video or a picture sequence at the configured rate.
type file struct {
	capture *gocv.VideoCapture
	clock   func() time.Duration
	ticker  *time.Ticker
	done    <-chan struct{}
}

func openFile(ctx context.Context, cfg *Config, clock func() time.Duration) (source, error) {
	backend := gocv.VideoCaptureFFmpeg
	if strings.Contains(cfg.Source, "%") {
		backend = gocv.VideoCaptureImages
	} else if _, err := os.Stat(cfg.Source); err != nil {
		return nil, fmt.Errorf("%w: a source is a file, /dev/videoN or an http:// address", err)
	}
	capture, err := gocv.VideoCaptureFileWithAPI(cfg.Source, backend)
	if err != nil {
		capture.Close()
		return nil, errors.New("not a video or picture sequence that OpenCV can read")
	}
	period := time.Duration(float64(time.Second) / cfg.Rate)
	return &file{capture, clock, time.NewTicker(period), ctx.Done()}, nil
}

func (f *file) read(m *gocv.Mat) (time.Duration, error) {
	select {
	case <-f.done:
		return 0, errEnded
	case <-f.ticker.C:
	}
	if !f.capture.Read(m) || m.Empty() {
		return 0, errEnded
	}
	return f.clock(), nil
}

func (f *file) close() {
	f.ticker.Stop()
	f.capture.Close()
}
