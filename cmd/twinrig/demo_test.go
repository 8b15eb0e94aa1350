package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig/agent/record"
	"twinrig/configs"
	"twinrig/eval"
)

// small is a short study: one scene.
func small(t *testing.T, policies ...string) configs.Demo {
	t.Helper()
	d, err := configs.LoadDemo("")
	require.NoError(t, err)
	d.Study.Scenes = []string{"red_cube_blue_bowl"}
	d.Study.Policies = policies
	d.Study.Timeout = 14 * time.Second
	d.MQTTPort = 0
	return d
}

func runDemo(t *testing.T, d configs.Demo, lockstep bool) (dir string, out []byte) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "study")
	var stdout, stderr bytes.Buffer
	err := demo(context.Background(), d, demoFlags{lockstep: lockstep, asJSON: true, out: dir}, &stdout, &stderr)
	require.NoError(t, err, stderr.String())
	return dir, stdout.Bytes()
}

func trialFiles(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "trials", "*", "trial.mcap"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

// Two lockstep runs with one seed give the same records byte for byte, and
// another seed another arm.
func TestLockstepIsByteIdentical(t *testing.T) {
	d := small(t, "expert", "hold")
	d.Study.Timeout = 10 * time.Second
	first, out := runDemo(t, d, true)
	second, _ := runDemo(t, d, true)
	for _, path := range trialFiles(t, first) {
		a, err := os.ReadFile(path)
		require.NoError(t, err)
		rel, err := filepath.Rel(first, path)
		require.NoError(t, err)
		b, err := os.ReadFile(filepath.Join(second, rel))
		require.NoError(t, err)
		require.True(t, bytes.Equal(a, b), "%s differs between two runs", rel)
	}
	checkContract(t, out, 2)

	d.Virtual.Seed++
	_, other := runDemo(t, d, true)
	require.NotEqual(t, gapOf(t, out), gapOf(t, other), "another seed hides another arm")
}

func gapOf(t *testing.T, out []byte) any {
	t.Helper()
	var m map[string]any
	require.NoError(t, json.Unmarshal(out, &m))
	return m["gap"]
}

// checkContract holds the JSON against what other programs rely on.
func checkContract(t *testing.T, out []byte, trials int) {
	t.Helper()
	var m struct {
		Trials   int
		Policies map[string]map[string]any
		Gap      map[string]any
		Loop     map[string]any
		Speedup  float64
		StudyDir string  `json:"study_dir"`
		WireHz   float64 `json:"wire_hz"`
	}
	require.NoError(t, json.Unmarshal(out, &m))
	require.Equal(t, trials, m.Trials)
	for name, p := range m.Policies {
		for _, key := range []string{"psr", "sr", "dfr", "sfr", "tf_s", "n"} {
			require.Contains(t, p, key, name)
		}
	}
	for _, key := range []string{"ee_rms_mm", "ee_p95_mm", "ee_rot_rms_deg", "joint_rms_rad"} {
		require.Positive(t, m.Gap[key], key)
	}
	for _, key := range []string{"hz", "late_p50_us", "late_p99_us", "misses"} {
		require.Contains(t, m.Loop, key)
	}
	require.Positive(t, m.Speedup)
	require.Positive(t, m.WireHz)
	require.DirExists(t, m.StudyDir)
	require.FileExists(t, filepath.Join(m.StudyDir, "report", "report.html"))
}

// The steady expert succeeds and the null policy does not, by the virtual
// world's truth, and everything of a trial is in its record.
func TestStudyInLockstep(t *testing.T) {
	dir, out := runDemo(t, small(t, "expert", "hold"), true)
	checkContract(t, out, 2)
	s, err := eval.Load(dir)
	require.NoError(t, err)
	require.True(t, s.Virtual)
	l, err := eval.OpenLedger(dir)
	require.NoError(t, err)
	defer l.Close()
	results, err := l.Results()
	require.NoError(t, err)
	require.Len(t, results, 2)
	for _, r := range results {
		require.Equal(t, "virtual world's truth, rules 1", r.Verdict.Source)
		require.Equal(t, r.Trial.Policy == "expert", r.Verdict.Success, r.Trial.ID)
		require.Equal(t, r.Verdict.Success, r.Mirror.Success, "the mirror sees it as the world does")
		require.Greater(t, r.Gap.Steps, 30)
		require.Greater(t, r.Gap.EERMSMM, 0.1, "a hidden arm is not its mirror")
		require.Less(t, r.Gap.EERMSMM, 10.0)
		require.Zero(t, r.Loop.Misses)

		info, err := record.Read(filepath.Join(dir, "trials", r.Trial.ID, "trial.mcap"), record.Visitor{})
		require.NoError(t, err)
		require.NoError(t, info.Damage)
		require.Equal(t, "virtual", info.Kind)
		require.Zero(t, info.Summary.Dropped())
		require.Equal(t, uint64(r.Gap.Steps), info.Read.Gaps)
		require.Greater(t, info.Read.Frames, uint64(5))
		require.Greater(t, info.Read.Ticks, uint64(1000))
		require.Len(t, info.Attachments, 2)
		require.Equal(t, s.ConfigSHA256, eval.Digest(string(info.Attachments[0].Data)))
		require.Contains(t, string(info.Attachments[1].Data), "stiffness_nm_per_rad", "the calibration record")
	}
}

func TestAStudyIsNeverOverwritten(t *testing.T) {
	d := small(t, "hold")
	d.Study.Timeout = time.Second
	dir, _ := runDemo(t, d, true)
	before, err := os.ReadFile(filepath.Join(dir, "study.yaml"))
	require.NoError(t, err)
	var out bytes.Buffer
	err = demo(context.Background(), d, demoFlags{lockstep: true, asJSON: true, out: dir}, &out, &out)
	require.ErrorContains(t, err, dir)
	require.ErrorAs(t, err, &usageError{})
	after, err := os.ReadFile(filepath.Join(dir, "study.yaml"))
	require.NoError(t, err)
	require.Equal(t, before, after)
}
