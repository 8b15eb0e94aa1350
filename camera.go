package twinrig

import (
	"errors"
	"time"
)

// ErrNoFrame is returned by Camera.Latest before the first frame.
var ErrNoFrame = errors.New("camera has no frame yet")

// Frame is one picture.
type Frame struct {
	// Stamp is the capture time, monotonic since the rig was opened.
	Stamp time.Duration
	// Seq counts the captured frames from 1; a gap means dropped frames.
	Seq uint64
	// W and H are the size in pixels.
	W, H int
	// RGB is row-major, top row first, three bytes a pixel; len 3*W*H.
	RGB []byte
}

// Camera gives the newest frame there is.
type Camera interface {
	// Latest copies the newest frame into f, reusing f.RGB's memory when it is
	// large enough. It never waits for a new frame: judge staleness by Stamp.
	// It may be called from any goroutine.
	Latest(f *Frame) error
}

// Observation is all that a policy may see.
type Observation struct {
	State       State
	Frames      []Frame // one per camera; owned by the caller, valid during the call
	Instruction string
	// Prefix are the actions, in the policy's own space, that will be begun before
	// an answer can be used, the next one first, and Left those that were planned to
	// follow them. They are empty unless the policy's chunks are spliced in real
	// time; owned by the caller, valid during the call.
	Prefix, Left []Action
}

// Action is one step of a policy's output. What the numbers mean is declared by
// the policy (policy.Spec), never guessed.
type Action [NumAxes]float64
