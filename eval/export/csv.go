package export

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"twinrig"
	"twinrig/eval"
)

// CSV writes two tables for each of the trials in the study's folder dir into
// the folder out: TRIAL.ticks.csv, a row for each tick of the loop, and
// TRIAL.steps.csv, a row for each control step with the mirror's gap. Numbers
// read back as they were; what is not known is an empty cell. It returns the
// ids of the trials that have no log or no step, which are left out.
func CSV(dir string, results []eval.Result, out string) (without []string, err error) {
	for i := range results {
		r := &results[i]
		err := csvTrial(LogOf(dir, r), r, filepath.Join(out, r.Trial.ID))
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, ErrEmpty):
			without = append(without, r.Trial.ID)
		case err != nil:
			return nil, err
		}
	}
	return without, nil
}

func csvTrial(log string, r *eval.Result, out string) (err error) {
	if _, err := os.Stat(log); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	ticks, err := os.Create(out + ".ticks.csv")
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	defer func() { err = errors.Join(err, ticks.Close()) }()
	w := csv.NewWriter(ticks)
	if err := w.Write(tickHeader()); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	e, err := Read(log, r, func(t *twinrig.Report) error { return w.Write(tickRow(t)) })
	if err != nil {
		return err
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	steps, err := os.Create(out + ".steps.csv")
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return errors.Join(e.csvSteps(steps), steps.Close())
}

// perJoint names one column for each joint.
func perJoint(header []string, prefix, unit string) []string {
	for _, name := range twinrig.AxisNames[:twinrig.NumJoints] {
		header = append(header, prefix+name+unit)
	}
	return header
}

func tickHeader() []string {
	h := []string{"tick", "step", "now_ns", "stamp_ns", "late_ns", "misses", "guard"}
	h = perJoint(h, "measured_", "_rad")
	h = perJoint(h, "velocity_", "_rad_s")
	h = perJoint(h, "effort_", "_nm")
	h = append(h, "measured_grip_ratio")
	h = perJoint(h, "asked_", "_rad")
	h = append(h, "asked_grip_ratio")
	h = perJoint(h, "sent_", "_rad")
	h = append(h, "sent_grip_ratio")
	return perJoint(h, "sent_effort_", "_nm")
}

func tickRow(t *twinrig.Report) []string {
	row := []string{
		strconv.FormatUint(t.Tick, 10), strconv.Itoa(t.Step), nanoseconds(int64(t.Now)), nanoseconds(int64(t.State.Stamp)),
		nanoseconds(int64(t.Late)), strconv.FormatUint(t.Misses, 10), strings.Join(t.Guard.Names(), " "),
	}
	row = numbers(row, t.State.Measured[:]...)
	row = numbers(row, t.State.Velocity[:]...)
	row = numbers(row, t.State.Effort[:]...)
	row = numbers(row, float64(t.State.Grip))
	row = goal(row, &t.Asked)
	row = goal(row, &t.Sent.Goal)
	return numbers(row, t.Sent.Effort[:]...)
}

// csvSteps writes the control steps.
func (e *Episode) csvSteps(w io.Writer) error {
	h := []string{"frame_index", "step", "stamp_ns", "guard"}
	h = append(perJoint(h, "measured_", "_rad"), "measured_grip_ratio")
	h = append(perJoint(h, "asked_", "_rad"), "asked_grip_ratio")
	h = append(perJoint(h, "sent_", "_rad"), "sent_grip_ratio")
	h = append(h, "gap_translation_m", "gap_rotation_rad", "gap_grip_ratio")
	h = perJoint(h, "gap_", "_rad")
	rows := [][]string{h}
	for i := range e.Steps {
		s := &e.Steps[i]
		row := []string{
			strconv.Itoa(i), strconv.Itoa(s.Number), nanoseconds(int64(s.State.Stamp)), strings.Join(s.Guard.Names(), " "),
		}
		row = numbers(numbers(row, s.State.Measured[:]...), float64(s.State.Grip))
		row = goal(goal(row, &s.Asked), &s.Sent)
		if g := s.Gap; g != nil {
			row = numbers(row, g.Translation, g.Rotation, float64(g.Grip))
			row = numbers(row, g.Joints[:]...)
		} else {
			row = append(row, make([]string, 3+twinrig.NumJoints)...)
		}
		rows = append(rows, row)
	}
	if err := csv.NewWriter(w).WriteAll(rows); err != nil {
		return fmt.Errorf("export: %w", err)
	}
	return nil
}

func goal(row []string, g *twinrig.Goal) []string {
	return numbers(numbers(row, g.Joints[:]...), float64(g.Grip))
}

func numbers(row []string, values ...float64) []string {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			row = append(row, "")
			continue
		}
		row = append(row, strconv.FormatFloat(v, 'g', -1, 64))
	}
	return row
}

func nanoseconds(v int64) string { return strconv.FormatInt(v, 10) }
