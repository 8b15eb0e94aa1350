package sim

import (
	"fmt"
	"slices"

	"twinrig"
	"twinrig/sim/mujoco"
)

// Renderer draws what a spec's cameras see. It has a model of its own, so that
// it can work beside the world that the snapshots come from. Its methods may
// be called from any goroutine, one at a time.
type Renderer struct {
	model   *mujoco.Model
	data    *mujoco.Data
	gl      *mujoco.Renderer
	cameras []CameraSpec
	lenses  []*lens // nil for a pinhole
	ids     []int
	wide    []byte // what a lens looks at
}

// NewRenderer opens a renderer for worlds of this spec. It takes a few tenths
// of a second. Close it after use.
func NewRenderer(spec Spec) (*Renderer, error) {
	if err := spec.Validate(); err != nil {
		return nil, err
	}
	r := &Renderer{cameras: slices.Clone(spec.Cameras)}
	drawn := spec
	drawn.Cameras = slices.Clone(spec.Cameras)
	for i := range drawn.Cameras {
		l, err := newLens(&drawn.Cameras[i])
		if err != nil {
			return nil, err
		}
		r.lenses = append(r.lenses, l)
	}
	xml, err := MJCF(drawn)
	if err != nil {
		return nil, err
	}
	if r.model, err = mujoco.Load(xml); err != nil {
		return nil, fmt.Errorf("sim: %w", err)
	}
	if err := r.init(spec.Shadows); err != nil {
		r.Close()
		return nil, fmt.Errorf("sim: %w", err)
	}
	return r, nil
}

func (r *Renderer) init(shadows bool) (err error) {
	for _, c := range r.cameras {
		id, err := r.model.ID(mujoco.Camera, c.Name)
		if err != nil {
			return err
		}
		r.ids = append(r.ids, id)
	}
	if r.data, err = mujoco.NewData(r.model); err != nil {
		return err
	}
	r.gl, err = mujoco.NewRenderer(r.model, shadows)
	return err
}

// Render draws s as the named camera sees it into f, whose size becomes the
// camera's and whose memory is reused when it is large enough. Stamp is the
// snapshot's time; Seq is left alone.
func (r *Renderer) Render(s *Snapshot, camera string, f *twinrig.Frame) error {
	i := slices.IndexFunc(r.cameras, func(c CameraSpec) bool { return c.Name == camera })
	if i < 0 {
		return fmt.Errorf("sim: render: no camera named %q", camera)
	}
	if err := r.data.SetState(s.state); err != nil {
		return fmt.Errorf("sim: render: %w", err)
	}
	if err := r.data.Kinematics(); err != nil {
		return fmt.Errorf("sim: render: %w", err)
	}
	c := &r.cameras[i]
	f.W, f.H, f.Stamp = c.W, c.H, s.Time()
	f.RGB = slices.Grow(f.RGB[:0], 3*c.W*c.H)[:3*c.W*c.H]
	l := r.lenses[i]
	if l == nil {
		if err := r.gl.Render(r.data, r.ids[i], c.W, c.H, f.RGB); err != nil {
			return fmt.Errorf("sim: %w", err)
		}
		return nil
	}
	n := 3 * l.wide.W * l.wide.H
	r.wide = slices.Grow(r.wide[:0], n)[:n]
	if err := r.gl.Render(r.data, r.ids[i], l.wide.W, l.wide.H, r.wide); err != nil {
		return fmt.Errorf("sim: %w", err)
	}
	l.look(r.wide, f.RGB)
	return nil
}

// Close frees the renderer.
func (r *Renderer) Close() {
	if r.gl != nil {
		r.gl.Close()
	}
	if r.data != nil {
		r.data.Close()
	}
	r.model.Close()
}
