package mujoco

// #include "shim.h"
import "C"

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"syscall"
)

// drawingNice is the nice value of the threads that draw.
const drawingNice = 10

// Renderer draws a model's cameras off screen with OpenGL, through EGL without
// any display: on a GPU where Mesa finds one, in software where not. It owns
// one OS thread. Its methods may be called from any goroutine, one at a time.
type Renderer struct {
	model *Model
	calls chan func(*C.tr_renderer)
	done  chan struct{}
	close sync.Once
}

// NewRenderer opens a context for the model, whose visual settings (off-screen
// size, samples, shadow map) it takes over. It takes a few tenths of a second.
// Close it before the model.
func NewRenderer(m *Model, shadows bool) (*Renderer, error) {
	r := &Renderer{
		model: m,
		calls: make(chan func(*C.tr_renderer)),
		done:  make(chan struct{}),
	}
	ready := make(chan error)
	go r.run(shadows, ready)
	if err := <-ready; err != nil {
		return nil, err
	}
	return r, nil
}

// run is the renderer's thread. OpenGL contexts are bound to a thread, so it
// stays locked, and the thread ends with the goroutine.
func (r *Renderer) run(shadows bool, ready chan<- error) {
	defer close(r.done)
	runtime.LockOSThread()
	// A picture yields to a control loop. Mesa's own threads inherit this.
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, drawingNice) // drawing works without
	msg := newMessage()
	defer msg.free()
	on := C.int(0)
	if shadows {
		on = 1
	}
	c := C.tr_new_renderer(r.model.m, on, msg.c)
	if c == nil {
		ready <- fmt.Errorf("mujoco: renderer: %s", msg)
		return
	}
	defer C.tr_free_renderer(c)
	ready <- nil
	for call := range r.calls {
		call(c)
	}
}

// Render draws what a camera sees in d, whose Kinematics must be current, into
// rgb: width x height pixels, three bytes each, top row first. It blocks until
// the picture is there; d must not change meanwhile.
func (r *Renderer) Render(d *Data, camera, width, height int, rgb []byte) error {
	switch {
	case d.dead != nil:
		return d.dead
	case camera < 0 || camera >= int(r.model.m.ncam):
		return fmt.Errorf("mujoco: render: no camera %d", camera)
	case width < 1 || height < 1 || len(rgb) != 3*width*height:
		return fmt.Errorf("mujoco: render: %d bytes for %d x %d pixels", len(rgb), width, height)
	}
	select {
	case <-r.done:
		return errors.New("mujoco: render: renderer is closed")
	default:
	}
	result := make(chan error)
	r.calls <- func(c *C.tr_renderer) {
		msg := newMessage()
		defer msg.free()
		if C.tr_render(c, d.t, C.int(camera), C.int(width), C.int(height), (*C.uchar)(&rgb[0]), msg.c) != C.TR_OK {
			result <- fmt.Errorf("mujoco: render: %s", msg)
			return
		}
		result <- nil
	}
	return <-result
}

// Close frees the context and waits for the thread to end.
func (r *Renderer) Close() {
	r.close.Do(func() { close(r.calls) })
	<-r.done
}
