package report

import (
	"encoding/json"
	"fmt"
	"io"

	"twinrig"
	"twinrig/eval"
)

// StudyJSON is a study's report as one JSON object. What there is no number for
// is null.
type StudyJSON struct {
	Study   string `json:"study"`
	Virtual bool   `json:"virtual"`
	// Digest is of all that the numbers were computed from.
	Digest        string                   `json:"digest"`
	ConfigSHA256  string                   `json:"config_sha256"`
	VerdictSource string                   `json:"verdict_source"`
	Plan          PlanJSON                 `json:"plan"`
	Policies      map[string]CellJSON      `json:"policies"`
	Scenes        map[string]ScenePolicies `json:"scenes"`
	// Tests is null for one policy.
	Tests *eval.Tests `json:"tests"`
	// Gap is null without a mirror.
	Gap        *StudyGap      `json:"gap"`
	SimReal    SimReal        `json:"sim_real"`
	Failures   []FailureJSON  `json:"failures"`
	Faults     FaultsJSON     `json:"faults"`
	Amendments []AmendedTrial `json:"amendments"`
	Warnings   []string       `json:"warnings"`
}

// ScenePolicies is one scene's metrics by policy.
type ScenePolicies map[string]CellJSON

// CellJSON is one policy's metrics. TFStd is the population's; both times are
// null without a success, the spread with one.
type CellJSON struct {
	Trials int              `json:"trials"`
	PSR    eval.RateSummary `json:"psr"`
	SR     eval.RateSummary `json:"sr"`
	DFR    eval.RateSummary `json:"dfr"`
	SFR    eval.RateSummary `json:"sfr"`
	TFN    int              `json:"tf_n"`
	TFMean *float64         `json:"tf_mean_s"`
	TFStd  *float64         `json:"tf_std_s"`
	// SceneBootstrap is SR's interval when scenes are drawn anew, for all
	// scenes together and from five scenes on.
	SceneBootstrap *[2]float64 `json:"sr_scene_bootstrap,omitempty"`
}

// StudyGap is the gap over all control steps of the trials that count.
type StudyGap struct {
	Trials    int     `json:"trials"`
	Steps     int     `json:"steps"`
	EEMaxMM   float64 `json:"ee_max_mm"`
	GripRMSMM float64 `json:"grip_rms_mm"`
	GapSummary
	// Diverged are the trials that were ever more than 20 mm apart, Divergence
	// the median of when they first were.
	Diverged   eval.RateSummary `json:"diverged"`
	Divergence *float64         `json:"divergence_median_s"`
}

// SimReal compares the outcomes of arm and mirror. Correlation is over
// policies, null below five.
type SimReal struct {
	Table       SimRealTable      `json:"table"`
	Agree       eval.RateSummary  `json:"agree"`
	Kappa       *float64          `json:"kappa"`
	Correlation *eval.Correlation `json:"correlation"`
}

// SimRealTable counts trials by who succeeded.
type SimRealTable struct {
	Both     int `json:"both"`
	OnlyReal int `json:"only_real"`
	OnlySim  int `json:"only_sim"`
	Neither  int `json:"neither"`
}

// FailureJSON is how many failures of each policy carry a label.
type FailureJSON struct {
	Label    eval.Label     `json:"label"`
	Semantic bool           `json:"semantic"`
	Policies map[string]int `json:"policies"`
}

// FaultsJSON are the attempts that do not count, by how they ended.
type FaultsJSON struct {
	Count  int            `json:"count"`
	By     map[string]int `json:"by_termination"`
	Trials []FaultJSON    `json:"trials"`
}

// FaultJSON is one such attempt.
type FaultJSON struct {
	Trial       string           `json:"trial"`
	Termination eval.Termination `json:"termination"`
	Note        string           `json:"note"`
}

// AmendedTrial is a trial whose outcome was changed afterwards, and why.
type AmendedTrial struct {
	Trial string `json:"trial"`
	eval.Amendment
}

// StudyJSON fills in the object.
func (r *Report) StudyJSON() StudyJSON {
	s := StudyJSON{
		Study: r.Study.Name, Virtual: r.Study.Virtual, Digest: r.Digest, ConfigSHA256: r.Study.ConfigSHA256,
		VerdictSource: r.Study.VerdictSource, Plan: r.planJSON(), Tests: r.Tests, Gap: r.studyGap(), SimReal: r.simReal(),
		Policies: map[string]CellJSON{}, Scenes: map[string]ScenePolicies{},
		Failures: r.failures(), Faults: r.faults(), Amendments: []AmendedTrial{},
		Warnings: append([]string{}, r.Warnings...),
	}
	for i := range r.Pooled {
		c := cellJSON(&r.Pooled[i])
		if iv := r.SceneBootstrap[i]; iv != nil {
			c.SceneBootstrap = &[2]float64{iv.Lo, iv.Hi}
		}
		s.Policies[r.Pooled[i].Policy] = c
	}
	for i := range r.Cells {
		c := &r.Cells[i]
		if s.Scenes[c.Scene] == nil {
			s.Scenes[c.Scene] = ScenePolicies{}
		}
		s.Scenes[c.Scene][c.Policy] = cellJSON(c)
	}
	for i := range r.Results {
		for _, a := range r.Results[i].Amendments {
			s.Amendments = append(s.Amendments, AmendedTrial{r.Results[i].Trial.ID, a})
		}
	}
	return s
}

func cellJSON(c *eval.Cell) CellJSON {
	j := CellJSON{
		Trials: c.N(), TFN: c.TF.N, PSR: eval.Summarise(c.PSR), SR: eval.Summarise(c.SR),
		DFR: eval.Summarise(c.DFR), SFR: eval.Summarise(c.SFR),
	}
	if c.TF.N > 0 {
		j.TFMean = &c.TF.Mean
	}
	if c.TF.N > 1 {
		j.TFStd = &c.TF.Std
	}
	return j
}

func (r *Report) studyGap() *StudyGap {
	g := r.Gap
	if g.Trials == 0 {
		return nil
	}
	j := &StudyGap{
		Trials: g.Trials, Steps: g.Steps, EEMaxMM: g.EEMaxMM, GripRMSMM: g.GripRMSMM, GapSummary: *r.gapSummary(),
		Diverged: eval.Summarise(g.Diverged), Divergence: g.FirstDivergence,
	}
	return j
}

// gapSummary sums the gap up; there must be one.
func (r *Report) gapSummary() *GapSummary {
	g := r.Gap
	s := &GapSummary{
		EERMSMM: g.EERMSMM, EEP95MM: g.EEP95MM, EERotRMSDeg: g.EERotRMSDeg,
		JointRMS: g.AllJointsRMS, PerJoint: map[string]float64{},
	}
	for j, rms := range g.JointRMS {
		s.PerJoint[twinrig.AxisNames[j]] = rms
	}
	return s
}

func (r *Report) simReal() SimReal {
	a := r.Agreement
	s := SimReal{
		Table:       SimRealTable{Both: a.Both, OnlyReal: a.OnlyReal, OnlySim: a.OnlySim, Neither: a.Neither},
		Agree:       eval.Summarise(a.Agree()),
		Correlation: r.Correlation(),
	}
	if kappa, ok := a.Kappa(); ok {
		s.Kappa = &kappa
	}
	return s
}

func (r *Report) failures() []FailureJSON {
	rows := []FailureJSON{}
	for _, l := range r.labelRows() {
		f := FailureJSON{Label: l.Label, Semantic: l.Label.Semantic(), Policies: map[string]int{}}
		for i, n := range l.Counts {
			f.Policies[r.Pooled[i].Policy] = n
		}
		rows = append(rows, f)
	}
	return rows
}

func (r *Report) faults() FaultsJSON {
	f := FaultsJSON{Count: len(r.Excluded), By: map[string]int{}, Trials: []FaultJSON{}}
	for i := range r.Excluded {
		res := &r.Excluded[i]
		f.By[string(res.Termination)]++
		f.Trials = append(f.Trials, FaultJSON{res.Trial.ID, res.Termination, res.Note})
	}
	return f
}

// WriteStudyJSON writes the object.
func (r *Report) WriteStudyJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r.StudyJSON()); err != nil {
		return fmt.Errorf("report: json: %w", err)
	}
	return nil
}
