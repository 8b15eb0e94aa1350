package intrinsics

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"

	"twinrig"
	"twinrig/calib/target"
)

// Camera is what Capture needs: the next picture whose number is above seq.
type Camera interface {
	Wait(ctx context.Context, seq uint64, f *twinrig.Frame) error
}

// Progress is what Capture tells after each picture.
type Progress struct {
	Verdict Verdict
	// Views are those kept so far, Coverage the share of the picture with a
	// corner, Missing what is still to be shown.
	Views    int
	Coverage float64
	Missing  []string
}

// CoverageFile is the picture of what is covered, beside the samples.
const CoverageFile = "coverage.png"

// Capture keeps pictures of the board in dir, with their samples, until the set
// is complete, ctx ends or the camera does. It goes on from the samples that are
// there. Each kept one is on disk before the next is looked for, so nothing is
// lost when it is interrupted.
func Capture(ctx context.Context, cam Camera, b target.Board, dir string, tell func(Progress)) error {
	look, err := newLookout(b)
	if err != nil {
		return err
	}
	before, err := ReadSamples(dir)
	if err != nil {
		return err
	}
	var f twinrig.Frame
	var c *Collector
	for {
		if err := cam.Wait(ctx, f.Seq, &f); err != nil {
			return err
		}
		if c == nil {
			if err := fits(before, &f, &b); err != nil {
				return fmt.Errorf("%w; give another folder of samples", err)
			}
			c = NewCollector(b, f.W, f.H, before)
		}
		seen, err := look.at(&f)
		verdict := c.Offer(f.Stamp, seen)
		switch {
		case errors.Is(err, target.ErrWrongBoard):
			verdict = Another
		case err != nil && !errors.Is(err, target.ErrNoBoard):
			return err
		case verdict == Kept:
			if err := keep(dir, c, look.quick, &f, seen); err != nil {
				return err
			}
		}
		missing := c.Missing()
		tell(Progress{Verdict: verdict, Views: c.Views(), Coverage: c.Covered(), Missing: missing})
		if len(missing) == 0 {
			return nil
		}
	}
}

// lookout looks for a board in live pictures: quickly, and now and then, when
// there is none for long, for what is wrong.
type lookout struct {
	quick, thorough *target.Detector
	missed          int
}

// patience is how many pictures without a board are looked at quickly.
const patience = 60

func newLookout(b target.Board) (*lookout, error) {
	quick, err := target.NewDetector(b)
	if err != nil {
		return nil, err
	}
	quick.Quick = true
	thorough, err := target.NewDetector(b)
	return &lookout{quick: quick, thorough: thorough}, err
}

func (l *lookout) at(f *twinrig.Frame) (target.Detection, error) {
	p := target.FromFrame(f)
	seen, err := l.quick.Detect(&p)
	if err == nil {
		l.missed = 0
		return seen, nil
	}
	if l.missed++; l.missed%patience == 0 {
		return l.thorough.Detect(&p)
	}
	return target.Detection{}, err
}

// fits says that samples are of the camera's size and the board.
func fits(before []Sample, f *twinrig.Frame, b *target.Board) error {
	for i := range before {
		s := &before[i]
		if s.WidthPx != f.W || s.HeightPx != f.H {
			return fmt.Errorf("intrinsics: sample %s has %d x %d pixels, the camera %d x %d", s.Name, s.WidthPx, s.HeightPx, f.W, f.H)
		}
		if !sameBoard(&s.Board, b) {
			return fmt.Errorf("intrinsics: sample %s is of a %s, not of a %s", s.Name, &s.Board, b)
		}
	}
	return nil
}

// keep writes the picture, then its sample, then what is covered now.
func keep(dir string, c *Collector, d *target.Detector, f *twinrig.Frame, seen target.Detection) error {
	img := image.NewRGBA(image.Rect(0, 0, f.W, f.H))
	for i := range f.W * f.H {
		copy(img.Pix[4*i:], f.RGB[3*i:3*i+3])
		img.Pix[4*i+3] = 255
	}
	var file bytes.Buffer
	if err := png.Encode(&file, img); err != nil {
		return fmt.Errorf("intrinsics: capture: %w", err)
	}
	name := freeName(dir)
	if err := os.WriteFile(filepath.Join(dir, name), file.Bytes(), 0o644); err != nil {
		return fmt.Errorf("intrinsics: capture: %w", err)
	}
	s := Sample{
		Version: sampleVersion, Name: name, PictureSHA256: digest(file.Bytes()), WidthPx: f.W, HeightPx: f.H,
		Board: c.board, Method: d.Method(), BlurPx: seen.BlurPx, Corners: seen.Corners,
	}
	if err := s.Write(dir); err != nil {
		return err
	}
	return c.coverage.draw(filepath.Join(dir, CoverageFile), img, seen.Corners)
}

// freeName is the first of view0001.png, view0002.png, ... that has no sample.
func freeName(dir string) string {
	for i := 1; ; i++ {
		name := fmt.Sprintf("view%04d.png", i)
		if _, err := os.Stat(filepath.Join(dir, name+sampleSuffix)); err != nil {
			return name
		}
	}
}

// draw writes the picture with the cells that have no corner yet in red, and the
// last view's corners.
func (g *Coverage) draw(path string, img *image.RGBA, corners []target.Corner) error {
	for y := range g.H {
		for x := range g.W {
			i := img.PixOffset(x, y)
			grey := (int(img.Pix[i]) + int(img.Pix[i+1]) + int(img.Pix[i+2])) / 3
			px := [3]int{grey, grey, grey}
			if g.Cells[y*GridRows/g.H][x*GridCols/g.W] == 0 {
				px = [3]int{128 + grey/2, grey / 2, grey / 2}
			}
			for k := range px {
				img.Pix[i+k] = byte(px[k])
			}
		}
	}
	for _, c := range corners {
		for dy := -2; dy <= 2; dy++ {
			for dx := -2; dx <= 2; dx++ {
				img.Set(int(c.X+0.5)+dx, int(c.Y+0.5)+dy, color.RGBA{G: 200, B: 80, A: 255})
			}
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return fmt.Errorf("intrinsics: coverage: %w", err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("intrinsics: coverage: %w", err)
	}
	return nil
}
