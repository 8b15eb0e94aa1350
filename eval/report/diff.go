package report

import (
	"errors"
	"fmt"
	"slices"

	"twinrig/eval"
)

// Diff compares two studies; differences are B's minus A's.
type Diff struct {
	A StudyRef `json:"a"`
	B StudyRef `json:"b"`
	// Policies are those of both studies, in A's order.
	Policies []PolicyDiff `json:"policies"`
	// Unlike lists what else differs and may be the reason.
	Unlike []string `json:"unlike"`
}

// StudyRef names a study, and its gap.
type StudyRef struct {
	Study  string    `json:"study"`
	Digest string    `json:"digest"`
	Gap    *StudyGap `json:"gap"`
}

// PolicyDiff compares one policy's success rates in both studies, whose trials
// are independent.
type PolicyDiff struct {
	Policy string `json:"policy"`
	eval.Comparison
}

// NewDiff refuses studies of other scenes, and those without a common policy.
func NewDiff(a, b *Report) (Diff, error) {
	if x, y := sceneNames(a), sceneNames(b); !slices.Equal(x, y) {
		return Diff{}, fmt.Errorf("the studies have other scenes, and pooled rates cannot be compared: %v and %v", x, y)
	}
	d := Diff{A: a.ref(), B: b.ref(), Policies: []PolicyDiff{}, Unlike: []string{}}
	note := func(what, x, y string) {
		if x != y {
			d.Unlike = append(d.Unlike, fmt.Sprintf("%s: %q in A, %q in B", what, x, y))
		}
	}
	for i := range a.Pooled {
		name := a.Pooled[i].Policy
		k := slices.IndexFunc(b.Pooled, func(c eval.Cell) bool { return c.Policy == name })
		if k < 0 {
			continue
		}
		d.Policies = append(d.Policies, PolicyDiff{name, eval.Compare(a.Pooled[i].SR, b.Pooled[k].SR)})
		note("checkpoint of "+name, a.Study.Policies[i].Checkpoint, b.Study.Policies[k].Checkpoint)
	}
	if len(d.Policies) == 0 {
		return Diff{}, errors.New("the studies have no policy in common")
	}
	note("arm", a.arm(), b.arm())
	note("configuration", a.Study.ConfigSHA256, b.Study.ConfigSHA256)
	note("verdicts by", a.Study.VerdictSource, b.Study.VerdictSource)
	note("time-out", a.Study.Timeout.String(), b.Study.Timeout.String())
	if !a.Balanced || !b.Balanced {
		d.Unlike = append(d.Unlike, "not every cell has equally many trials: pooled rates weigh the scenes differently")
	}
	return d, nil
}

func (r *Report) ref() StudyRef {
	return StudyRef{Study: r.Study.Name, Digest: r.Digest, Gap: r.studyGap()}
}

func sceneNames(r *Report) []string {
	var names []string
	for _, s := range r.Study.Scenes {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	return names
}
