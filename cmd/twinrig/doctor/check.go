package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Verdict is what a check comes to.
type Verdict string

// A study may start unless a check says Fail.
const (
	OK   Verdict = "ok"
	Warn Verdict = "warn"
	Fail Verdict = "fail"
)

// Result is what one check found.
type Result struct {
	Name    string  `json:"name"`
	Verdict Verdict `json:"verdict"`
	// Value is what was measured, with its unit.
	Value string `json:"value"`
	// Fix is what to do, where possible what to type; empty if all is well.
	Fix string `json:"fix"`
	// Needs is the check that failed and without which this one was not made;
	// its Verdict is then Fail. It is empty if it was made.
	Needs string `json:"-"`
}

// Report is what all checks found, in their order.
type Report struct {
	Checks []Result `json:"checks"`
	// MayStart tells whether a study may: no check failed.
	MayStart bool `json:"may_start"`
}

// First returns the first check that failed by itself, which is what to fix
// first.
func (r *Report) First() (Result, bool) {
	i := slices.IndexFunc(r.Checks, func(c Result) bool { return c.Verdict == Fail && c.Needs == "" })
	if i < 0 {
		return Result{}, false
	}
	return r.Checks[i], true
}

// check is one look at one part of the rig.
type check struct {
	name string
	// needs are the checks without which this one says nothing; they come
	// before it.
	needs []string
	// limit is when its answer is no longer waited for.
	limit time.Duration
	run   func(ctx context.Context, b *bench) Result
}

func okay(value string, args ...any) Result {
	return Result{Verdict: OK, Value: fmt.Sprintf(value, args...)}
}

func warn(fix, value string, args ...any) Result {
	return Result{Verdict: Warn, Value: fmt.Sprintf(value, args...), Fix: fix}
}

func fail(fix, value string, args ...any) Result {
	return Result{Verdict: Fail, Value: fmt.Sprintf(value, args...), Fix: fix}
}

// runAll makes the checks one after the other: they share the bus, and each
// would spoil the other's timing. before is told the name of each.
func runAll(ctx context.Context, b *bench, checks []check, before func(name string)) (Report, error) {
	r := Report{MayStart: true}
	failed := map[string]string{} // the check, and which one is behind its failure
	for i := range checks {
		c := &checks[i]
		var res Result
		if k := slices.IndexFunc(c.needs, func(n string) bool { return failed[n] != "" }); k >= 0 {
			cause := failed[c.needs[k]]
			res = fail("fix "+cause+" first", "not checked: needs %s", cause)
			res.Needs = cause
		} else {
			before(c.name)
			res = c.within(ctx, b)
		}
		if err := ctx.Err(); err != nil {
			return r, err
		}
		res.Name = c.name
		if res.Verdict == Fail {
			failed[c.name], r.MayStart = cmp.Or(res.Needs, c.name), false
		}
		r.Checks = append(r.Checks, res)
	}
	return r, nil
}

// within makes the check, but waits only so long. One that hangs is left behind:
// what it holds is given up when the bench is closed.
func (c *check) within(ctx context.Context, b *bench) Result {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	done := make(chan Result, 1)
	go func() { done <- c.run(ctx, b) }()
	select {
	case r := <-done:
		return r
	case <-ctx.Done():
		return fail("run it again; if it hangs again, unplug and replug what it looks at", "no answer in %v", c.limit)
	}
}

// list joins what is wrong with several things, and keeps it readable.
func list(lines []string) string {
	const most = 4
	if more := len(lines) - most; more > 1 {
		lines = append(slices.Clone(lines[:most]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "; ")
}
