package lerobot_test

import (
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"
	"gocv.io/x/gocv"

	"twinrig/eval"
	"twinrig/eval/export/exporttest"
	"twinrig/eval/export/lerobot"
)

var update = flag.Bool("update", false, "write the golden files")

// steps are the lengths of the two trials that have logs.
var steps = [2]int{6, 4}

// write exports the small study.
func write(t *testing.T, o lerobot.Options) (out string, sum *lerobot.Summary) {
	t.Helper()
	dir, results := t.TempDir(), exporttest.Results()
	for i, n := range steps {
		require.NoError(t, exporttest.Log(dir, &results[i], n, true))
	}
	out = filepath.Join(t.TempDir(), "out")
	o.Provenance = map[string]any{"study": "small"}
	sum, err := lerobot.Write(dir, results, out, o)
	require.NoError(t, err)
	require.Equal(t, []string{results[2].Trial.ID}, sum.Without)
	require.Equal(t, 10, sum.Frames)
	require.Equal(t, 2, sum.Tasks)
	return out, sum
}

// frame is a row of the data as a reader sees it.
type frame struct {
	State     []float32 `parquet:"observation.state,list"`
	Action    []float32 `parquet:"action,list"`
	Done      bool      `parquet:"next.done"`
	Success   bool      `parquet:"next.success"`
	Timestamp float32   `parquet:"timestamp"`
	Frame     int64     `parquet:"frame_index"`
	Episode   int64     `parquet:"episode_index"`
	Index     int64     `parquet:"index"`
	Task      int64     `parquet:"task_index"`
	StateAt   float64   `parquet:"capture_s.state"`
	PictureAt float64   `parquet:"capture_s.webcam"`
}

// What Parquet and video say, read back, is what was recorded.
func TestDataReadsBack(t *testing.T) {
	for version, name := range map[lerobot.Version][2]string{
		lerobot.V21: {"data/chunk-000/episode_*.parquet", "videos/chunk-000/observation.images.webcam/episode_*.mp4"},
		lerobot.V30: {"data/chunk-*/file-*.parquet", "videos/observation.images.webcam/chunk-*/file-*.mp4"},
	} {
		t.Run(string(version), func(t *testing.T) {
			out, _ := write(t, lerobot.Options{Version: version})
			rows := readAll[frame](t, filepath.Join(out, name[0]))
			reds := redsOf(t, filepath.Join(out, name[1]))
			require.Len(t, rows, 10)
			require.Len(t, reds, 10, "as many pictures as rows")
			index := 0
			for episode, n := range steps {
				for i := range n {
					row := rows[index]
					first := exporttest.Start + time.Duration(i)*200*time.Millisecond
					last := first + 190*time.Millisecond
					want, goal := exporttest.Joints(first, 0), exporttest.Joints(last, 0.25)
					require.InDeltaSlice(t, append(want[:], float64(exporttest.Grip(first))), row.State, 1e-6)
					require.InDeltaSlice(t, append(goal[:], float64(exporttest.Grip(last)/2)), row.Action, 1e-6)
					require.Equal(t, i == n-1, row.Done)
					require.Equal(t, i == n-1 && episode == 0, row.Success)
					require.InDelta(t, float64(i)/5, row.Timestamp, 1e-6)
					require.Equal(t, [4]int64{int64(i), int64(episode), int64(index), int64(episode)},
						[4]int64{row.Frame, row.Episode, row.Index, row.Task})
					require.InDelta(t, (first + time.Millisecond).Seconds(), row.StateAt, 1e-12, "the true time")
					require.InDelta(t, (first - 20*time.Millisecond).Seconds(), row.PictureAt, 1e-12)
					shown := exporttest.Frame(first - 20*time.Millisecond)
					require.InDelta(t, shown.RGB[3*(exporttest.W-1)], reds[index], 6, "frame %d shows its own picture", index)
					index++
				}
			}
		})
	}
}

// readAll reads the rows of all files that match, in their order.
func readAll[T any](t *testing.T, pattern string) (rows []T) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		some, err := parquet.ReadFile[T](file)
		require.NoError(t, err)
		rows = append(rows, some...)
	}
	return rows
}

// redsOf are the frames' mean red on the right, one for each frame of all files.
func redsOf(t *testing.T, pattern string) (reds []float64) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	for _, file := range files {
		v, err := gocv.VideoCaptureFile(file)
		require.NoError(t, err)
		require.InDelta(t, exporttest.FPS, v.Get(gocv.VideoCaptureFPS), 1e-9)
		m := gocv.NewMat()
		for v.Read(&m) {
			require.Equal(t, [2]int{exporttest.H, exporttest.W}, [2]int{m.Rows(), m.Cols()})
			sum := 0.0
			for y := range exporttest.H {
				sum += float64(m.GetVecbAt(y, exporttest.W-8)[2]) / exporttest.H // BGR
			}
			reds = append(reds, sum)
		}
		require.NoError(t, m.Close())
		require.NoError(t, v.Close())
	}
	return reds
}

// The files that describe a dataset are the golden ones.
func TestMetadataIsTheGoldenOne(t *testing.T) {
	for version, names := range map[lerobot.Version][]string{
		lerobot.V21: {"info.json", "episodes.jsonl", "tasks.jsonl", "episodes_stats.jsonl"},
		lerobot.V30: {"info.json", "stats.json"},
	} {
		out, _ := write(t, lerobot.Options{Version: version})
		for _, name := range names {
			got, err := os.ReadFile(filepath.Join(out, "meta", name))
			require.NoError(t, err)
			golden := filepath.Join("testdata", string(version)+"."+name)
			if *update {
				require.NoError(t, os.WriteFile(golden, got, 0o600))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got), golden)
		}
	}
}

// episode is a row of version 3.0's episodes, in part.
type episode struct {
	Episode int64     `parquet:"episode_index"`
	Tasks   []string  `parquet:"tasks,list"`
	Length  int64     `parquet:"length"`
	From    int64     `parquet:"dataset_from_index"`
	To      int64     `parquet:"dataset_to_index"`
	Begin   float64   `parquet:"videos/observation.images.webcam/from_timestamp"`
	End     float64   `parquet:"videos/observation.images.webcam/to_timestamp"`
	Trial   string    `parquet:"trial"`
	Success bool      `parquet:"success"`
	Labels  []string  `parquet:"failure_labels,list"`
	Max     []float64 `parquet:"stats/observation.state/max,list"`
	Q50     []float64 `parquet:"stats/observation.state/q50,list"`
	Count   []int64   `parquet:"stats/observation.state/count,list"`
}

func TestEpisodesAndTasksReadBack(t *testing.T) {
	out, _ := write(t, lerobot.Options{Version: lerobot.V30})
	rows := readAll[episode](t, filepath.Join(out, "meta/episodes/chunk-000/file-000.parquet"))
	require.Len(t, rows, 2)
	results := exporttest.Results()
	for i, row := range rows {
		require.Equal(t, int64(i), row.Episode)
		require.Equal(t, results[i].Trial.ID, row.Trial)
		require.Equal(t, []string{results[i].Trial.Instruction}, row.Tasks)
		require.Equal(t, int64(steps[i]), row.Length)
		require.Equal(t, []int64{int64(steps[i])}, row.Count)
		require.Equal(t, i == 0, row.Success)
	}
	require.Equal(t, [2]int64{6, 10}, [2]int64{rows[1].From, rows[1].To})
	require.InDeltaSlice(t, []float64{6. / 5, 10. / 5}, []float64{rows[1].Begin, rows[1].End}, 1e-12, "one video for both")
	require.Empty(t, rows[0].Labels)
	require.Equal(t, []string{"missed_grasp", "dropped"}, rows[1].Labels)
	first := exporttest.Start.Seconds() / 10
	require.InDelta(t, first+5*0.02, rows[0].Max[0], 1e-6)
	require.InDelta(t, first+2.5*0.02, rows[0].Q50[0], 1e-6, "between the third and the fourth of six")

	type task struct {
		Task  string `parquet:"task"`
		Index int64  `parquet:"task_index"`
	}
	require.Equal(t, []task{{results[0].Trial.Instruction, 0}, {results[1].Trial.Instruction, 1}},
		readAll[task](t, filepath.Join(out, "meta/tasks.parquet")))
	f, err := os.Open(filepath.Join(out, "meta/tasks.parquet"))
	require.NoError(t, err)
	defer f.Close()
	info, err := f.Stat()
	require.NoError(t, err)
	file, err := parquet.OpenFile(f, info.Size())
	require.NoError(t, err)
	pandas, ok := file.Lookup("pandas")
	require.True(t, ok)
	var index struct {
		Columns []string `json:"index_columns"`
	}
	require.NoError(t, json.Unmarshal([]byte(pandas), &index))
	require.Equal(t, []string{"task"}, index.Columns)
}

// The same study gives the same files, byte for byte.
func TestExportIsAPureFunction(t *testing.T) {
	for _, version := range []lerobot.Version{lerobot.V21, lerobot.V30} {
		one, _ := write(t, lerobot.Options{Version: version})
		two, _ := write(t, lerobot.Options{Version: version})
		files := 0
		require.NoError(t, filepath.WalkDir(one, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			files++
			rel, err := filepath.Rel(one, path)
			require.NoError(t, err)
			a, err := os.ReadFile(path)
			require.NoError(t, err)
			b, err := os.ReadFile(filepath.Join(two, rel))
			require.NoError(t, err)
			require.Equal(t, a, b, rel)
			return nil
		}))
		require.GreaterOrEqual(t, files, 6)
	}
}

func TestWithoutVideo(t *testing.T) {
	out, sum := write(t, lerobot.Options{Version: lerobot.V30, NoVideo: true})
	require.Empty(t, sum.Cameras)
	require.NoDirExists(t, filepath.Join(out, "videos"))
	text, err := os.ReadFile(filepath.Join(out, "meta/info.json"))
	require.NoError(t, err)
	require.NotContains(t, string(text), "webcam")
	require.Contains(t, string(text), `"video_path": null`)
}

func TestRefusals(t *testing.T) {
	results := exporttest.Results()
	for _, c := range []struct {
		name   string
		study  func(dir string) error
		o      lerobot.Options
		reason string
	}{
		{"version", func(string) error { return nil }, lerobot.Options{Version: "v9"}, `version "v9" is not v2.1 or v3.0`},
		{"no log", func(string) error { return nil }, lerobot.Options{Version: lerobot.V21}, "there is nothing to export"},
		{"a camera is missing", func(dir string) error {
			if err := exporttest.Log(dir, &results[0], 3, true); err != nil {
				return err
			}
			return exporttest.Log(dir, &results[1], 3, false)
		}, lerobot.Options{Version: lerobot.V30}, results[1].Trial.ID + ": it has no picture of camera webcam"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, out := t.TempDir(), filepath.Join(t.TempDir(), "out")
			require.NoError(t, c.study(dir))
			_, err := lerobot.Write(dir, results, out, c.o)
			require.ErrorContains(t, err, c.reason)
			require.NoDirExists(t, out, "nothing half done is left")
		})
	}
	out := t.TempDir()
	_, err := lerobot.Write(t.TempDir(), []eval.Result{results[0]}, out, lerobot.Options{Version: lerobot.V21})
	require.ErrorIs(t, err, fs.ErrExist)
	require.DirExists(t, out, "what was there stays")
}
