package eval

import "twinrig/eval/stats"

// fewestPolicies is the least for a correlation over policies.
const fewestPolicies = 5

// Correlation compares simulated and real success rates over policies. It is
// there from five policies on, each with mirrored trials: through fewer points
// there is nearly always a line.
type Correlation struct {
	Policies int `json:"policies"`
	// Pearson is null where either rate is the same for all; Interval is its
	// bootstrap interval over policies.
	Pearson  *float64    `json:"pearson"`
	Interval *[2]float64 `json:"interval"`
	// MMRV is the mean maximum rank violation, 0 at best, in real success rate.
	MMRV *float64 `json:"mmrv"`
}

// Correlation is nil below five policies.
func (a *Analysis) Correlation() *Correlation {
	var scores []stats.SimReal
	for _, p := range a.Study.Policies {
		var sim, real stats.Rate
		for i := range a.Counted {
			if r := &a.Counted[i]; r.Trial.Policy == p.Name && r.Mirror != nil {
				sim.Count(r.Mirror.Success)
				real.Count(r.Verdict.Success)
			}
		}
		s, ok := sim.Value()
		v, _ := real.Value()
		if ok {
			scores = append(scores, stats.SimReal{Sim: s, Real: v})
		}
	}
	if len(scores) < fewestPolicies {
		return nil
	}
	return &Correlation{
		Policies: len(scores), Pearson: known(stats.Pearson(scores)), MMRV: known(stats.MMRV(scores)),
		Interval: ends(stats.PearsonBootstrap(scores, Level, bootstrapResamples, a.Study.OrderSeed)),
	}
}
