package main

import (
	"bytes"
	"fmt"
	"time"

	"twinrig"
	"twinrig/eval"
	"twinrig/eval/report"
	"twinrig/sim"
	"twinrig/sim/scene"
)

// maxPictures is how many trials the report shows.
const maxPictures = 6

// pictures picks, from what the camera saw in a trial, one frame to show beside
// the mirror's view of the same moment. The mirror's is drawn after the study.
type pictures struct {
	frames []twinrig.Frame // of the present trial
	n      int
	chosen []pair
}

type pair struct {
	caption string
	frame   twinrig.Frame
	spec    sim.Spec
	state   sim.Snapshot
}

// keep copies a frame of the present trial.
func (p *pictures) keep(f *twinrig.Frame) {
	if p.n == len(p.frames) {
		p.frames = append(p.frames, twinrig.Frame{})
	}
	to := &p.frames[p.n]
	p.n++
	rgb := append(to.RGB[:0], f.RGB...)
	*to = *f
	to.RGB = rgb
}

// choose ends the trial: its moment is a second after the lift, or its end.
func (p *pictures) choose(t *eval.Trial, st *stage, out *scene.Outcome) {
	n := p.n
	p.n = 0
	if n == 0 || len(p.chosen) == maxPictures {
		return
	}
	best := &p.frames[n-1]
	if out.PickedUp() {
		for i := range p.frames[:n] {
			if f := &p.frames[i]; (f.Stamp - out.Lift - time.Second).Abs() < (best.Stamp - out.Lift - time.Second).Abs() {
				best = f
			}
		}
	}
	state := st.album.nearest(best.Stamp)
	if state == nil {
		return
	}
	c := pair{caption: fmt.Sprintf("%s, %s", t.ID, verdictWord(out)), spec: st.spec, frame: *best}
	c.frame.RGB = bytes.Clone(best.RGB)
	c.state.CopyFrom(state)
	p.chosen = append(p.chosen, c)
}

func verdictWord(out *scene.Outcome) string {
	switch {
	case out.Succeeded():
		return "success"
	case len(out.Labels) > 0:
		return string(out.Labels[0])
	}
	return "failure"
}

// draw renders the mirror's halves and returns the pictures side by side.
func (p *pictures) draw(left string) ([]report.Picture, error) {
	var out []report.Picture
	var enc twinrig.JPEGEncoder
	for i := range p.chosen {
		c := &p.chosen[i]
		mirrored, err := render(c.spec, &c.state)
		if err != nil {
			return nil, err
		}
		both := beside(&c.frame, mirrored)
		data, err := enc.Encode(&both)
		if err != nil {
			return nil, err
		}
		out = append(out, report.Picture{
			Caption: c.caption + ": " + left + " (left), its mirror (right)",
			Data:    bytes.Clone(data),
		})
	}
	return out, nil
}

func render(spec sim.Spec, s *sim.Snapshot) (*twinrig.Frame, error) {
	r, err := sim.NewRenderer(spec)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var f twinrig.Frame
	return &f, r.Render(s, cameraName, &f)
}

// beside puts two frames of equal height side by side; the lower one's missing
// rows stay black.
func beside(a, b *twinrig.Frame) twinrig.Frame {
	f := twinrig.Frame{W: a.W + b.W, H: max(a.H, b.H)}
	f.RGB = make([]byte, 3*f.W*f.H)
	for y := range f.H {
		row := f.RGB[3*f.W*y:]
		if y < a.H {
			copy(row, a.RGB[3*a.W*y:3*a.W*(y+1)])
		}
		if y < b.H {
			copy(row[3*a.W:], b.RGB[3*b.W*y:3*b.W*(y+1)])
		}
	}
	return f
}
