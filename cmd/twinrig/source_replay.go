package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"twinrig"
	"twinrig/agent/record"
	"twinrig/policy"
	"twinrig/policy/replay"
	"twinrig/sim/mirror"
)

// readMotion reads what `replay:FILE` names: a trial's recording (.mcap), or recorded
// segments of Bridge data, of which FILE#ID picks one and FILE alone the first.
func readMotion(name string) (replay.Motion, error) {
	if strings.HasSuffix(name, ".mcap") {
		return readTrialMotion(name)
	}
	path, id, _ := strings.Cut(name, "#")
	segments, err := mirror.ReadBridge(path)
	if err != nil {
		return replay.Motion{}, err
	}
	i := 0
	if id != "" {
		i = slices.IndexFunc(segments, func(s mirror.BridgeSegment) bool { return s.ID == id })
	}
	if i < 0 {
		return replay.Motion{}, fmt.Errorf("%s: no segment has the id %q", path, id)
	}
	return motionOf(&segments[i]), nil
}

// motionOf are a segment's actions, its gripper numbers as this arm's openings.
func motionOf(s *mirror.BridgeSegment) replay.Motion {
	m := replay.Motion{Space: policy.BridgeDeltaContinuous, RateHz: s.Hz, Actions: slices.Clone(s.Action)}
	for k := range m.Actions {
		g := &m.Actions[k][twinrig.GripAxis]
		*g = min(max(float64(policy.GripFromBridge(*g)), 0), 1)
	}
	return m
}

// readTrialMotion takes the goals that a trial's arm had at the end of each control
// step.
func readTrialMotion(path string) (replay.Motion, error) {
	m := replay.Motion{Space: policy.JointPosition}
	var goal twinrig.Goal
	var begins []time.Duration // of the steps
	step := -1
	done := func() {
		var a twinrig.Action
		copy(a[:], goal.Joints[:])
		a[twinrig.GripAxis] = min(max(float64(goal.Grip), 0), 1)
		m.Actions = append(m.Actions, a)
	}
	info, err := record.Read(path, record.Visitor{Tick: func(r *twinrig.Report) error {
		if r.Step != step {
			if step >= 0 {
				done()
			}
			step, begins = r.Step, append(begins, r.Now)
		}
		goal = r.Asked
		return nil
	}})
	switch {
	case err != nil:
		return m, err
	case info.Damage != nil:
		return m, fmt.Errorf("%s: it is cut off: %w", filepath.Base(path), info.Damage)
	case len(begins) < 2:
		return m, fmt.Errorf("%s: holds no control steps", filepath.Base(path))
	}
	done()
	// The first step also has the time before the policy's first answer.
	gaps := make([]time.Duration, 0, len(begins))
	for i := 1; i < len(begins); i++ {
		gaps = append(gaps, begins[i]-begins[i-1])
	}
	slices.Sort(gaps)
	m.RateHz = 1 / gaps[len(gaps)/2].Seconds()
	return m, nil
}
