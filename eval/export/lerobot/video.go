package lerobot

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gocv.io/x/gocv"

	"twinrig"
)

// video writes one MP4 file: H.264 through OpenCV's FFmpeg, every frame after
// 1/fps.
type video struct {
	path   string
	w      *gocv.VideoWriter
	frames int
	width  int
	height int
}

// fourCC is H.264 in an MP4 file, codec and pixFmt are what FFmpeg calls it.
const (
	fourCC = "avc1"
	codec  = "h264"
	pixFmt = "yuv420p"
)

func newVideo(path string, fps, width, height int) (*video, error) {
	if width%2 != 0 || height%2 != 0 {
		return nil, fmt.Errorf("lerobot: a picture of %d x %d pixels is no H.264 frame: width and height must be even", width, height)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("lerobot: %w", err)
	}
	w, err := gocv.VideoWriterFile(path, fourCC, float64(fps), width, height, true)
	if err != nil {
		return nil, fmt.Errorf("lerobot: video: %w", err)
	}
	if !w.IsOpened() {
		return nil, errors.Join(fmt.Errorf("lerobot: video: this OpenCV cannot write H.264 (%s): it needs FFmpeg with libx264, as Debian's has", path), w.Close())
	}
	return &video{path: path, w: w, width: width, height: height}, nil
}

// put appends a frame.
func (v *video) put(f *twinrig.Frame) error {
	if f.W != v.width || f.H != v.height {
		return fmt.Errorf("lerobot: %s: a picture of %d x %d pixels among ones of %d x %d", v.path, f.W, f.H, v.width, v.height)
	}
	rgb, err := gocv.NewMatFromBytes(f.H, f.W, gocv.MatTypeCV8UC3, f.RGB)
	if err != nil {
		return fmt.Errorf("lerobot: video: %w", err)
	}
	defer rgb.Close()
	bgr := gocv.NewMat()
	defer bgr.Close()
	gocv.CvtColor(rgb, &bgr, gocv.ColorBGRToRGB) // swaps, either way
	v.frames++
	if err := v.w.Write(bgr); err != nil {
		return fmt.Errorf("lerobot: video: %w", err)
	}
	return nil
}

func (v *video) close() error {
	if err := v.w.Close(); err != nil {
		return fmt.Errorf("lerobot: video: %w", err)
	}
	return nil
}
