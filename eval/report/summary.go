package report

import "twinrig/eval/stats"

// Summary is a study in one JSON object. What there is no number for is null.
type Summary struct {
	Study   string `json:"study"`
	Virtual bool   `json:"virtual"`
	// Trials count; Excluded are attempts that do not.
	Trials   int                      `json:"trials"`
	Excluded int                      `json:"excluded"`
	Policies map[string]PolicySummary `json:"policies"`
	// Gap is null without a mirror, Loop without a control loop.
	Gap  *GapSummary  `json:"gap"`
	Loop *LoopSummary `json:"loop"`
	// Inference is by policy, of those that were asked.
	Inference map[string]InferenceSummary `json:"inference"`
	// Speedup is how many times faster than real time the trials ran.
	Speedup  float64 `json:"speedup"`
	StudyDir string  `json:"study_dir"`
}

// PolicySummary is one policy's metrics over all scenes. TF is the mean time
// to finish of its successes.
type PolicySummary struct {
	PSR *float64 `json:"psr"`
	SR  *float64 `json:"sr"`
	DFR *float64 `json:"dfr"`
	SFR *float64 `json:"sfr"`
	TF  *float64 `json:"tf_s"`
	N   int      `json:"n"`
}

// GapSummary is the gap over all control steps. EEP95MM needs all curves.
type GapSummary struct {
	EERMSMM     float64  `json:"ee_rms_mm"`
	EEP95MM     *float64 `json:"ee_p95_mm"`
	EERotRMSDeg float64  `json:"ee_rot_rms_deg"`
	// JointRMS is over all joints, PerJoint of each by its name.
	JointRMS float64            `json:"joint_rms_rad"`
	PerJoint map[string]float64 `json:"joint_rms_rad_by_joint"`
}

// LoopSummary is eval.LoopPool's.
type LoopSummary struct {
	Hz        float64 `json:"hz"`
	LateP50US float64 `json:"late_p50_us"`
	LateP99US float64 `json:"late_p99_us"`
	Misses    int     `json:"misses"`
}

// Summary fills in the object. The report does not know how fast the trials
// ran and where the study lies.
func (r *Report) Summary(speedup float64, studyDir string) Summary {
	s := Summary{
		Study: r.Study.Name, Virtual: r.Study.Virtual,
		Trials: len(r.Counted), Excluded: len(r.Excluded),
		Policies: map[string]PolicySummary{}, Speedup: speedup, StudyDir: studyDir,
	}
	for _, c := range r.Pooled {
		p := PolicySummary{PSR: value(c.PSR), SR: value(c.SR), DFR: value(c.DFR), SFR: value(c.SFR), N: c.N()}
		if c.TF.N > 0 {
			p.TF = &c.TF.Mean
		}
		s.Policies[c.Policy] = p
	}
	s.Inference = inferenceSummary(r.Inference)
	if r.Gap.Trials > 0 {
		s.Gap = r.gapSummary()
	}
	if l := r.Loop; l.Trials > 0 {
		s.Loop = &LoopSummary{Hz: l.Hz, LateP50US: l.LateP50US, LateP99US: l.LateP99US, Misses: l.Misses}
	}
	return s
}

func value(r stats.Rate) *float64 {
	p, ok := r.Value()
	if !ok {
		return nil
	}
	return &p
}
