package export

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"time"

	"twinrig"
	"twinrig/agent/record"
	"twinrig/eval"
)

// Step is one control step of a trial: from the tick that first followed one of
// the policy's goals to the last before the next goal.
type Step struct {
	// Number is the policy's, from 0.
	Number int
	// State is the reading of the step's first tick, which is what a policy
	// could have known. State.Stamp is when it was taken.
	State twinrig.State
	// Asked is the goal of the step's last tick before the guard, and so where
	// the policy wanted the arm to be at the end of the step; Sent is what the
	// guard and the arm's limits made of it.
	Asked, Sent twinrig.Goal
	// Guard is all that the guard did in the step.
	Guard twinrig.Intervention
	// Gap is the mirror's gap at this step, nil without one.
	Gap *twinrig.Gap
}

// Episode is one trial as its log tells it.
type Episode struct {
	Result *eval.Result
	// Fields are the log's descriptions of the trial.
	Fields map[string]string
	Steps  []Step
	// Pictures are each camera's, in their order.
	Pictures map[string][]record.Image
}

// LogOf is the path of a trial's log in a study's folder.
func LogOf(dir string, r *eval.Result) string {
	return filepath.Join(dir, eval.TrialsDir, r.Trial.ID, "trial.mcap")
}

// ErrEmpty is a trial whose log has no control step.
var ErrEmpty = errors.New("no control step after the first action")

// Read takes a trial from its log. Ticks before the first action are not part
// of it. onTick, unless nil, is shown every tick, also those before.
func Read(path string, r *eval.Result, onTick func(*twinrig.Report) error) (*Episode, error) {
	e := &Episode{Result: r, Pictures: map[string][]record.Image{}}
	gaps := map[int]*twinrig.Gap{}
	// The ledger has the first action's time as seconds: half a microsecond
	// cannot reach another tick.
	start := time.Duration(math.Round(r.Start*1e9)) - 500*time.Nanosecond
	info, err := record.Read(path, record.Visitor{
		Tick: func(t *twinrig.Report) error {
			if t.Now >= start {
				e.add(t)
			}
			if onTick == nil {
				return nil
			}
			return onTick(t)
		},
		Gap: func(g *twinrig.Gap) error {
			gaps[g.Step] = g
			return nil
		},
		Frame: func(i *record.Image) error {
			e.Pictures[i.Camera] = append(e.Pictures[i.Camera], *i)
			return nil
		},
	})
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	if info.Damage != nil {
		return nil, fmt.Errorf("export: %s: %w: run `twinrig eval recover` first", path, info.Damage)
	}
	if len(e.Steps) == 0 {
		return nil, fmt.Errorf("export: %s: %w", path, ErrEmpty)
	}
	for i := range e.Steps {
		e.Steps[i].Gap = gaps[e.Steps[i].Number]
	}
	for _, pictures := range e.Pictures {
		slices.SortStableFunc(pictures, func(a, b record.Image) int { return int(a.Stamp - b.Stamp) })
	}
	e.Fields = info.Fields
	return e, nil
}

// add takes one tick in.
func (e *Episode) add(t *twinrig.Report) {
	n := len(e.Steps)
	if n == 0 || e.Steps[n-1].Number != t.Step {
		e.Steps = append(e.Steps, Step{Number: t.Step, State: t.State})
		n++
	}
	s := &e.Steps[n-1]
	s.Asked, s.Sent = t.Asked, t.Sent.Goal
	s.Guard |= t.Guard
}

// Seen is the newest of a camera's pictures that was there at a time; the first
// one before that. Nil without pictures.
func (e *Episode) Seen(camera string, at time.Duration) *record.Image {
	pictures := e.Pictures[camera]
	if len(pictures) == 0 {
		return nil
	}
	after := slices.IndexFunc(pictures, func(i record.Image) bool { return i.Stamp > at })
	switch after {
	case -1:
		return &pictures[len(pictures)-1]
	case 0:
		return &pictures[0]
	}
	return &pictures[after-1]
}

// Rate is the control rate in Hz by the median length of a step; 0 with fewer
// than two steps.
func (e *Episode) Rate() float64 {
	var lengths []time.Duration
	for i := 1; i < len(e.Steps); i++ {
		lengths = append(lengths, e.Steps[i].State.Stamp-e.Steps[i-1].State.Stamp)
	}
	if len(lengths) == 0 {
		return 0
	}
	slices.Sort(lengths)
	return 1 / lengths[len(lengths)/2].Seconds()
}
