package main

import (
	"fmt"
	"time"

	"twinrig"
	"twinrig/agent/record"
	"twinrig/sim/mirror"
)

// sight is one moment that a policy is shown.
type sight struct{ observation twinrig.Observation }

// The test picture's size, px, and the most moments shown of one recording.
const (
	testWidth, testHeight = 640, 480
	mostSights            = 20
)

// testSight is the start pose, and a picture of stripes: red, green and blue from the
// left, darker to the bottom.
func testSight() sight {
	rgb := make([]byte, 3*testWidth*testHeight)
	for y := range testHeight {
		for x := range testWidth {
			rgb[3*(y*testWidth+x)+3*x/testWidth] = byte(255 - 200*y/testHeight)
		}
	}
	var s sight
	s.observation.State.Measured, s.observation.State.Grip = mirror.NeutralPose, 1
	s.observation.Instruction = "put the red cube in the blue bowl"
	s.observation.Frames = []twinrig.Frame{{W: testWidth, H: testHeight, RGB: rgb, Seq: 1}}
	return s
}

// readShown takes moments from recordings, evenly: those with a picture, where there
// are pictures.
func readShown(logs []string) ([]sight, error) {
	var all []sight
	for _, path := range logs {
		one, err := readSights(path)
		if err != nil {
			return nil, err
		}
		all = append(all, one...)
	}
	return all, nil
}

// moment is what a recording has of a time.
type moment struct {
	state twinrig.State
	jpeg  []byte
}

func readSights(path string) ([]sight, error) {
	var seen, bare []moment
	var last twinrig.State
	var kept time.Duration
	info, err := record.Read(path, record.Visitor{
		Tick: func(r *twinrig.Report) error {
			last = r.State
			if len(bare) == 0 || r.Now-kept >= time.Second/5 {
				bare, kept = append(bare, moment{state: r.State}), r.Now
			}
			return nil
		},
		Frame: func(i *record.Image) error {
			seen = append(seen, moment{last, append([]byte(nil), i.JPEG...)})
			return nil
		},
	})
	switch {
	case err != nil:
		return nil, err
	case len(bare) == 0:
		return nil, fmt.Errorf("%s: holds no cycle of the arm", path)
	case len(seen) == 0:
		seen = bare
	}
	n := min(mostSights, len(seen))
	sights := make([]sight, n)
	for i := range sights {
		m := &seen[i*len(seen)/n]
		o := &sights[i].observation
		o.State, o.Instruction = m.state, info.Fields["instruction"]
		if m.jpeg == nil {
			continue
		}
		o.Frames = make([]twinrig.Frame, 1)
		if err := twinrig.DecodeJPEG(m.jpeg, &o.Frames[0]); err != nil {
			return nil, fmt.Errorf("%s: picture: %w", path, err)
		}
	}
	return sights, nil
}
