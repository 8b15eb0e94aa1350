package lerobot

import (
	"twinrig"
	"twinrig/agent/record"
	"twinrig/eval"
	"twinrig/eval/export"
)

// Names of the columns.
const (
	stateKey     = "observation.state"
	actionKey    = "action"
	doneKey      = "next.done"
	successKey   = "next.success"
	timestampKey = "timestamp"
	frameKey     = "frame_index"
	episodeKey   = "episode_index"
	indexKey     = "index"
	taskKey      = "task_index"
	captureState = "capture_s.state"
)

func pictureKey(camera string) string { return "observation.images." + camera }

func captureKey(camera string) string { return "capture_s." + camera }

// entry is an episode's metadata.
type entry struct {
	index  int
	task   string
	from   int // index of its first frame in the dataset
	length int // frames
	result *eval.Result
}

// about is what the trial adds to an episode's metadata, and the columns that it
// takes.
func (e *entry) about() (map[string]any, []column) {
	r := e.result
	t, p := &r.Trial, &r.Provenance
	v := r.Verdict
	if v == nil {
		v = &eval.Verdict{}
	}
	labels := []string{}
	for _, l := range v.Labels {
		labels = append(labels, string(l))
	}
	values := map[string]any{
		"trial": t.ID, "scene": t.Scene, "placement_id": t.PlacementID, "policy": t.Policy, "checkpoint": t.Checkpoint,
		"seed": int(t.Seed), "termination": string(r.Termination), "success": v.Success, "partial_success": v.Partial,
		"failure_labels": labels, "verdict_source": v.Source, "who": v.Who,
		"config_sha256": p.ConfigSHA256, "software": p.Software, "mujoco": p.MuJoCo,
	}
	var columns []column
	for name, value := range values {
		c := column{name: name, kind: texts}
		switch value.(type) {
		case int:
			c.kind = integers
		case bool:
			c.kind = booleans
		case []string:
			c.depth = 1
		}
		columns = append(columns, c)
	}
	return values, columns
}

// columns are those of the frames.
func (d *dataset) columns() []column {
	c := []column{
		{stateKey, float32s, 1},
		{actionKey, float32s, 1},
		{doneKey, booleans, 0},
		{successKey, booleans, 0},
		{timestampKey, float32s, 0},
		{frameKey, integers, 0},
		{episodeKey, integers, 0},
		{indexKey, integers, 0},
		{taskKey, integers, 0},
		{captureState, float64s, 0},
	}
	for _, camera := range d.Cameras {
		c = append(c, column{captureKey(camera), float64s, 0})
	}
	return c
}

// cells are the i-th frame's, but for the capture times: statistics of a clock
// that began somewhere say nothing.
func (d *dataset) cells(ep *export.Episode, e *entry, i int) map[string]any {
	s := &ep.Steps[i]
	last := i == len(ep.Steps)-1
	return map[string]any{
		stateKey:     axes(s.State.Measured, s.State.Grip),
		actionKey:    axes(s.Asked.Joints, s.Asked.Grip),
		doneKey:      last,
		successKey:   last && e.result.Verdict != nil && e.result.Verdict.Success,
		timestampKey: float64(i) / float64(d.FPS),
		frameKey:     i,
		episodeKey:   e.index,
		indexKey:     e.from + i,
		taskKey:      d.tasks[e.task],
	}
}

func axes(j twinrig.Joints, grip twinrig.Grip) []float64 { return append(j[:], float64(grip)) }

// see finds the picture that each camera shows at each step, and the cameras'
// sizes.
func (d *dataset) see(ep *export.Episode) ([][]*record.Image, error) {
	shown := make([][]*record.Image, len(d.Cameras))
	for c, camera := range d.Cameras {
		for i := range ep.Steps {
			shown[c] = append(shown[c], ep.Seen(camera, ep.Steps[i].State.Stamp))
		}
		if _, known := d.sizes[camera]; known {
			continue
		}
		if err := twinrig.DecodeJPEG(shown[c][0].JPEG, &d.frame); err != nil {
			return nil, err
		}
		d.sizes[camera] = [2]int{d.frame.W, d.frame.H}
	}
	return shown, nil
}

// show puts a picture into its video and into the statistics.
func (d *dataset) show(camera string, jpeg []byte, colours map[string]*shades) error {
	if err := twinrig.DecodeJPEG(jpeg, &d.frame); err != nil {
		return err
	}
	if colours[camera] == nil {
		colours[camera] = &shades{}
	}
	colours[camera].add(d.frame.RGB)
	return d.videos[camera].put(&d.frame)
}

// openVideo begins a camera's video.
func (d *dataset) openVideo(camera, path string) (err error) {
	size := d.sizes[camera]
	d.videos[camera], err = newVideo(path, d.FPS, size[0], size[1])
	return err
}
