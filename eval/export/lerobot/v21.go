package lerobot

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// v21 lays out version 2.1: one file of data and one video for each episode,
// metadata as JSON lines.
type v21 struct {
	file            *os.File
	episodes, stats bytes.Buffer // episodes.jsonl, episodes_stats.jsonl
}

// name is the path of an episode's file: kind is data or videos, and inner what
// is between the chunk and the file.
func (*v21) name(kind, inner, suffix string, episode int) string {
	return filepath.Join(kind, fmt.Sprintf("chunk-%03d", episode/chunk), inner, fmt.Sprintf("episode_%06d.%s", episode, suffix))
}

func (f *v21) begin(d *dataset, e *entry) (err error) {
	if f.file, err = d.create(f.name("data", "", "parquet", e.index)); err != nil {
		return err
	}
	d.table = newTable(f.file, d.columns())
	for _, camera := range d.Cameras {
		path := filepath.Join(d.out, f.name("videos", pictureKey(camera), "mp4", e.index))
		if err := d.openVideo(camera, path); err != nil {
			return err
		}
	}
	return nil
}

func (f *v21) end(d *dataset, e *entry, stats map[string]summary) error {
	err := errors.Join(d.table.close(), f.file.Close())
	for _, camera := range d.Cameras {
		err = errors.Join(err, d.videos[camera].close())
	}
	line, _ := e.about()
	line["episode_index"], line["tasks"], line["length"] = e.index, []string{e.task}, e.length
	return errors.Join(err, json.NewEncoder(&f.episodes).Encode(line),
		json.NewEncoder(&f.stats).Encode(map[string]any{"episode_index": e.index, "stats": d.statsJSON(stats, moments)}))
}

func (f *v21) finish(d *dataset) (map[string]any, error) {
	var tasks bytes.Buffer
	for i, task := range d.taskList() {
		if err := json.NewEncoder(&tasks).Encode(map[string]any{"task_index": i, "task": task}); err != nil {
			return nil, fmt.Errorf("lerobot: tasks: %w", err)
		}
	}
	for name, text := range map[string]*bytes.Buffer{
		"episodes.jsonl": &f.episodes, "episodes_stats.jsonl": &f.stats, "tasks.jsonl": &tasks,
	} {
		file, err := d.create(filepath.Join("meta", name))
		if err != nil {
			return nil, err
		}
		_, err = file.Write(text.Bytes())
		if err := errors.Join(err, file.Close()); err != nil {
			return nil, fmt.Errorf("lerobot: %w", err)
		}
	}
	return map[string]any{
		"total_chunks": (d.Episodes + chunk - 1) / chunk, "total_videos": d.Episodes * len(d.Cameras),
		"data_path":  "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet",
		"video_path": d.videoPath("videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4"),
	}, nil
}

// videoPath is the pattern, or null without cameras.
func (d *dataset) videoPath(pattern string) any {
	if len(d.Cameras) == 0 {
		return nil
	}
	return pattern
}

// taskList are the tasks by their numbers.
func (d *dataset) taskList() []string {
	list := make([]string, len(d.tasks))
	for task, i := range d.tasks {
		list[i] = task
	}
	d.Tasks = len(list)
	return slices.Clip(list)
}
