// Package exporttest makes small studies' logs for tests of what reads them.
package exporttest

import (
	"fmt"
	"time"

	"twinrig"
	"twinrig/agent/record"
	"twinrig/eval"
	"twinrig/eval/export"
)

// What every trial is made of: the loop at 100 Hz, control at 5 Hz, the first
// action after a quarter of a second, pictures of W x H pixels at 10 Hz, the
// first one 20 ms before the first action.
const (
	Camera = "webcam"
	W      = 160
	H      = 120
	FPS    = 5
	Start  = 250 * time.Millisecond
	tick   = 10 * time.Millisecond
	perHz  = int(time.Second / FPS / tick)
)

// Joints are a state at a time: another number for every joint.
func Joints(at time.Duration, offset float64) (j twinrig.Joints) {
	for i := range j {
		j[i] = float64(i) + offset + at.Seconds()/10
	}
	return j
}

// Grip is the opening at a time.
func Grip(at time.Duration) twinrig.Grip { return twinrig.Grip(at.Seconds() / 16) }

// Frame is the picture taken at a time: grey on the left, and a red that grows
// with time on the right.
func Frame(at time.Duration) twinrig.Frame {
	f := twinrig.Frame{Stamp: at, Seq: uint64(at / tick), W: W, H: H}
	for range H {
		for x := range W {
			if x < W/2 {
				f.RGB = append(f.RGB, 128, 128, 128)
			} else {
				f.RGB = append(f.RGB, byte(40+min(200, 60*at/time.Second)), 20, 60)
			}
		}
	}
	return f
}

// Results are a success, a failure, and an attempt that did not count and has
// no log.
func Results() []eval.Result {
	results := make([]eval.Result, 3)
	for i := range results {
		results[i] = eval.Result{
			Trial: eval.Trial{
				ID: fmt.Sprintf("%04d-cup-p0-A", i), Study: "small", Order: i, Scene: "cup", Policy: "A", Seed: uint64(7 + i),
				Instruction: "put the cup on the plate", Timeout: 30,
			},
			Termination: eval.Success, Start: Start.Seconds(), End: 3,
			Provenance: eval.Provenance{ConfigSHA256: "c0ffee", Software: "v1", MuJoCo: "3", Seed: uint64(7 + i)},
		}
	}
	results[0].Verdict = &eval.Verdict{Success: true, Partial: true, Source: "operator", Who: "ann"}
	results[1].Termination, results[1].Trial.Instruction = eval.Timeout, "put the plate on the cup"
	results[1].Verdict = &eval.Verdict{Labels: []eval.Label{eval.MissedGrasp, eval.Dropped}, Source: "operator", Who: "ann"}
	results[2].Termination, results[2].Note = eval.Invalid, "someone walked in"
	return results
}

// Log writes the log of a trial of some control steps into a study's folder.
func Log(dir string, r *eval.Result, steps int, pictures bool) (err error) {
	cfg := record.DefaultConfig()
	cfg.Synchronous = true
	w, err := record.Create(export.LogOf(dir, r), record.Header{Trial: r.Trial.ID, Rig: "bench", Kind: "virtual"}, cfg)
	if err != nil {
		return err
	}
	first := int(Start / tick)
	for i := range first + steps*perHz {
		now := time.Duration(i) * tick
		rep := twinrig.Report{Tick: uint64(i), Now: now, Step: max(0, i-first) / perHz}
		// The bus is read 1 ms after the tick begins.
		rep.State = twinrig.State{Stamp: now + time.Millisecond, Measured: Joints(now, 0), Grip: Grip(now)}
		rep.Asked = twinrig.Goal{Joints: Joints(now, 0.25), Grip: Grip(now) / 2}
		rep.Sent.Goal = twinrig.Goal{Joints: Joints(now, 0.125), Grip: Grip(now) / 2}
		if i == first+perHz+3 {
			rep.Guard = twinrig.ClippedVelocity
		}
		w.Put(&rep)
		if n := i - first; n >= 0 && n%perHz == 0 && rep.Step != 2 {
			w.PutGap(&twinrig.Gap{Stamp: rep.State.Stamp, Step: rep.Step, Translation: 0.001 * float64(rep.Step), Joints: Joints(now, 0.5)})
		}
		if pictures && i >= first-2 && (i-first+2)%10 == 0 {
			f := Frame(now)
			w.PutFrame(Camera, &f)
		}
	}
	return w.Close()
}
