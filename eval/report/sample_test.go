package report

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"twinrig"
	"twinrig/eval"
)

// sample is a study of three scenes and two policies on the virtual rig, with
// made-up outcomes, mirror, loop and pictures; the same every time.
func sample(t *testing.T) *Report {
	t.Helper()
	s := &eval.Study{
		Name: "carrot-week-12", Virtual: true, Trials: 10, OrderSeed: 42, Timeout: 20 * time.Second,
		MaxAttempts: 3, VerdictSource: "virtual world's truth, rules 1", Config: "loop:\n  rate_hz: 100\n",
		Policies: []eval.Policy{{Name: "scripted", Checkpoint: "sha256:9f2c"}, {Name: "openvla-7b"}},
	}
	s.ConfigSHA256 = eval.Digest(s.Config)
	for _, name := range []string{"carrot_on_plate", "spoon_on_towel", "stack_cube"} {
		sc := eval.Scene{Name: name, Instruction: "do " + name}
		for i := range s.Trials {
			sc.Placements = append(sc.Placements, eval.Placement{"a": {X: 0.3, Y: float64(i) / 100}})
		}
		s.Scenes = append(s.Scenes, sc)
	}
	require.NoError(t, s.Validate())

	rng := rand.New(rand.NewPCG(3, 0))
	var results []eval.Result
	var curves []eval.Curve
	plan := s.Plan()
	for _, tr := range plan {
		res, gaps := sampleTrial(rng, tr)
		results = append(results, res)
		curves = append(curves, eval.CurveOf(tr.ID, gaps))
	}
	results[4].Amendments = []eval.Amendment{{Who: "ann", Reason: "<the video> shows a drop", At: "2026-03-01T12:00:00Z", Verdict: results[4].Verdict}}
	bad := plan[7]
	bad.ID, bad.Attempt = bad.ID+"-again1", 1
	results = append(results, eval.Result{Trial: bad, Termination: eval.HardwareFault, Note: "servo 5: overheating"})

	r, err := New(s, results, curves, []Picture{
		{Caption: "carrot_on_plate, before", Data: picture(t, 40)}, {Caption: "carrot_on_plate, after", Data: picture(t, 90)},
	})
	require.NoError(t, err)
	return r
}

func sampleTrial(rng *rand.Rand, tr eval.Trial) (eval.Result, []twinrig.Gap) {
	skill := map[string]float64{"scripted": 0.8, "openvla-7b": 0.45}[tr.Policy]
	res := eval.Result{
		Trial: tr, Termination: eval.Timeout, Start: 2, End: 22, ControlSteps: 100,
		Verdict: &eval.Verdict{Partial: true, Source: "virtual world's truth, rules 1"},
		Loop: &eval.Loop{
			Ticks: 2000, Hz: 100, LateP50US: 8, LateP99US: 31 + rng.Float64()*9,
			Late:      []eval.LateBin{{UpToUS: 8, Ticks: 1100}, {UpToUS: 16, Ticks: 700}, {UpToUS: 32, Ticks: 180}, {UpToUS: 1024, Ticks: 20}},
			Inference: &eval.Inference{Asked: 26, Accepted: 24, Refused: map[string]int{"late": 1, "nan": 1}, WarmUpMS: 900, LatenciesMS: []float64{71, 72, 75, 140}, IdleS: 0.4, Gaps: 2},
		},
		Provenance: eval.Provenance{ConfigSHA256: tr.ConfigSHA256, Software: "v0.1.0", MuJoCo: "3.17.0", Seed: tr.Seed},
	}
	if rng.Float64() < skill {
		at := 6 + 8*rng.Float64()
		res.Termination, res.TSuccess, res.End = eval.Success, &at, 2+at
		res.Verdict.Success = true
	} else {
		labels := []eval.Label{eval.MissedGrasp, eval.Dropped, eval.PlacedBeside, eval.WrongObject}
		res.Verdict.Labels = append(res.Verdict.Labels, labels[rng.IntN(len(labels))])
		res.Verdict.Partial = res.Verdict.Labels[0] != eval.MissedGrasp
	}
	res.Mirror = &eval.Mirror{Success: res.Verdict.Success != (rng.Float64() < 0.12), Partial: res.Verdict.Partial}
	var gaps []twinrig.Gap
	phase, size := rng.Float64()*6, 4+3*rng.Float64()
	if rng.Float64() < 0.05 {
		size *= 3
	}
	for i := range int((res.End - res.Start) * 5) {
		x := float64(i) / 5
		mm := size * (1 - math.Exp(-x)) * (1 + 0.5*math.Sin(x+phase))
		gaps = append(gaps, twinrig.Gap{
			Stamp: time.Duration(x * 1e9), Step: i, Translation: mm / 1000, Rotation: mm / 500, Grip: 0.03,
			Joints:   twinrig.Joints{3, 9, 7, 2, 5, 1}.Scale(mm / 5000),
			Velocity: twinrig.Joints{1, 2, 3, 4, 5, 6}.Scale(mm / 500),
		})
	}
	res.Gap = eval.GapOf(gaps)
	return res, gaps
}

// picture is a small PNG.
func picture(t *testing.T, shade uint8) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 320, 240))
	for y := range 240 {
		for x := range 320 {
			img.Set(x, y, color.RGBA{shade, uint8(x / 2), uint8(y), 255})
		}
	}
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, img))
	return b.Bytes()
}
