package lerobot

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"

	"twinrig"
	"twinrig/eval"
	"twinrig/eval/export"
)

// Options say what is written.
type Options struct {
	// Version is V21 or V30.
	Version Version
	// NoVideo leaves the pictures out.
	NoVideo bool
	// Provenance is what info.json says about the study, under "twinrig".
	Provenance map[string]any
}

// Version is LeRobot's codebase_version.
type Version string

// The versions that are written.
const (
	V21 Version = "v2.1"
	V30 Version = "v3.0"
)

// Summary is what was written.
type Summary struct {
	Episodes int      `json:"episodes"`
	Frames   int      `json:"frames"`
	FPS      int      `json:"fps"`
	Tasks    int      `json:"tasks"`
	Cameras  []string `json:"cameras"`
	// Without are the trials that have no log or no step and were left out.
	Without []string `json:"without_log"`
}

// form is how a version lays its files out.
type form interface {
	// begin opens what the episode's frames go to.
	begin(d *dataset, e *entry) error
	// end takes the episode's metadata in and closes what is full.
	end(d *dataset, e *entry, stats map[string]summary) error
	// finish writes what is left, and gives the version's own part of info.json.
	finish(d *dataset) (map[string]any, error)
}

// dataset is a dataset on its way to the disk.
type dataset struct {
	Summary
	out     string
	form    form
	table   *table
	videos  map[string]*video
	sizes   map[string][2]int // each camera's width and height
	tasks   map[string]int
	numbers map[string]*samples
	colours map[string]*shades
	frame   twinrig.Frame
}

// Write makes a dataset of trials of the study in folder dir, in the new folder
// out. A trial without a verdict is no success. A dataset that could not be
// finished is taken away again.
func Write(dir string, results []eval.Result, out string, o Options) (sum *Summary, err error) {
	d := &dataset{
		out: out, videos: map[string]*video{}, sizes: map[string][2]int{}, tasks: map[string]int{},
		numbers: map[string]*samples{}, colours: map[string]*shades{},
	}
	d.Cameras, d.Without = []string{}, []string{}
	switch o.Version {
	case V21:
		d.form = &v21{}
	case V30:
		d.form = &v30{}
	default:
		return nil, fmt.Errorf("lerobot: version %q is not %s or %s", o.Version, V21, V30)
	}
	if err := os.Mkdir(out, 0o755); err != nil {
		return nil, fmt.Errorf("lerobot: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(out))
		}
	}()
	for i := range results {
		r := &results[i]
		e, err := export.Read(export.LogOf(dir, r), r, nil)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, export.ErrEmpty) {
			d.Without = append(d.Without, r.Trial.ID)
			continue
		}
		if err != nil {
			return nil, err
		}
		if err := d.add(e, &o); err != nil {
			return nil, fmt.Errorf("lerobot: trial %s: %w", r.Trial.ID, err)
		}
	}
	if d.Episodes == 0 {
		return nil, errors.New("lerobot: none of the trials has a log with a control step in it: there is nothing to export")
	}
	if err := d.finish(&o); err != nil {
		return nil, err
	}
	return &d.Summary, nil
}

// admit lets the first episode decide on rate and cameras, and holds the others
// to it.
func (d *dataset) admit(e *export.Episode, o *Options) error {
	rate := e.Rate()
	if d.Episodes == 0 {
		d.FPS = max(1, int(math.Round(rate)))
		if !o.NoVideo {
			d.Cameras = slices.Sorted(maps.Keys(e.Pictures))
		}
	}
	if rate > 0 && math.Abs(rate/float64(d.FPS)-1) > 0.05 {
		return fmt.Errorf("its control rate is %.3g Hz, but a dataset has one whole number of frames a second, and this one's is %d: export policies of one rate (--policy)",
			rate, d.FPS)
	}
	for _, camera := range d.Cameras {
		if len(e.Pictures[camera]) == 0 {
			return fmt.Errorf("it has no picture of camera %s, which the first trial has: export without videos (--no-video)", camera)
		}
	}
	return nil
}

// add writes an episode.
func (d *dataset) add(ep *export.Episode, o *Options) error {
	if err := d.admit(ep, o); err != nil {
		return err
	}
	task := ep.Result.Trial.Instruction
	if _, known := d.tasks[task]; !known {
		d.tasks[task] = len(d.tasks)
	}
	e := &entry{index: d.Episodes, task: task, from: d.Frames, length: len(ep.Steps), result: ep.Result}
	shown, err := d.see(ep)
	if err != nil {
		return err
	}
	if err := d.form.begin(d, e); err != nil {
		return err
	}
	numbers, colours := map[string]*samples{}, map[string]*shades{}
	for i := range ep.Steps {
		cells := d.cells(ep, e, i)
		for name, values := range cells {
			measure(numbers, name, values)
		}
		for c, camera := range d.Cameras {
			cells[captureKey(camera)] = shown[c][i].Stamp.Seconds()
			if err := d.show(camera, shown[c][i].JPEG, colours); err != nil {
				return err
			}
		}
		cells[captureState] = ep.Steps[i].State.Stamp.Seconds()
		if err := d.table.put(cells); err != nil {
			return err
		}
	}
	d.Episodes++
	d.Frames += e.length
	return d.form.end(d, e, d.conclude(numbers, colours))
}

// measure takes one frame's numbers into the statistics.
func measure(into map[string]*samples, name string, v any) {
	if into[name] == nil {
		into[name] = &samples{}
	}
	switch x := v.(type) {
	case []float64:
		into[name].add(x...)
	case float64:
		into[name].add(x)
	case int:
		into[name].add(float64(x))
	case bool:
		one := 0.0
		if x {
			one = 1
		}
		into[name].add(one)
	}
}

// conclude sums an episode's statistics up and takes them into the dataset's.
func (d *dataset) conclude(numbers map[string]*samples, colours map[string]*shades) map[string]summary {
	stats := map[string]summary{}
	for name, s := range numbers {
		stats[name] = s.summarise()
		if all := d.numbers[name]; all != nil {
			all.data = append(all.data, s.data...)
		} else {
			d.numbers[name] = s
		}
	}
	for camera, s := range colours {
		stats[pictureKey(camera)] = s.summarise()
		if d.colours[camera] == nil {
			d.colours[camera] = &shades{}
		}
		d.colours[camera].merge(s)
	}
	return stats
}
