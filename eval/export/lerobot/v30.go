package lerobot

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"
)

// Sizes in MB from which the next episode goes into a new file.
const (
	dataMB  = 100
	videoMB = 200
)

// v30 lays out version 3.0: many episodes in one file of data and one video,
// metadata as Parquet.
type v30 struct {
	file     *os.File
	at       int           // number of the file of data
	videos   map[string]at // where each camera's video is
	episodes []map[string]any
	columns  []column // of the episodes
}

// at is a place in the videos: the file's number, and how many frames it has.
type at struct{ file, frames int }

func fileName(kind, inner, suffix string, file int) string {
	return filepath.Join(kind, inner, fmt.Sprintf("chunk-%03d", file/chunk), fmt.Sprintf("file-%03d.%s", file%chunk, suffix))
}

func (f *v30) begin(d *dataset, e *entry) (err error) {
	if f.videos == nil {
		f.videos = map[string]at{}
	}
	if f.file == nil {
		if f.file, err = d.create(fileName("data", "", "parquet", f.at)); err != nil {
			return err
		}
		d.table = newTable(f.file, d.columns())
	}
	for _, camera := range d.Cameras {
		if d.videos[camera] == nil {
			path := filepath.Join(d.out, fileName("videos", pictureKey(camera), "mp4", f.videos[camera].file))
			if err := d.openVideo(camera, path); err != nil {
				return err
			}
		}
		f.videos[camera] = at{f.videos[camera].file, d.videos[camera].frames}
	}
	return nil
}

func (f *v30) end(d *dataset, e *entry, stats map[string]summary) error {
	cells, columns := e.about()
	note := func(name string, k kind, depth int, v any) {
		cells[name] = v
		columns = append(columns, column{name, k, depth})
	}
	number := func(name string, v int) { note(name, integers, 0, v) }
	number("episode_index", e.index)
	number("length", e.length)
	note("tasks", texts, 1, []string{e.task})
	number("data/chunk_index", f.at/chunk)
	number("data/file_index", f.at%chunk)
	number("dataset_from_index", e.from)
	number("dataset_to_index", e.from+e.length)
	number("meta/episodes/chunk_index", 0)
	number("meta/episodes/file_index", 0)
	for _, camera := range d.Cameras {
		where, prefix := f.videos[camera], "videos/"+pictureKey(camera)+"/"
		number(prefix+"chunk_index", where.file/chunk)
		number(prefix+"file_index", where.file%chunk)
		note(prefix+"from_timestamp", float64s, 0, float64(where.frames)/float64(d.FPS))
		note(prefix+"to_timestamp", float64s, 0, float64(where.frames+e.length)/float64(d.FPS))
	}
	for key, s := range stats {
		depth := 1
		for _, camera := range d.Cameras {
			if key == pictureKey(camera) {
				depth = 3
			}
		}
		for _, name := range statNames() {
			note("stats/"+key+"/"+name, float64s, depth, s.values[name])
		}
		note("stats/"+key+"/count", integers, 1, []int{s.count})
	}
	f.episodes, f.columns = append(f.episodes, cells), columns
	return f.turn(d)
}

// turn ends the episode's row group, and the files that are full.
func (f *v30) turn(d *dataset) error {
	if err := d.table.flush(); err != nil {
		return fmt.Errorf("lerobot: parquet: %w", err)
	}
	full, err := isFull(f.file.Name(), dataMB)
	if err == nil && full {
		err = f.closeData(d)
		f.at++
	}
	for _, camera := range d.Cameras {
		full, sizeErr := isFull(d.videos[camera].path, videoMB)
		err = errors.Join(err, sizeErr)
		if full {
			err = errors.Join(err, d.videos[camera].close())
			f.videos[camera] = at{file: f.videos[camera].file + 1}
			delete(d.videos, camera)
		}
	}
	return err
}

func isFull(path string, mb int64) (bool, error) {
	info, err := os.Stat(path)
	if err != nil {
		return false, fmt.Errorf("lerobot: %w", err)
	}
	return info.Size() >= mb<<20, nil
}

func (f *v30) closeData(d *dataset) error {
	if f.file == nil {
		return nil
	}
	err := errors.Join(d.table.close(), f.file.Close())
	f.file = nil
	return err
}

func (f *v30) finish(d *dataset) (map[string]any, error) {
	err := f.closeData(d)
	for _, v := range d.videos {
		err = errors.Join(err, v.close())
	}
	if err != nil {
		return nil, fmt.Errorf("lerobot: %w", err)
	}
	if err := d.parquet("meta/episodes/chunk-000/file-000.parquet", f.columns, f.episodes); err != nil {
		return nil, err
	}
	var tasks []map[string]any
	for i, task := range d.taskList() {
		tasks = append(tasks, map[string]any{"task": task, "task_index": i})
	}
	if err := d.parquet("meta/tasks.parquet", []column{{"task", texts, 0}, {"task_index", integers, 0}}, tasks,
		parquet.KeyValueMetadata("pandas", tasksIndex)); err != nil {
		return nil, err
	}
	if err := d.writeJSON("meta/stats.json", d.statsJSON(d.total(), statNames())); err != nil {
		return nil, err
	}
	return map[string]any{
		"data_files_size_in_mb": dataMB, "video_files_size_in_mb": videoMB,
		"data_path":  "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
		"video_path": d.videoPath("videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"),
	}, nil
}

// tasksIndex tells pandas, with which LeRobot reads the tasks, that the task is
// the table's index.
const tasksIndex = `{"index_columns": ["task"], "column_indexes": [{"name": null, "field_name": null, "pandas_type": "unicode", "numpy_type": "object", "metadata": {"encoding": "UTF-8"}}], ` +
	`"columns": [{"name": "task_index", "field_name": "task_index", "pandas_type": "int64", "numpy_type": "int64", "metadata": null}, ` +
	`{"name": "task", "field_name": "task", "pandas_type": "unicode", "numpy_type": "object", "metadata": null}], "creator": {"library": "twinrig", "version": "0"}, "pandas_version": "2.0.0"}`

// parquet writes a whole table.
func (d *dataset) parquet(name string, columns []column, rows []map[string]any, options ...parquet.WriterOption) error {
	file, err := d.create(name)
	if err != nil {
		return err
	}
	t := newTable(file, columns, options...)
	for _, row := range rows {
		if err := t.put(row); err != nil {
			file.Close()
			return err
		}
	}
	if err := errors.Join(t.close(), file.Close()); err != nil {
		return fmt.Errorf("lerobot: %s: %w", name, err)
	}
	return nil
}
