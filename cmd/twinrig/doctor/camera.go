package doctor

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"twinrig"
	"twinrig/drivers/camera"
)

// firstPicture is how long a camera may take to its first picture; watch is how
// long its pictures are looked at, or until there were pictures of them.
const (
	firstPicture = 5 * time.Second
	watch        = 3 * time.Second
	pictures     = 30
)

func cameraChecks() []check {
	return []check{
		{name: "camera", limit: 20 * time.Second, run: checkCamera},
		{name: "camera controls", needs: []string{"camera"}, limit: 15 * time.Second, run: checkControls},
		{name: "camera rate", needs: []string{"camera"}, limit: 15 * time.Second, run: checkRate},
		{name: "camera age", needs: []string{"camera rate"}, limit: time.Second, run: checkAge},
	}
}

// stream is what was seen of the camera.
type stream struct {
	picture    picture
	controlErr error   // why its controls could not be set
	rate       float64 // measured, Hz
	oldest     time.Duration
}

// isDevice tells whether the source is a V4L2 device: only those have modes and
// controls.
func isDevice(c *camera.Config) bool { return strings.HasPrefix(c.Source, "/dev/") }

func checkCamera(ctx context.Context, b *bench) Result {
	cfg := b.rig.Camera
	const fix = "set camera.source to a camera (`ls /dev/v4l/by-id/`, or the address of a stream), and plug it in or start it"
	p, err := b.host.openCamera(cfg, b.clock.Now)
	if err != nil && isDevice(&cfg) {
		// Does it come without its controls? Then they are what is wrong.
		plain := cfg
		plain.Controls = camera.Controls{}
		if q, plainErr := b.host.openCamera(plain, b.clock.Now); plainErr == nil {
			p, b.stream.controlErr, err = q, err, nil
		}
	}
	if err != nil {
		return fail(fix, "%s", strings.TrimPrefix(err.Error(), "camera: "))
	}
	b.stream.picture = p
	if err := b.onClose(p.Close); err != nil {
		return fail("run it again", "%v", err)
	}
	first, cancel := context.WithTimeout(ctx, firstPicture)
	defer cancel()
	var f twinrig.Frame
	if err := p.Wait(first, 0, &f); err != nil {
		return fail(b.modeFix(fix), "no picture: %v", err)
	}
	return okay("%d x %d pixels%s", f.W, f.H, b.offered())
}

// offered says what modes a device has.
func (b *bench) offered() string {
	cfg := &b.rig.Camera
	if !isDevice(cfg) {
		return ""
	}
	modes, err := b.host.modes(cfg.Source)
	if err != nil {
		return fmt.Sprintf("; its modes are not known (%v)", err)
	}
	var fit []string
	for _, m := range modes {
		if m.fits(cfg) {
			fit = append(fit, m.String())
		}
	}
	if len(fit) == 0 {
		return fmt.Sprintf("; none of its %d modes is %d x %d at %g Hz", len(modes), cfg.Width, cfg.Height, cfg.Rate)
	}
	return fmt.Sprintf("; %d modes, fit: %s", len(modes), list(fit))
}

// modeFix is what to do about a device that gives no picture of the wanted kind.
func (b *bench) modeFix(otherwise string) string {
	cfg := &b.rig.Camera
	if !isDevice(cfg) {
		return otherwise
	}
	modes, err := b.host.modes(cfg.Source)
	if err != nil || len(modes) == 0 {
		return otherwise
	}
	var all []string
	for _, m := range modes {
		if m.fits(cfg) {
			return "replug the camera, into a port of its own: the mode is right"
		}
		all = append(all, m.String())
	}
	return "set camera.width_px, height_px, rate_hz and format to one of: " + strings.Join(all, "; ")
}

func checkControls(_ context.Context, b *bench) Result {
	cfg := &b.rig.Camera
	c := &cfg.Controls
	switch {
	case !isDevice(cfg):
		return okay("a stream has none")
	case b.stream.controlErr != nil:
		return fail("v4l2-ctl -d "+cfg.Source+" -L lists what the camera takes; correct camera.controls", "%v", b.stream.controlErr)
	case !c.Lock && (c.Exposure == nil || c.WhiteBalance == nil || c.Focus == nil):
		return warn("set camera.controls.lock: true", "automatics are on: pictures change with the light")
	}
	return okay("locked, set and read back")
}

// checkRate watches pictures for a while.
func checkRate(ctx context.Context, b *bench) Result {
	p, cfg := b.stream.picture, &b.rig.Camera
	watching, cancel := context.WithTimeout(ctx, watch)
	defer cancel()
	var f twinrig.Frame
	last := time.Duration(0)
	for n := range pictures {
		err := p.Wait(watching, f.Seq, &f)
		if watching.Err() != nil && ctx.Err() == nil {
			break // watched for long enough
		}
		if err != nil {
			return fail("replug the camera, into a port of its own", "after %d pictures: %v", n, err)
		}
		// The picture before was the newest until now.
		if last > 0 {
			b.stream.oldest = max(b.stream.oldest, b.clock.Now()-last)
		}
		last = f.Stamp
	}
	h := p.Health()
	b.stream.rate = h.Rate
	rate := fmt.Sprintf("%.1f Hz, camera.rate_hz is %g", h.Rate, cfg.Rate)
	switch err := p.Latest(&f); {
	case errors.Is(err, camera.ErrFrozen):
		return fail("replug the camera; a still picture of a stream needs camera.frozen_after_frames: 0", "%s; the picture is frozen", rate)
	case err != nil:
		return fail("replug the camera, into a port of its own", "%s; %v", rate, err)
	case h.Rate < 2/cfg.StaleAfter.Seconds():
		return fail("see that nothing else uses its USB link, and that there is light", "%s; camera.stale_after is %v", rate, cfg.StaleAfter)
	case h.Rate < 0.9*cfg.Rate:
		return warn(fmt.Sprintf("set camera.rate_hz to %.0f, or give it light, a shorter exposure and a USB 3 port", h.Rate), "%s", rate)
	}
	return okay("%s", rate)
}

func checkAge(_ context.Context, b *bench) Result {
	oldest, limit := b.stream.oldest, b.rig.Camera.StaleAfter
	what := fmt.Sprintf("newest picture is at most %.0f ms old, camera.stale_after is %v", 1000*oldest.Seconds(), limit)
	switch {
	case oldest >= limit:
		return fail("see that nothing else uses its USB link or this machine's cores, or raise camera.stale_after", "%s", what)
	case oldest.Seconds() > 2.5/b.stream.rate:
		return warn("stop other programs: pictures come at irregular times", "%s", what)
	}
	return okay("%s", what)
}
