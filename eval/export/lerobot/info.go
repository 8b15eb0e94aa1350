package lerobot

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"twinrig"
)

// chunk is how many episodes or files a folder has.
const chunk = 1000

// feature describes a column to LeRobot.
type feature struct {
	DType string         `json:"dtype"`
	Shape []int          `json:"shape"`
	Names []string       `json:"names"`
	Info  map[string]any `json:"info,omitempty"`
}

func (d *dataset) features() map[string]feature {
	dtypes := map[kind]string{float32s: "float32", float64s: "float64", integers: "int64", booleans: "bool"}
	f := map[string]feature{}
	for _, c := range d.columns() {
		one := feature{DType: dtypes[c.kind], Shape: []int{1}}
		if c.depth > 0 {
			one.Shape, one.Names = []int{twinrig.NumAxes}, twinrig.AxisNames[:]
		}
		f[c.name] = one
	}
	for _, camera := range d.Cameras {
		size := d.sizes[camera]
		f[pictureKey(camera)] = feature{
			DType: "video", Shape: []int{size[1], size[0], 3}, Names: []string{"height", "width", "channels"},
			Info: map[string]any{
				"video.height": size[1], "video.width": size[0], "video.channels": 3, "video.fps": d.FPS,
				"video.codec": codec, "video.pix_fmt": pixFmt, "video.is_depth_map": false, "has_audio": false,
			},
		}
	}
	return f
}

// finish writes what describes the whole dataset.
func (d *dataset) finish(o *Options) error {
	own, err := d.form.finish(d)
	if err != nil {
		return err
	}
	info := map[string]any{
		"codebase_version": o.Version, "robot_type": "widowx250s", "fps": d.FPS, "chunks_size": chunk,
		"total_episodes": d.Episodes, "total_frames": d.Frames, "total_tasks": len(d.tasks),
		"splits": map[string]string{"train": fmt.Sprintf("0:%d", d.Episodes)}, "features": d.features(),
		"twinrig": o.Provenance,
	}
	maps.Copy(info, own)
	return d.writeJSON("meta/info.json", info)
}

// statsJSON is a feature's statistics as LeRobot has them, by the names given.
// A picture's numbers are of shape (3, 1, 1).
func (d *dataset) statsJSON(stats map[string]summary, names []string) map[string]map[string]any {
	pictures := map[string]bool{}
	for _, camera := range d.Cameras {
		pictures[pictureKey(camera)] = true
	}
	out := map[string]map[string]any{}
	for key, s := range stats {
		one := map[string]any{"count": []int{s.count}}
		for _, name := range names {
			if pictures[key] {
				one[name] = standing(s.values[name])
			} else {
				one[name] = s.values[name]
			}
		}
		out[key] = one
	}
	return out
}

// standing gives each number a row and a column of its own.
func standing(values []float64) [][][]float64 {
	var out [][][]float64
	for _, v := range values {
		out = append(out, [][]float64{{v}})
	}
	return out
}

// total are the statistics over all episodes.
func (d *dataset) total() map[string]summary {
	stats := map[string]summary{}
	for name, s := range d.numbers {
		stats[name] = s.summarise()
	}
	for camera, s := range d.colours {
		stats[pictureKey(camera)] = s.summarise()
	}
	return stats
}

// writeJSON writes one file of the dataset.
func (d *dataset) writeJSON(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "    ")
	if err != nil {
		return fmt.Errorf("lerobot: %s: %w", name, err)
	}
	f, err := d.create(name)
	if err != nil {
		return err
	}
	if _, err := f.Write(append(text, '\n')); err != nil {
		f.Close()
		return fmt.Errorf("lerobot: %w", err)
	}
	return f.Close()
}

// create begins one file of the dataset, in a folder made where needed.
func (d *dataset) create(name string) (*os.File, error) {
	path := filepath.Join(d.out, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("lerobot: %w", err)
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("lerobot: %w", err)
	}
	return f, nil
}
