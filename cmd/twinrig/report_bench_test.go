package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/agent/record"
	"twinrig/eval"
	"twinrig/eval/report"
)

// Size of the study of the benchmark.
const (
	benchScenes = 25
	benchTrials = 200 // for each scene and policy
	benchSteps  = 150
)

// BenchmarkReport reports a made-up study of 10,000 trials with a ledger and
// logs, by a program of its own; limits 5 s and 500 MiB.
func BenchmarkReport(b *testing.B) {
	dir := benchStudy(b)
	var cpu time.Duration
	var peak int64
	for b.Loop() {
		c := exec.Command(os.Args[0], "eval", "report", dir, "--json")
		c.Env = append(os.Environ(), mainEnv+"=1")
		var stderr bytes.Buffer
		c.Stderr = &stderr
		out, err := c.Output()
		require.NoError(b, err, stderr.String())
		cpu += c.ProcessState.UserTime() + c.ProcessState.SystemTime()
		peak = max(peak, c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
		var rep report.StudyJSON
		require.NoError(b, json.Unmarshal(out, &rep))
		require.Equal(b, 2*benchScenes*benchTrials, rep.Gap.Trials)
		require.NotNil(b, rep.Gap.EEP95MM, "of all trials, though few logs were read")
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/report")
	b.ReportMetric(cpu.Seconds()/float64(b.N), "cpu-s/report")
	b.ReportMetric(float64(peak)/1024, "MiB-peak")
}

// benchStudy makes the study, with logs as long as a trial's for those trials
// that a report draws.
func benchStudy(b *testing.B) string {
	b.Helper()
	s := &eval.Study{
		Name: "large", Virtual: true, Trials: benchTrials, OrderSeed: 1, Timeout: 30 * time.Second, MaxAttempts: 3,
		VerdictSource: "made up", Config: "x: 1\n", Policies: []eval.Policy{{Name: "a"}, {Name: "b"}},
	}
	s.ConfigSHA256 = eval.Digest(s.Config)
	for i := range benchScenes {
		sc := eval.Scene{Name: fmt.Sprintf("scene%02d", i), Instruction: "do it"}
		for p := range 20 {
			sc.Placements = append(sc.Placements, eval.Placement{"cup": {X: 0.3, Y: float64(p) / 100}, "plate": {X: 0.2}})
		}
		s.Scenes = append(s.Scenes, sc)
	}
	dir, err := eval.Create(b.TempDir(), s)
	require.NoError(b, err)
	rng := rand.New(rand.NewPCG(1, 2))
	var results []eval.Result
	for _, t := range s.Plan() {
		results = append(results, benchResult(rng, t))
	}
	l, err := eval.OpenLedger(dir)
	require.NoError(b, err)
	require.NoError(b, l.Import(results))
	require.NoError(b, l.Close())
	first := ""
	for _, r := range sampleOf(results) {
		path := filepath.Join(dir, eval.TrialsDir, r.Trial.ID, "trial.mcap")
		if first == "" {
			first = path
			benchLog(b, path)
			continue
		}
		require.NoError(b, os.MkdirAll(filepath.Dir(path), 0o750))
		require.NoError(b, os.Link(first, path))
	}
	return dir
}

func benchGaps(rng *rand.Rand) []twinrig.Gap {
	gaps := make([]twinrig.Gap, benchSteps)
	size := 0.002 + 0.006*rng.Float64()
	for i := range gaps {
		gaps[i] = twinrig.Gap{
			Stamp: time.Duration(i) * 200 * time.Millisecond, Step: i, Translation: size * (1 - math.Exp(-float64(i)/9)) * (1 + 0.3*rng.Float64()),
			Rotation: 0.02, Joints: twinrig.Joints{0.01, 0.02, 0.01}, Velocity: twinrig.Joints{0.1, 0.2},
		}
	}
	return gaps
}

func benchResult(rng *rand.Rand, t eval.Trial) eval.Result {
	r := eval.Result{
		Trial: t, Termination: eval.Timeout, Start: 2, End: 32, ControlSteps: benchSteps, Gap: eval.GapOf(benchGaps(rng)),
		Verdict:    &eval.Verdict{Labels: []eval.Label{eval.MissedGrasp}, Source: "made up"},
		Mirror:     &eval.Mirror{Success: rng.Float64() < 0.5},
		Provenance: eval.Provenance{ConfigSHA256: t.ConfigSHA256, Software: "v1", MuJoCo: "3", Seed: t.Seed},
		Loop: &eval.Loop{
			Ticks: 9000, Hz: 300, LateP50US: 8, LateP99US: 40, Late: []eval.LateBin{{UpToUS: 8, Ticks: 8000}, {UpToUS: 64, Ticks: 1000}},
			Inference: &eval.Inference{Asked: 40, Accepted: 40, LatenciesMS: make([]float64, 40)},
		},
	}
	for i := range r.Loop.Inference.LatenciesMS {
		r.Loop.Inference.LatenciesMS[i] = 60 + 20*rng.Float64()
	}
	if rng.Float64() < 0.6 {
		at := 5 + 20*rng.Float64()
		r.Termination, r.TSuccess = eval.Success, &at
		r.Verdict = &eval.Verdict{Success: true, Partial: true, Source: "made up"}
	}
	return r
}

// benchLog is a log with thirty seconds of ticks at 300 Hz.
func benchLog(b *testing.B, path string) {
	b.Helper()
	cfg := record.DefaultConfig()
	cfg.Synchronous = true
	w, err := record.Create(path, record.Header{Trial: "t", Rig: "r", Kind: "virtual"}, cfg)
	require.NoError(b, err)
	rng := rand.New(rand.NewPCG(3, 4))
	gaps := benchGaps(rng)
	for i := range 9000 {
		r := twinrig.Report{Tick: uint64(i), Now: time.Duration(i) * time.Second / 300, Step: i / 60}
		for j := range twinrig.NumJoints {
			r.State.Measured[j], r.State.Velocity[j], r.Sent.Joints[j] = rng.Float64(), rng.Float64(), rng.Float64()
			r.State.Effort[j], r.Asked.Joints[j], r.Sent.Effort[j] = rng.Float64(), rng.Float64(), rng.Float64()
		}
		w.Put(&r)
		if i%60 == 0 {
			w.PutGap(&gaps[i/60])
		}
	}
	f := twinrig.Frame{W: 640, H: 480, RGB: make([]byte, 3*640*480)}
	for i := range f.RGB {
		f.RGB[i] = byte(i/640) ^ byte(rng.Uint64()&7)
	}
	for i := range benchSteps {
		f.Stamp, f.Seq = time.Duration(i)*200*time.Millisecond, uint64(i)
		w.PutFrame("webcam", &f)
	}
	require.NoError(b, w.Close())
}
