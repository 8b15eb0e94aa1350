package ghost

import (
	"fmt"

	"twinrig"
	"twinrig/calib"
	"twinrig/sim"
)

// Model draws ghosts. It belongs to one goroutine at a time.
type Model struct {
	world    *sim.World
	renderer *sim.Renderer
	frame    twinrig.Frame
}

// cameraName is the camera's in the model.
const cameraName = "calibrated"

// NewModel makes the model as a camera should see it. Close it after use.
func NewModel(c *calib.Camera) (*Model, error) {
	spec := sim.Spec{Params: sim.NominalParams(), Cameras: []sim.CameraSpec{sim.CameraOf(cameraName, c)}, Silhouette: true}
	w, err := sim.NewWorld(spec)
	if err != nil {
		return nil, fmt.Errorf("ghost: %w", err)
	}
	r, err := sim.NewRenderer(spec)
	if err != nil {
		w.Close()
		return nil, fmt.Errorf("ghost: %w", err)
	}
	return &Model{world: w, renderer: r}, nil
}

// Close frees the model.
func (m *Model) Close() {
	m.renderer.Close()
	m.world.Close()
}

// Silhouette is where the arm should be seen at joints q, rad, and grip.
func (m *Model) Silhouette(q twinrig.Joints, grip twinrig.Grip) (Mask, error) {
	m.world.SetArm(q, grip.Finger())
	var s sim.Snapshot
	if err := m.world.Snapshot(&s); err != nil {
		return Mask{}, fmt.Errorf("ghost: %w", err)
	}
	if err := m.renderer.Render(&s, cameraName, &m.frame); err != nil {
		return Mask{}, fmt.Errorf("ghost: %w", err)
	}
	out := NewMask(m.frame.W, m.frame.H)
	for i := range out.On {
		out.On[i] = m.frame.RGB[3*i] > 127
	}
	return out, nil
}
