package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"twinrig/calib/intrinsics"
	"twinrig/calib/target"
	"twinrig/configs"
	"twinrig/drivers/camera"
)

// collect puts new samples into the samples' folder and returns all that are
// there, and the pictures that gave none.
func (f *intrinsicsFlags) collect(ctx context.Context, rig *configs.Rig, stderr io.Writer) ([]intrinsics.Sample, []intrinsics.Dropped, error) {
	if f.onlySamples() {
		samples, err := f.again()
		return samples, nil, err
	}
	board, err := f.board()
	if err != nil {
		return nil, nil, err
	}
	var files []string
	if f.images != "" {
		if files, err = picturesOf(f.images); err != nil {
			return nil, nil, usageError{err}
		}
	}
	dir := f.samples
	if dir == "" {
		dir = filepath.Join(f.out, "samples")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, nil, usageError{err}
	}
	var dropped []intrinsics.Dropped
	if f.images != "" {
		dropped, err = f.read(ctx, files, board, dir, stderr)
	} else {
		err = f.watch(ctx, rig, board, dir, stderr)
	}
	if err != nil {
		return nil, nil, err
	}
	samples, err := intrinsics.ReadSamples(dir)
	return samples, dropped, err
}

// again reads the kept samples. A board on the command line must be theirs.
func (f *intrinsicsFlags) again() ([]intrinsics.Sample, error) {
	samples, err := intrinsics.ReadSamples(f.samples)
	if err != nil {
		return nil, usageError{err}
	}
	if len(samples) == 0 {
		return nil, usageError{fmt.Errorf("%s has no samples: give --images or --camera to make some", f.samples)}
	}
	if f.corners == "" && f.squareMM == 0 {
		return samples, nil
	}
	board, err := f.board()
	if err != nil {
		return nil, err
	}
	for i := range samples {
		if samples[i].Board != board {
			return nil, usageError{fmt.Errorf("sample %s is of a %s, not of a %s: leave --board out, or make the samples anew", samples[i].Name, &samples[i].Board, &board)}
		}
	}
	return samples, nil
}

// picturesOf are the files of a pattern, sorted.
func picturesOf(pattern string) ([]string, error) {
	files, err := filepath.Glob(pattern)
	if err != nil {
		return nil, fmt.Errorf("--images %q: %w", pattern, err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("--images %q: no such file", pattern)
	}
	slices.Sort(files)
	return files, nil
}

// read detects the board in each file. A file that shows none is dropped, by
// name.
func (f *intrinsicsFlags) read(ctx context.Context, files []string, board target.Board, dir string, stderr io.Writer) ([]intrinsics.Dropped, error) {
	d, err := target.NewDetector(board)
	if err != nil {
		return nil, err
	}
	bar := progressbar.NewOptions(len(files), progressbar.OptionSetWriter(stderr), progressbar.OptionShowCount(),
		progressbar.OptionSetDescription("looking for the board"), progressbar.OptionSetWidth(30), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetVisibility(!f.asJSON && newProgress(stderr, false).tty), progressbar.OptionThrottle(200*time.Millisecond))
	var dropped []intrinsics.Dropped
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, usageError{err}
		}
		name := sampleName(file, files)
		s, err := intrinsics.NewSample(d, board, name, data)
		switch {
		case err != nil:
			dropped = append(dropped, intrinsics.Dropped{Name: name, Why: err.Error()})
		default:
			if err := s.Write(dir); err != nil {
				return nil, err
			}
		}
		_ = bar.Add(1) // a bar that cannot be drawn is no reason to stop
	}
	_ = bar.Finish()
	return dropped, nil
}

// sampleName is the file's name, with its folders where another has the same.
func sampleName(file string, files []string) string {
	for _, other := range files {
		if other != file && filepath.Base(other) == filepath.Base(file) {
			return strings.ReplaceAll(strings.Trim(filepath.ToSlash(filepath.Clean(file)), "/."), "/", "_")
		}
	}
	return filepath.Base(file)
}

// watch keeps views from a camera until the set is complete.
func (f *intrinsicsFlags) watch(ctx context.Context, rig *configs.Rig, board target.Board, dir string, stderr io.Writer) error {
	cfg := camera.DefaultConfig()
	if rig != nil {
		cfg = rig.Camera
	} else {
		if _, err := fmt.Sscanf(f.size, "%dx%d", &cfg.Width, &cfg.Height); err != nil {
			return usageError{fmt.Errorf("--size %q: write it as in 640x480", f.size)}
		}
	}
	if f.camera != "" {
		cfg.Source = f.camera
	}
	if err := cfg.Validate(); err != nil {
		return usageError{err}
	}
	began := time.Now()
	cam, err := camera.Open(cfg, func() time.Duration { return time.Since(began) })
	if err != nil {
		return err
	}
	guide := guide{w: stderr, tty: newProgress(stderr, false).tty}
	guide.say(fmt.Sprintf("hold the %s before %s; what is covered is drawn in %s; Ctrl-C stops, and the same --samples goes on", &board, cfg.Source, filepath.Join(dir, intrinsics.CoverageFile)))
	err = intrinsics.Capture(ctx, cam, board, dir, guide.tell)
	guide.end()
	if closeErr := cam.Close(); err == nil {
		err = closeErr
	}
	switch {
	case err == nil:
		return nil
	case isFile(cfg.Source) && ctx.Err() == nil:
		guide.say(err.Error())
		return nil // a video was played to its end: what it showed must do
	}
	return fmt.Errorf("%d views are kept; go on with --samples %s: %w", guide.last.Views, dir, err)
}

func isFile(source string) bool {
	info, err := os.Stat(source)
	return err == nil && info.Mode().IsRegular()
}

// guide tells a person what to do: one changing line on a terminal, a line a
// view elsewhere.
type guide struct {
	w    io.Writer
	tty  bool
	last intrinsics.Progress
	line string
}

func (g *guide) say(line string) { fmt.Fprintln(g.w, line) }

func (g *guide) tell(p intrinsics.Progress) {
	g.last = p
	line := fmt.Sprintf("%d views, %.0f %% covered: %s", p.Views, 100*p.Coverage, p.Verdict)
	if len(p.Missing) > 0 {
		line += "; next: " + p.Missing[0]
	}
	switch {
	case g.tty && line != g.line:
		fmt.Fprintf(g.w, "\r\x1b[K%s", line)
	case !g.tty && p.Verdict == intrinsics.Kept:
		g.say(line)
	}
	g.line = line
}

func (g *guide) end() {
	if g.tty {
		fmt.Fprintln(g.w)
	}
}
