package normalize

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Statistics are those of a model's training data.
type Statistics struct {
	// Action and State are of what it answers and of what it sees; State may be
	// nil, for a model without.
	Action, State *Vector
}

// Vector is the statistics of seven numbers. What is not known is nil.
type Vector struct {
	P01, P99, Mean, Std *[Width]float64
	// Mask tells which numbers are normalised; nil is all of them.
	Mask *[Width]bool
}

// The names that files in use have for the same things: ours and open-pi-zero's,
// openpi's, OpenVLA's.
var (
	actionNames = []string{"action", "actions"}
	stateNames  = []string{"state", "proprio"}
	p01Names    = []string{"p01", "q01"}
	p99Names    = []string{"p99", "q99"}
)

// Parse reads statistics as YAML or JSON: this project's own files, open-pi-zero's
// (action and proprio with p01 and p99), openpi's norm_stats.json (norm_stats, with
// state and actions), or OpenVLA's dataset_statistics.json (one entry for each data
// set). dataset names the entry, and may be empty where there is one.
func Parse(text []byte, dataset string) (*Statistics, error) {
	var top map[string]any
	if err := yaml.Unmarshal(text, &top); err != nil {
		return nil, fmt.Errorf("normalize: %w", err)
	}
	entry, err := find(top, dataset)
	if err != nil {
		return nil, fmt.Errorf("normalize: %w", err)
	}
	s := &Statistics{}
	for _, part := range []struct {
		names []string
		at    **Vector
	}{{actionNames, &s.Action}, {stateNames, &s.State}} {
		name, v := first(entry, part.names)
		if v == nil {
			continue
		}
		m, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("normalize: %s is no map", name)
		}
		if *part.at, err = vector(m); err != nil {
			return nil, fmt.Errorf("normalize: %s: %w", name, err)
		}
	}
	if s.Action == nil {
		return nil, errors.New("normalize: the statistics have no action")
	}
	return s, nil
}

// find goes down to the entry that has the actions.
func find(top map[string]any, dataset string) (map[string]any, error) {
	if dataset != "" {
		entry, ok := top[dataset].(map[string]any)
		if !ok {
			return nil, fmt.Errorf("the statistics have no data set %q (they have: %s)", dataset, strings.Join(slices.Sorted(maps.Keys(top)), ", "))
		}
		return entry, nil
	}
	if _, v := first(top, actionNames); v != nil {
		return top, nil
	}
	if len(top) != 1 {
		return nil, fmt.Errorf("the statistics have %d data sets (%s): say which", len(top), strings.Join(slices.Sorted(maps.Keys(top)), ", "))
	}
	for _, v := range top {
		if entry, ok := v.(map[string]any); ok {
			return entry, nil
		}
	}
	return nil, errors.New("the statistics have no action")
}

func first(m map[string]any, names []string) (string, any) {
	for _, n := range names {
		if v := m[n]; v != nil {
			return n, v
		}
	}
	return "", nil
}

func vector(m map[string]any) (*Vector, error) {
	v := &Vector{}
	for _, part := range []struct {
		names []string
		at    **[Width]float64
	}{{p01Names, &v.P01}, {p99Names, &v.P99}, {[]string{"mean"}, &v.Mean}, {[]string{"std"}, &v.Std}} {
		name, raw := first(m, part.names)
		if raw == nil {
			continue
		}
		var err error
		if *part.at, err = seven(raw); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	raw, ok := m["mask"]
	if !ok {
		return v, nil
	}
	list, ok := raw.([]any)
	if !ok || len(list) != Width {
		return nil, fmt.Errorf("mask must be %d truth values", Width)
	}
	v.Mask = new([Width]bool)
	for i := range list {
		if v.Mask[i], ok = list[i].(bool); !ok {
			return nil, fmt.Errorf("mask must be %d truth values", Width)
		}
	}
	return v, nil
}

// seven reads seven finite numbers; openpi pads vectors with zeros to its model's
// width.
func seven(raw any) (*[Width]float64, error) {
	list, ok := raw.([]any)
	if !ok || len(list) < Width {
		return nil, fmt.Errorf("must be %d numbers", Width)
	}
	var out [Width]float64
	for i, x := range list {
		var f float64
		switch n := x.(type) {
		case float64:
			f = n
		case int:
			f = float64(n)
		default:
			return nil, fmt.Errorf("number %d is %v", i, x)
		}
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, fmt.Errorf("number %d is %v", i, f)
		}
		if i < Width {
			out[i] = f
		} else if f != 0 {
			return nil, fmt.Errorf("has %d numbers, this arm's have %d", len(list), Width)
		}
	}
	return &out, nil
}
